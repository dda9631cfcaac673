"""`hsdp`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Refusal,
    Values,
    number,
    stateful,
)
from runtime.catalog.specs.slices import fully_sharded, sharded


def _no_mesh(values: Values) -> Refusal | None:
    ranks, replicas = number(values["ranks"]), number(values["replicas"])
    columns = max(2, ranks // replicas)
    if ranks == replicas * columns:
        return None
    return Refusal(
        f"ranks={ranks} makes no mesh of {replicas} rows of 2 ranks or more",
        f"write ranks={replicas * columns}",
    )


def _slices(values: Values) -> int:
    return number(values["ranks"]) // number(values["replicas"])


SPEC = DemoSpec(
    "hsdp",
    "Hybrid sharding: slices among near ranks, replicas across, on a mesh of two dimensions",
    DEMOS_DIR / "hsdp.py",
    (
        *LAUNCH_PARAMS,
        Param("replicas", "int", 2, "rows of the mesh, each a copy of the model", 2, 32, rank_arg=True),
        *stateful(),
    ),
    unfit=_no_mesh,
    expects=lambda values: sharded(values, _slices(values), reshard=True),
    memory=lambda values: fully_sharded(values, _slices(values), reshard=True),
    watch="slices travel inside a row of the mesh, only gradients of a slice across rows",
    when="sharding is needed, and the links inside a node are much faster than those across",
    gpu="own",
)
