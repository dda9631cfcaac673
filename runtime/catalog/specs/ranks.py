"""`ranks`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Refusal, Values, number


def _unfit(values: Values) -> Refusal | None:
    ranks, nodes = number(values["ranks"]), number(values["nodes"])
    if ranks % nodes:
        return Refusal(f"{ranks} ranks are not the same on {nodes} nodes", f"write ranks={2 * nodes}")
    if nodes > 1 and values["launcher"] == "torchrun":
        return Refusal("torchrun is started for one node here", "write launcher=stage, or nodes=1")
    return None


SPEC = DemoSpec(
    "ranks",
    "Who is who: node, local and global rank of every process, and how it knows",
    DEMOS_DIR / "ranks.py",
    (
        *LAUNCH_PARAMS,
        Param("nodes", "int", 1, "machines that the ranks are dealt to, all played on this one", 1, 16),
        Param("steps", "int", 10, "roll calls", 1, 1_000_000, rank_arg=True),
        Param("pause_ms", "float", 500.0, "time to look, after each of them", 0, 10_000, rank_arg=True),
    ),
    steps=lambda values: number(values["steps"]),
    unfit=_unfit,
    expects=lambda values: {"consistent": (1, 1), "nodes": (number(values["nodes"]),) * 2},
    view="buffers",
    watch="LOCAL_RANK begins at 0 on every node, RANK does not: one picks the device, the other the data",
)
