"""`collectives`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number

# In the order in which `op=all` runs them; a script says which one it shows by its place here.
OPS = (
    "broadcast", "reduce", "all_reduce", "gather", "scatter", "all_gather", "reduce_scatter", "all_to_all",
    "barrier",
)  # fmt: skip


def _steps(values: Values) -> int:
    """Each is done once to be looked at, then once for every size; a barrier has no size."""
    sizes = sum(4**i <= number(values["largest_kib"]) for i in range(10))
    chosen = OPS if values["op"] == "all" else (str(values["op"]),)
    return sum(2 if op == "barrier" else 1 + sizes for op in chosen)


SPEC = DemoSpec(
    "collectives",
    "The collectives: what every rank holds before and after, and what each costs by its size",
    DEMOS_DIR / "collectives.py",
    (
        *LAUNCH_PARAMS,
        Param("op", "choice", "all", "the collective", choices=(*OPS, "all"), rank_arg=True),
        Param("largest_kib", "int", 16384, "sizes from 1 KiB to this are timed", 4, 1 << 18, rank_arg=True),
        Param("pause_ms", "float", 1000.0, "time to look, before and after each", 0, 60_000, rank_arg=True),
    ),
    steps=_steps,
    expects=lambda values: {"wrong": (0, 0)},
    view="buffers",
    watch="which ranks hold what before and after; then that 1 KiB and 16 KiB take the same time",
    when="every strategy is made of these: which of them, how large and how often is what it costs",
    gpu="own",
)
