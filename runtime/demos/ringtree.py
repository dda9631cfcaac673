"""All-reduce by hand, three ways, with nothing but sends and receives; checked against the library's.

torchrun --nproc-per-node 4 ringtree.py --algorithm ring

  naive   everybody sends everything to rank 0, which adds up and sends the sums back: 2(n-1) whole buffers
          through one link
  tree    pairs, then pairs of pairs: log2(n) rounds up and as many down, of whole buffers
  ring    2(n-1) rounds of 1/n of the buffer each, every link in use all the time

So few rounds win while a message is small (each costs its latency), and the ring when it is large.
"""

import argparse
import sys
from collections.abc import Callable

import torch
import torch.distributed as dist
from instruments import probe
from timing import fastest
from torch import Tensor

sent = 0  # bytes that left this rank


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="all-reduce by hand against the library")
    parser.add_argument("--algorithm", choices=(*ALGORITHMS, "all"), default="all")
    parser.add_argument("--small_kib", type=int, default=4, help="size of a small message")
    parser.add_argument("--large_kib", type=int, default=4096, help="size of a large one")
    parser.add_argument("--repeats", type=int, default=5, help="of each; the fastest counts")
    return parser.parse_args()


def transfer(send: tuple[Tensor, int] | None = None, receive: tuple[Tensor, int] | None = None) -> None:
    """Send a tensor to a rank and receive one from a rank, at the same time."""
    global sent
    ops = []
    if send is not None:
        ops.append(dist.P2POp(dist.isend, *send))
        sent += send[0].nbytes
    if receive is not None:
        ops.append(dist.P2POp(dist.irecv, *receive))
    for work in dist.batch_isend_irecv(ops):
        work.wait()


def naive(x: Tensor) -> None:
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank > 0:
        transfer(send=(x, 0))
        transfer(receive=(x, 0))
        return
    arrived = torch.empty_like(x)
    for other in range(1, world):
        transfer(receive=(arrived, other))
        x += arrived
    for other in range(1, world):
        transfer(send=(x, other))


def tree(x: Tensor) -> None:
    """Ranks that differ in one bit meet: sums go to the lower one, then the result comes back that way."""
    rank, world = dist.get_rank(), dist.get_world_size()
    arrived = torch.empty_like(x)
    bits = [1 << i for i in range((world - 1).bit_length())]
    for bit in bits:
        if rank % (2 * bit) == bit:
            transfer(send=(x, rank - bit))
            break  # it has given its sum away
        if rank + bit < world:
            transfer(receive=(arrived, rank + bit))
            x += arrived
    for bit in reversed(bits):
        if rank % (2 * bit) == bit:
            transfer(receive=(x, rank - bit))
        elif rank % (2 * bit) == 0 and rank + bit < world:
            transfer(send=(x, rank + bit))


def ring(x: Tensor) -> None:
    """Reduce-scatter, then all-gather: chunks go round, to the right neighbour only."""
    rank, world = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world, (rank + 1) % world
    chunks = x.tensor_split(world)
    arrived = torch.empty_like(chunks[0])
    for k in range(2 * (world - 1)):
        here, there = chunks[(rank - k) % world], chunks[(rank - k - 1) % world]
        into = arrived[: len(there)] if k < world - 1 else there
        transfer(send=(here, right), receive=(into, left))
        if k < world - 1:
            there += into


ALGORITHMS: dict[str, Callable[[Tensor], object]] = {
    "naive": naive,
    "tree": tree,
    "ring": ring,
    "library": dist.all_reduce,
}


def main() -> int:
    global sent
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, wrong = dist.get_rank(), 0

    for name in ALGORITHMS if args.algorithm == "all" else (args.algorithm,):
        all_reduce = ALGORITHMS[name]
        sizes, times = [1024 * args.small_kib, 1024 * args.large_kib], []
        for size in sizes:
            x = torch.arange(size // 4, dtype=torch.float32) % 1000 + rank  # whole numbers: sums are exact
            expected, sent = x.clone(), 0
            dist.all_reduce(expected)
            with probe.step():
                all_reduce(x)
            traffic, wrong = sent, wrong + (not torch.equal(x, expected))
            with probe.step():
                times.append(fastest(all_reduce, x.zero_(), repeats=args.repeats))
        found = {"small_s": times[0], "large_s": times[1]}
        if all_reduce is not dist.all_reduce:
            found["sent_bytes"] = traffic  # of the large message, by this rank
        probe.value(name, times, "s", ("small", "large"))
        probe.result(**{f"{name}_{what}": figure for what, figure in found.items()})
        if rank == 0:
            print(f"{name:8}", f"small {times[0] * 1e3:.2f} ms  large {times[1] * 1e3:.2f} ms", flush=True)

    probe.result(wrong=wrong)
    dist.destroy_process_group()
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
