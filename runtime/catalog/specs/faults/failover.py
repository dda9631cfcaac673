"""`failover`: parameters and key figures."""

from __future__ import annotations

from dataclasses import replace

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Refusal,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs.data_parallel.replicated import replica
from runtime.catalog.specs.sizes import replicated


def _unfit(values: Values) -> Refusal | None:
    rank, ranks = number(values["kill_rank"]), number(values["ranks"])
    if rank < ranks:
        return None
    return Refusal(f"kill_rank={rank} is none of the ranks 0 to {ranks - 1}", f"write kill_rank={ranks - 1}")


SPEC = DemoSpec(
    "failover",
    "Failover: a rank is killed, all start again and go on from the last checkpoint",
    DEMOS_DIR / "failover.py",
    (
        *(replace(param, default=1) if param.name == "restarts" else param for param in LAUNCH_PARAMS),
        *training(steps=100, layers=2),
        Param("every", "int", 5, "steps between two checkpoints", 1, 1_000_000, rank_arg=True),
        Param("kill_rank", "int", 1, "the rank that kills itself, once (-1: none)", -1, 63, rank_arg=True),
        Param("kill_at", "int", 13, "before which step", 0, 1_000_000, rank_arg=True),
    ),
    unfit=_unfit,
    expects=lambda values: exactly(replica(values)),
    memory=lambda values: replicated(values),
    resumes=True,
    view="loss",
    watch="The loss goes on where the checkpoint was written: the steps between are done a second time.",
    when="always, where a run is longer than its machines are likely to hold",
    gpu="own",
)
