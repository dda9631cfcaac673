"""`fsdp`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Values,
    exactly,
    number,
    stateful,
)
from runtime.catalog.specs.slices import fully_sharded, gathered_at_once, sharded, shares


def _fsdp_expects(values: Values) -> dict[str, tuple[float, float]]:
    ranks, reshard = number(values["ranks"]), values["reshard"] == 1
    bound = shares(values, ranks)[0] + gathered_at_once(values, reshard, ranks)
    return sharded(values, ranks, reshard) | exactly({"upper_bound_bytes": bound})


SPEC = DemoSpec(
    "fsdp",
    "Fully sharded data parallel: slices of every parameter, a block gathered while it is used",
    DEMOS_DIR / "fsdp.py",
    (
        *LAUNCH_PARAMS,
        Param("reshard", "int", 1, "1: free a block's parameters after its forward", 0, 1, rank_arg=True),
        *stateful(),
    ),
    expects=_fsdp_expects,
    memory=lambda values: fully_sharded(values, number(values["ranks"]), values["reshard"] == 1),
    watch="what is gathered stays below its upper bound; in theory a step sends half as much again as "
    "DDP, over gloo twice as much: PyTorch makes its reduce-scatter from an all-reduce. On the CPU "
    "nothing overlaps: FSDP2 hides transfers by CUDA streams",
    when="not even the parameters fit on one rank, and the links between all ranks are fast",
    gpu="own",
)
