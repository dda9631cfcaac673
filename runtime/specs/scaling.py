"""`scaling`: parameters and key figures."""

from __future__ import annotations

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Refusal, Values, number


def _unfit(values: Values) -> Refusal | None:
    ranks, batch = number(values["ranks"]), number(values["batch"])
    if ranks & (ranks - 1):
        return Refusal(f"{ranks} ranks are not 1, 2, 4, ...", f"write ranks={1 << (ranks.bit_length() - 1)}")
    if batch % ranks:
        return Refusal(f"{ranks} ranks cannot share batch={batch} evenly", f"write batch={ranks}")
    return None


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """With a pad nothing is faster than n times; how much slower is the machine's to say."""
    ranks, padded = number(values["ranks"]), values["pad_ms"] != 0
    expected: dict[str, tuple[float, float]] = {"loss_difference": (0, 1e-3), "ranks": (ranks, ranks)}
    if padded:
        expected |= dict.fromkeys(("strong_speedup", "weak_speedup"), (0.0, 1.5 * ranks))
    return expected


SPEC = DemoSpec(
    "scaling",
    "Strong and weak scaling: 1, 2, 4 ranks measured in turn, speed-up and efficiency",
    DEMOS_DIR / "scaling.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 10, "of every measurement", 2, 100_000, rank_arg=True),
        Param("batch", "int", 16, "sequences a step; strong: of all, weak: of each", 1, 1024, rank_arg=True),
        Param("pad_ms", "float", 100.0, "sleep in the forward of a whole batch", 0, 10_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
    ),
    # Of one rank, then strong and weak with 2, 4, ... ranks.
    steps=lambda values: number(values["steps"]) * (2 * number(values["ranks"]).bit_length() - 1),
    unfit=_unfit,
    expects=_expects,
    view="buffers",
    watch="speed-up falls behind the number of ranks: what is lost is exposed and waited for",
)  # fmt: skip
