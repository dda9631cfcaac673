"""The collectives, one after the other: what every rank holds before and after, and what each costs by size.

torchrun --nproc-per-node 4 collectives.py --op all_gather

Time follows size: t = alpha + size / B, with alpha seconds to get going and B bytes a second once it does
(beta, seconds a byte, is 1 / B). The size is that of the whole buffer, for an all-gather of what is gathered:

  algbw = size / t        busbw = algbw x what a link carries of each byte (NVIDIA's nccl-tests)
"""

import argparse
import sys
import time

import torch
import torch.distributed as dist
from collective_results import brought, expected
from device import backend, device
from instruments import probe
from latency_and_bandwidth import fit
from timing import bus_factor, fastest
from torch import Tensor

OPS = ("broadcast", "reduce", "all_reduce", "gather", "scatter", "all_gather", "reduce_scatter", "all_to_all",
       "barrier")  # fmt: skip
# torch 2.13 has new names for these two, and warns of the old ones.
all_gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
reduce_scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor


def arguments() -> argparse.Namespace:
    """Read the command line; `--largest_kib` is the largest buffer that is timed, in KiB."""
    parser = argparse.ArgumentParser(description="what collectives do, and what they cost")
    parser.add_argument("--op", choices=(*OPS, "all"), default="all")
    parser.add_argument("--largest_kib", type=int, default=16384, help="sizes from 1 KiB to this are timed")
    parser.add_argument("--pause_ms", type=float, default=1000.0, help="time to look at the buffers")
    return parser.parse_args()


def buffers(op: str, mine: Tensor) -> tuple[Tensor, Tensor]:
    """What this rank gives and where it gets, of `mine` with a chunk for every rank [ranks, k]; 0 is root."""
    rank, root = dist.get_rank(), dist.get_rank() == 0
    own, whole, nothing = mine[rank : rank + 1].clone(), torch.zeros_like(mine), mine[:0]
    return {
        "gather": (own, whole if root else nothing),
        "scatter": (mine if root else nothing, whole[:1]),
        "all_gather": (own, whole),
        "reduce_scatter": (mine, whole[:1]),
        "all_to_all": (mine, whole),
        "barrier": (nothing, nothing),
    }.get(op, (mine, mine))  # the result takes the place of what was given


def collective(op: str, give: Tensor, get: Tensor) -> None:
    """Run one operation on what `buffers` made of it; some have their result in `give` alone."""
    {
        "broadcast": lambda: dist.broadcast(give, src=0),
        "reduce": lambda: dist.reduce(give, dst=0),
        "all_reduce": lambda: dist.all_reduce(give),
        "gather": lambda: dist.gather(give, list(get.split(1)) if len(get) else None, dst=0),
        "scatter": lambda: dist.scatter(get, list(give.split(1)) if len(give) else None, src=0),
        "all_gather": lambda: all_gather(get, give),
        "reduce_scatter": lambda: reduce_scatter(get, give),
        "all_to_all": lambda: dist.all_to_all_single(get, give),
        "barrier": lambda: dist.barrier(),
    }[op]()


def cost(op: str, world: int, largest_kib: int, here: torch.device) -> dict[str, float | None]:
    """Its time for every size, and what they come to; None: the times do not show it."""
    chunks = [max(1, 256 * 4**i // world) for i in range(10) if 4**i <= largest_kib]
    times = []
    for k in chunks if op != "barrier" else [0]:
        give, get = buffers(op, torch.ones(world, k, device=here))
        with probe.step():
            times.append(fastest(collective, op, give, get, here=here))
    probe.value("time", times, "s")
    if op == "barrier":
        return {"alpha_s": times[0]}
    sizes = [4 * world * k for k in chunks]
    alpha, bandwidth = fit(sizes, times)
    algbw = [size / t for size, t in zip(sizes, times, strict=True)]
    busbw = [bus_factor(op, world) * rate for rate in algbw]
    probe.value("size", sizes, "bytes")
    probe.value("algbw", algbw, "bytes/s")
    probe.value("busbw", busbw, "bytes/s")
    probe.value("alpha", [] if alpha is None else alpha, "s")
    probe.value("bandwidth", [] if bandwidth is None else bandwidth, "bytes/s")
    return {"alpha_s": alpha, "bandwidth_bytes_per_s": bandwidth, "busbw_bytes_per_s": busbw[-1]}


def main() -> int:
    """Show, check and time each collective; returns exit code 1 if a rank got anything but what it should."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()
    every, wrong = brought(world).to(here), 0

    for op in OPS if args.op == "all" else (args.op,):
        give, get = buffers(op, every[rank].clone()[:, None])
        probe.value("collective", OPS.index(op))
        probe.value("before", give[:, 0].tolist())
        probe.value("after", [])
        time.sleep(args.pause_ms / 1000)
        with probe.step():
            collective(op, give, get)
        probe.value("after", get[:, 0].tolist())
        wanted = expected(op, rank, every)
        wrong += wanted is not None and not torch.equal(get[:, 0], wanted)
        time.sleep(args.pause_ms / 1000)

        found = cost(op, world, args.largest_kib, here)
        probe.result(**{f"{op}_{name}": figure for name, figure in found.items()})
        if rank == 0:
            print(f"{op:14}", *(f"{name} {figure or float('nan'):.3g} " for name, figure in found.items()))

    probe.result(wrong=wrong)
    dist.destroy_process_group()
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
