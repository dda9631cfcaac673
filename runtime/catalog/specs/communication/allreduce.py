"""`allreduce`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, number

SPEC = DemoSpec(
    "allreduce",
    "Ring all-reduce by hand: every transfer, and what every rank holds after it",
    DEMOS_DIR / "allreduce.py",
    (
        *LAUNCH_PARAMS,
        Param("rounds", "int", 10, "all-reduces, each on new numbers", 1, 100_000, rank_arg=True),
        Param("size", "int", 1, "numbers in a chunk; the first is shown", 1, 1 << 22, rank_arg=True),
        Param("pause_ms", "float", 500.0, "time to look, after each transfer", 0, 10_000, rank_arg=True),
    ),
    # The transfers of a round, and the all-reduce that checks it.
    steps=lambda values: number(values["rounds"]) * (2 * (number(values["ranks"]) - 1) + 1),
    view="buffers",
    watch="each transfer adds a chunk, then the sums go round: 2(n-1) transfers of 1/n",
    gpu="own",
)
