"""`ranks`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, number

SPEC = DemoSpec(
    "ranks",
    "Who is who: node, local and global rank of every process, and how it knows",
    DEMOS_DIR / "ranks.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 10, "roll calls", 1, 1_000_000, rank_arg=True),
        Param("pause_ms", "float", 500.0, "time to look, after each of them", 0, 10_000, rank_arg=True),
    ),
    expects=lambda values: {"consistent": (1, 1), "nodes": (number(values["nodes"]),) * 2},
    view="buffers",
    watch="LOCAL_RANK begins at 0 on every node, RANK does not: one picks the device, the other the data",
    gpu="own",
)
