"""`expert`: parameters and key figures."""

from __future__ import annotations

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """No token is lost. Without skew chance alone decides; with it expert 0 has up to all of them."""
    ranks = number(values["ranks"])
    routed = ranks * number(values["tokens"]) * number(values["steps"])
    return {"max_difference": (0.0, 1e-5), "routed": (routed, routed), "fullest": (1.0, ranks)}


SPEC = DemoSpec(
    "expert",
    "Expert parallelism: tokens travel to the expert they are routed to, and back",
    DEMOS_DIR / "expert.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 100, "batches", 1, 1_000_000, rank_arg=True),
        Param("tokens", "int", 512, "tokens of a rank", 1, 1 << 16, rank_arg=True),
        Param("width", "int", 128, "model width", 1, 2048, rank_arg=True),
        Param("skew", "float", 0.0, "head start of expert 0 in the router", 0, 100, rank_arg=True),
        Param("seed", "int", 0, "seed of tokens, router and experts", 0, 2**31 - 1, rank_arg=True),
    ),
    steps=lambda values: number(values["steps"]),
    expects=_expects,
    view="timeline",
    watch="with skew=2 rank 0 computes for most tokens and all others wait; without, the work is even",
    when="more parameters for the same arithmetic: each token uses one of many experts",
)
