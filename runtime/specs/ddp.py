"""`ddp`: parameters and key figures."""

from __future__ import annotations

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, number, training

SPEC = DemoSpec(
    "ddp",
    "Distributed data parallel: one small transformer, a replica per rank",
    DEMOS_DIR / "ddp.py",
    (
        *LAUNCH_PARAMS,
        *training(steps=200, layers=2),
        Param("bucket_mb", "float", 25.0, "size of a gradient bucket in MiB", 0.001, 1024, rank_arg=True),
        Param("slow_rank", "int", -1, "rank to slow down (-1: none)", -1, 63, rank_arg=True),
        Param("slow_ms", "float", 0.0, "by how many milliseconds a step", 0, 10_000, rank_arg=True),
    ),
    steps=lambda values: number(values["steps"]),
)
