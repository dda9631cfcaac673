"""`ringtree`: parameters and key figures."""

from __future__ import annotations

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number

ALGORITHMS = ("naive", "tree", "ring", "library")


def _chosen(values: Values) -> tuple[str, ...]:
    return ALGORITHMS if values["algorithm"] == "all" else (str(values["algorithm"]),)


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """Bytes a rank sends of a buffer S: 2(n-1)/n S around the ring, to a number; S or nothing up the tree and
    up to log2(n) S down; S to rank 0, and from there (n-1) S."""
    ranks, size = number(values["ranks"]), 1024 * number(values["large_kib"])
    fair, chunk = 2 * (ranks - 1) / ranks * size, 4 * 2 * ranks
    most = {
        "naive": (size if ranks > 1 else 0, (ranks - 1) * size),
        "tree": (size if ranks > 1 else 0, (ranks - 1).bit_length() * size),
        "ring": (fair - chunk, fair + chunk),
    }
    sent = {f"{name}_sent_bytes": most[name] for name in _chosen(values) if name != "library"}
    return {"wrong": (0, 0), **sent}


SPEC = DemoSpec(
    "ringtree",
    "All-reduce by hand: naive, tree and ring against the library, small message and large",
    DEMOS_DIR / "ringtree.py",
    (
        *LAUNCH_PARAMS,
        Param("algorithm", "choice", "all", "how the sum is formed", choices=(*ALGORITHMS, "all"),
              rank_arg=True),
        Param("small_kib", "int", 4, "size of the small message", 1, 1 << 18, rank_arg=True),
        Param("large_kib", "int", 4096, "size of the large message", 1, 1 << 18, rank_arg=True),
        Param("repeats", "int", 5, "of each; the fastest counts", 1, 1000, rank_arg=True),
    ),
    # Each size is summed once and checked, then timed.
    steps=lambda values: 4 * len(_chosen(values)),
    expects=_expects,
    view="buffers",
    watch="the bytes that rank 0 sends: n-1 buffers, log2(n) buffers, two; on slow links they are the time",
    when="small messages go up and down a tree, large ones round the ring; the library chooses by size",
)  # fmt: skip
