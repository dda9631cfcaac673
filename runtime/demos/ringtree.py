"""All-reduce by hand, three ways, with nothing but sends and receives; checked against the library's.

torchrun --nproc-per-node 4 ringtree.py --algorithm ring

  naive   everybody sends everything to rank 0, which adds up and sends the sums back: n-1 whole buffers come
          in, here each on a link of its own, and n-1 go out, one after the other
  tree    pairs, then pairs of pairs: log2(n) rounds up and as many down, of whole buffers
  ring    2(n-1) rounds of 1/n of the buffer each, every link in use all the time

So few rounds win while a message is small (each costs its latency), and the ring when it is large: on links
with a bandwidth, such as `--link_mbit` makes of the connections here. With 0 they are the machine's loopback,
where bytes cost no time on a link but the processor's, and the ring moves as many of them in more pieces.
"""

import argparse
import sys
from collections.abc import Callable

import torch
import torch.distributed as dist
from byhand import naive, ring, sent, tree
from instruments import probe
from links import pace
from timing import fastest
from torch import Tensor


def arguments() -> argparse.Namespace:
    """Read the command line: two message sizes in KiB, and the bandwidth of a link in Mbit/s (0: none)."""
    parser = argparse.ArgumentParser(description="all-reduce by hand against the library")
    parser.add_argument("--algorithm", choices=(*ALGORITHMS, "all"), default="all")
    parser.add_argument("--small_kib", type=int, default=4, help="size of a small message")
    parser.add_argument("--large_kib", type=int, default=4096, help="size of a large one")
    parser.add_argument("--repeats", type=int, default=5, help="of each; the fastest counts")
    parser.add_argument("--link_mbit", type=float, default=400.0, help="rate of a link; 0: as it is")
    return parser.parse_args()


def once(all_reduce: Callable[[Tensor], object], x: Tensor) -> float:
    """Return the seconds of one all-reduce on the rank that took longest."""
    with probe.step():
        return fastest(all_reduce, x, repeats=1)


ALGORITHMS: dict[str, Callable[[Tensor], object]] = {
    "naive": naive,
    "tree": tree,
    "ring": ring,
    "library": dist.all_reduce,
}


def main() -> int:
    """Check and time each algorithm by both sizes; returns exit code 1 if a sum is wrong."""
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, wrong = dist.get_rank(), 0
    probe.result(paced=pace(args.link_mbit))

    for name in ALGORITHMS if args.algorithm == "all" else (args.algorithm,):
        all_reduce = ALGORITHMS[name]
        sizes, times = [1024 * args.small_kib, 1024 * args.large_kib], []
        for size in sizes:
            x = torch.arange(size // 4, dtype=torch.float32) % 1000 + rank  # whole numbers: sums are exact
            expected, sent[0] = x.clone(), 0
            dist.all_reduce(expected)
            with probe.step():
                all_reduce(x)
            traffic, wrong = sent[0], wrong + (not torch.equal(x, expected))
            times.append(min(once(all_reduce, x.zero_()) for _ in range(args.repeats)))
        found = {"small_s": times[0], "large_s": times[1]}
        if all_reduce is not dist.all_reduce:
            found["sent_bytes"] = traffic  # of the large message, by this rank
        one = args.small_kib == args.large_kib  # the same twice is one bar
        probe.value(name, times[one:], "s", ("small", "large")[one:])
        probe.result(**{f"{name}_{what}": figure for what, figure in found.items()})
        if rank == 0:
            print(f"{name:8}", f"small {times[0] * 1e3:.2f} ms  large {times[1] * 1e3:.2f} ms", flush=True)

    probe.result(wrong=wrong)
    dist.destroy_process_group()
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
