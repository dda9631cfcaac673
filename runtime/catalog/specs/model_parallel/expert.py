"""`expert`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number
from runtime.catalog.specs import shown
from runtime.protocol.messages import Snapshot

SKEWED = 1.2  # times the mean, that an expert is full of
FEW = 0.02  # of the choices dropped, which is not what makes a difference


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


def _memory(values: Values) -> dict[str, int]:
    """The most that a rank has at once (`peak`) where each token goes to every expert, with room: else it is
    the router that decides how many come."""
    ranks, n, capacity = number(values["ranks"]), number(values["tokens"]), values["capacity"]
    assert isinstance(capacity, int | float)
    if number(values["top_k"]) < ranks or capacity < 1:
        return {}
    return {"peak": _peak(values, ranks * n, ranks * n, ranks * n)}


def _counted(values: Values, ran: Snapshot, rank: int) -> dict[str, int]:
    """The same by the tokens that the router sent to this rank's expert."""
    counts = [ran.value(name) for name in ("tokens of this expert", "dropped")]
    own = [one.ranks[rank] if one is not None and rank < len(one.ranks) else () for one in counts]
    choices = number(values["tokens"]) * min(number(values["top_k"]), number(values["ranks"]))
    if not all(own):
        return {}
    came, dropped = (int(one[-1]) for one in own)
    return {"peak": _peak(values, came, choices, choices - dropped)}


def _peak(values: Values, came: int, choices: int, kept: int) -> int:
    """Bytes at one of two moments of backward: of the loss, or as that of the expert's second matrix begins.

    n tokens a rank, K of its choices that had room and A that came. Of the loss: A of widths 4 D twice (both
    sides of the gelu) and D (what came), K of width D twice (what came home, and that weighted), n of width D
    five times (the result, and what its square needs). Of the matrix: A of widths 4 D three times (a gradient
    too) and D twice (what is sent home too), its gradient, a result of n. Numbers of each choice. The rest
    is there all the time: own expert with gradients, everybody's with theirs for the check beside it, and
    tokens, results and gradients of this step and the first.
    """
    ranks, n, width = (number(values[name]) for name in ("ranks", "tokens", "width"))
    expert = 8 * width**2 + 5 * width
    held = (2 * ranks + 2) * expert + 5 * n * width + 3 * width * ranks
    of_loss = 9 * came * width + 2 * kept * width + 5 * n * width
    of_matrix = 14 * came * width + 4 * width**2 + n * width + width + n
    return 4 * (held + max(of_loss, of_matrix)) + choices * 48


def _unshown(values: Values, ran: Snapshot) -> str:
    """With skew expert 0 has most to do, and either it is full or the others wait for its rank."""
    took, dropped = shown.computed_s(ran), sum(shown.results(ran, "dropped"))
    waited = [row.wait for row in ran.rows if row.wait is not None]
    if not values["skew"] or took is None or len(took) < 2 or len(waited) < len(took):
        return ""
    fullest, asked = shown.result(ran, "fullest"), sum(shown.results(ran, "asked"))
    if fullest is not None and fullest < SKEWED and not dropped:
        return (
            f"skew={values['skew']} is too little for this router: the fullest expert had {fullest:.2f} "
            "times the mean, and no choice was dropped. skew=2 shows it"
        )
    if dropped > FEW * asked or (max(took) == took[0] and waited[0] <= min(waited[1:])):
        return ""
    busy = shown.crowded(ran) or "the processor was busy"
    return (
        f"rank 0 has {fullest or 0:.2f} times the mean to do, and the ranks computed {shown.listed(took)} "
        f"in a step and waited {shown.listed(waited)}: {busy}, and more tokens or width compute longer"
    )


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
    expects=_expects,
    unshown=_unshown,
    memory=_memory,
    counted=_counted,
    view="timeline",
    watch="with skew=2 expert 0 is full and choices are dropped; with capacity=4 too the others wait for it",
    when="more parameters for the same arithmetic: each token uses few of many experts",
    gpu="own",
)
