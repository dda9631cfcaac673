"""What every rank brings to a collective, and what it must hold afterwards."""

import torch
from torch import Tensor


def brought(world: int) -> Tensor:
    """What every rank brings, [rank, chunk]: 300 is chunk 3 of rank 2, which has the hundreds.

    Above 6 ranks the decimals do not suffice, and 203 is chunk 3 of rank 2.
    """
    rank, chunk = torch.arange(world, dtype=torch.float32)[:, None], torch.arange(world)
    return 10**rank * (chunk + 1) if world <= 6 else 100 * rank + chunk


def expected(op: str, rank: int, every: Tensor) -> Tensor | None:
    """What `rank` must hold afterwards, of `every` rank's numbers; None: it may be anything."""
    nothing, total, root = every[0, :0], every.sum(0), rank == 0
    return {
        "broadcast": every[0],
        "reduce": total if root else None,
        "all_reduce": total,
        "gather": every.diag() if root else nothing,
        "scatter": every[0, rank : rank + 1],
        "all_gather": every.diag(),
        "reduce_scatter": total[rank : rank + 1],
        "all_to_all": every[:, rank],
        "barrier": nothing,
    }[op]
