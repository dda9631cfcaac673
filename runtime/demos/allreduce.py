"""Ring all-reduce by hand: each rank talks to its two neighbours only, and all end with the same sums.

torchrun --nproc-per-node 4 allreduce.py --rounds 3

The buffer is cut into as many chunks as there are ranks. In each transfer every rank sends one chunk to its
right neighbour and receives another one from its left. In the first N-1 transfers it adds what it receives
(reduce-scatter: then every rank holds one complete sum), in the next N-1 it copies it (all-gather).
Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from torch import Tensor


def arguments() -> argparse.Namespace:
    """Read the command line; `--size` counts float32 numbers in each of the N chunks."""
    parser = argparse.ArgumentParser(description="ring all-reduce by hand, checked against dist.all_reduce")
    parser.add_argument("--rounds", type=int, default=10, help="all-reduces, each on new numbers")
    parser.add_argument("--size", type=int, default=1, help="numbers in a chunk; the first is shown")
    parser.add_argument("--pause_ms", type=float, default=500.0, help="time to look, after each transfer")
    return parser.parse_args()


def contribution(rank: int, world: int, size: int, turn: int) -> Tensor:
    """What `rank` brings: `world` chunks of `size` whole numbers, whose sum is exact in any order.

    Up to 6 ranks each has a decimal place of its own: 1010 in a chunk is from the ranks 1 and 3.
    """
    weight = 10.0**rank if world <= 6 else rank + 1.0
    digits = (torch.arange(world)[:, None] + torch.arange(size) + turn) % 9 + 1
    return weight * digits


def ring_all_reduce(buffer: Tensor, summed: list[int]) -> Iterator[int]:
    """Sum `buffer` over all ranks, in place. Yields after every transfer which chunk this rank has sent.

    `summed` counts for each chunk of how many ranks it holds the sum.
    """
    rank, world = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world, (rank + 1) % world
    arrived = torch.empty_like(buffer[0])

    for k in range(2 * (world - 1)):
        send, receive = (rank - k) % world, (rank - k - 1) % world
        with probe.step():
            both = [dist.P2POp(dist.isend, buffer[send], right), dist.P2POp(dist.irecv, arrived, left)]
            for transfer in dist.batch_isend_irecv(both):
                transfer.wait()
            if k < world - 1:  # reduce-scatter
                buffer[receive] += arrived
                summed[receive] = k + 2
            else:  # all-gather
                buffer[receive] = arrived
                summed[receive] = world
        yield send


def main() -> int:
    """Run the rounds and compare each with `dist.all_reduce`; returns exit code 1 if any number differs."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()
    equal, worst = True, 0.0

    def show(buffer: Tensor, summed: list[int], turn: int, transfer: int, sent: list[int]) -> None:
        """This rank's buffer for everybody to see, and the time to look at it."""
        probe.value("buffer", buffer[:, 0].tolist())
        probe.value("summed", summed)
        probe.value("transfer", [turn, transfer])
        probe.value("sent", sent)
        time.sleep(args.pause_ms / 1000)

    for turn in range(args.rounds):
        buffer, summed = contribution(rank, world, args.size, turn).to(here), [1] * world
        expected = buffer.clone()
        show(buffer, summed, turn, -1, [])
        for k, sent in enumerate(ring_all_reduce(buffer, summed)):
            show(buffer, summed, turn, k, [sent])

        with probe.step():
            dist.all_reduce(expected)
        difference = (buffer - expected).abs().max().item()
        equal, worst = equal and torch.equal(buffer, expected), max(worst, difference)
        probe.value("difference", difference)
        if rank == 0:
            print(f"round {turn}: off by {difference:g} from dist.all_reduce", flush=True)

    probe.result(rounds=args.rounds, equal=equal, max_difference=worst)
    dist.destroy_process_group()
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
