"""`context`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Refusal, Values, number
from runtime.catalog.specs import shown
from runtime.protocol.messages import Snapshot

UNEVEN = 0.25  # of the least: so much more may a rank take for the same pairs


def _uneven(values: Values) -> Refusal | None:
    seq, chunks = number(values["seq"]), 2 * number(values["ranks"])
    if seq % chunks == 0:
        return None
    return Refusal(
        f"{seq} tokens do not fall into {chunks} equal chunks", f"write seq={-(-seq // chunks) * chunks}"
    )


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """A rank's two chunks against those before them: in zigzag 2n+1 pairs on every rank, in plain order from
    3 on the first to 4n-1 on the last. Keys and values of its share go round n-1 times."""
    ranks, seq = number(values["ranks"]), number(values["seq"])
    share = 4 * 2 * number(values["heads"]) * (seq // ranks) * number(values["width"])
    even = 2 * ranks + 1
    return {
        "max_difference": (0.0, 1e-5),
        "gradient_difference": (0.0, 1e-4),
        "pairs": (even, even) if values["order"] == "zigzag" else (3, 4 * ranks - 1),
        "ring_bytes": ((ranks - 1) * share, (ranks - 1) * share),
    }


def _memory(values: Values) -> dict[str, int]:
    """The most that a rank has at once (`peak`), as the backward of its last pair begins: in plain order the
    last rank, which has most pairs. Not of chunks so short or heads so wide that another moment has more:
    gradients of keys and values, up to 7 C.

    C is a chunk of t = S / 2n tokens of all heads, S the scores of a pair of chunks, R a number a row. Of
    every pair the weights are kept with a number a row; two more squares are the gradient that is computed,
    masks are kept of both own chunks. Keys and values of the others stay (4 C each), as does what the online
    softmax has at its end (9 C). The rest is the check beside it: whole sequence, its gradients and what is
    left of the step before, (22 n + 31) C + 3 R.
    """
    ranks, heads, width = (number(values[name]) for name in ("ranks", "heads", "width"))
    tokens = number(values["seq"]) // (2 * ranks)
    pairs = 2 * ranks + 1 if values["order"] == "zigzag" else 4 * ranks - 1
    chunk, scores, rows = (4 * heads * tokens * wide for wide in (width, tokens, 1))
    if 2 * scores < 7 * chunk:
        return {}
    checked = (22 * ranks + 31) * chunk + 3 * rows
    ring = 4 * (ranks - 1) * chunk + 9 * chunk
    return {"peak": checked + ring + (pairs + 2) * scores + pairs * rows + 2 * tokens**2}


def _unshown(values: Values, ran: Snapshot) -> str:
    """With plain order the last rank computes longest and waits least, with zigzag all compute alike."""
    took, pairs = shown.computed_s(ran), shown.results(ran, "pairs")
    waited = [row.wait for row in ran.rows if row.wait is not None]
    if took is None or len(took) < 2 or len(pairs) < len(took) or len(waited) < len(took):
        return ""
    plain = values["order"] == "plain"
    as_asked = (
        max(took) == took[-1] and waited[-1] <= min(waited[:-1])
        if plain
        else max(took) <= (1 + UNEVEN) * min(took)
    )
    if as_asked:
        return ""
    work = "rank by rank more work" if plain else "the same work for each"
    busy = shown.crowded(ran) or "the processor was busy"
    return (
        f"for {work} ({', '.join(f'{n:g}' for n in pairs)} pairs) the ranks computed {shown.listed(took)} "
        f"in a step and waited {shown.listed(waited)}: {busy}, and a longer seq has more computing in it"
    )


SPEC = DemoSpec(
    "context",
    "Context parallelism: one sequence on all ranks, keys and values round a ring",
    DEMOS_DIR / "context.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 50, "sequences", 1, 1_000_000, rank_arg=True),
        Param("seq", "int", 1024, "tokens of the whole sequence", 2, 1 << 16, rank_arg=True),
        Param("heads", "int", 4, "attention heads", 1, 64, rank_arg=True),
        Param("width", "int", 32, "width of a head", 1, 512, rank_arg=True),
        Param("order", "choice", "zigzag", "which chunks a rank has", choices=("plain", "zigzag"),
              rank_arg=True),
        Param("seed", "int", 0, "seed of the sequences", 0, 2**31 - 1, rank_arg=True),
    ),
    unfit=_uneven,
    expects=_expects,
    unshown=_unshown,
    memory=_memory,
    view="timeline",
    watch="with order=plain the last rank computes longest and the others wait; zigzag evens it out",
    when="one sequence is too long for one rank: attention of very long contexts",
    gpu="own",
)  # fmt: skip
