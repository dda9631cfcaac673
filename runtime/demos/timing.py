"""What a transfer costs: its time, the two numbers that time follows, what a link carries of its bytes."""

import time
from collections.abc import Callable

import torch
import torch.distributed as dist


def fastest(transfer: Callable[..., object], *arguments: object, repeats: int = 3) -> float:
    """Seconds of the rank that takes longest, in the fastest of the repeats. All begin together."""
    times = torch.empty(repeats)
    for i in range(repeats):
        dist.barrier()
        t0 = time.perf_counter()
        transfer(*arguments)
        times[i] = time.perf_counter() - t0
    dist.all_reduce(times, dist.ReduceOp.MAX)
    return times.min().item()


def fit(sizes: list[int], times: list[float]) -> tuple[float | None, float | None]:
    """alpha (seconds) and B (bytes a second) of time = alpha + size / B, by least squares.

    Of the relative errors: else only the largest size would count. None: the times do not show it, because
    all sizes are so small that only alpha counts, or so large that only B does.
    """
    size, t = torch.tensor(sizes, dtype=torch.float64), torch.tensor(times, dtype=torch.float64)
    relative = torch.stack([1 / t, size / t], dim=1)
    alpha, per_byte = torch.linalg.lstsq(relative, torch.ones_like(t)[:, None])[0].flatten().tolist()
    return alpha if alpha > 0 else None, 1 / per_byte if per_byte > 0 else None


def bus_factor(op: str, ranks: int) -> float:
    """Bytes that a link carries per byte of the whole buffer (nccl-tests, doc/PERFORMANCE.md)."""
    if op in ("broadcast", "reduce"):
        return 1.0
    return (2 if op == "all_reduce" else 1) * (ranks - 1) / ranks
