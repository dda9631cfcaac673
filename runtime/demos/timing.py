"""What a transfer costs: its time, and what a link carries of its bytes."""

from collections.abc import Callable

import torch
import torch.distributed as dist
from clock import mark, seconds
from model import CPU


def fastest(
    transfer: Callable[..., object], *arguments: object, repeats: int = 3, here: torch.device = CPU
) -> float:
    """Seconds of the rank that takes longest, in the fastest of the repeats. All begin together."""
    times = torch.empty(repeats)
    for i in range(repeats):
        dist.barrier()
        begun = mark(here)
        transfer(*arguments)
        times[i] = seconds(begun, mark(here))
    dist.all_reduce(times, dist.ReduceOp.MAX)
    return times.min().item()


def bus_factor(op: str, ranks: int) -> float:
    """Bytes that a link carries per byte of the whole buffer (nccl-tests, doc/PERFORMANCE.md)."""
    if op in ("broadcast", "reduce"):
        return 1.0
    return (2 if op == "all_reduce" else 1) * (ranks - 1) / ranks
