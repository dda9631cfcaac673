"""`expert`: parameters and key figures."""

from __future__ import annotations

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """What is not routed was dropped, and no expert has more than its room."""
    ranks, k = number(values["ranks"]), min(number(values["top_k"]), number(values["ranks"]))
    asked = k * number(values["tokens"]) * number(values["steps"])
    return {
        "max_difference": (0.0, 1e-5),
        "gradient_difference": (0.0, 1e-5),
        "asked": (asked, asked),
        "dropped": (0, asked),
        "routed": (0, ranks * asked),
        "fullest": (1.0, ranks),
    }


SPEC = DemoSpec(
    "expert",
    "Expert parallelism: tokens travel to the expert they are routed to, and back",
    DEMOS_DIR / "expert.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 100, "batches", 1, 1_000_000, rank_arg=True),
        Param("tokens", "int", 512, "tokens of a rank", 1, 1 << 16, rank_arg=True),
        Param("width", "int", 128, "model width", 1, 2048, rank_arg=True),
        Param("top_k", "int", 2, "experts of a token", 1, 8, rank_arg=True),
        Param(
            "capacity",
            "float",
            1.25,
            "room of an expert, in fair shares of the choices",
            0.01,
            64,
            rank_arg=True,
        ),
        Param("skew", "float", 0.0, "head start of expert 0 in the router", 0, 100, rank_arg=True),
        Param("seed", "int", 0, "seed of tokens, router and experts", 0, 2**31 - 1, rank_arg=True),
    ),
    steps=lambda values: number(values["steps"]),
    expects=_expects,
    view="timeline",
    watch="with skew=2 expert 0 is full and choices are dropped; with capacity=4 too the others wait for it",
    when="more parameters for the same arithmetic: each token uses few of many experts",
)
