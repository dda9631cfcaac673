"""`ringtree`: parameters and key figures."""

from __future__ import annotations

import sys

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number
from runtime.catalog.specs import shown
from runtime.protocol.messages import Snapshot

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


def _unshown(values: Values, ran: Snapshot) -> str:
    """Large messages: the ring before both others. Small ones: the tree before the ring."""
    if values["algorithm"] != "all" or number(values["ranks"]) < 4:
        return ""  # up to three ranks a tree and a ring differ by little
    large, small = (
        {name: shown.result(ran, f"{name}_{size}_s") for name in ALGORITHMS} for size in ("large", "small")
    )
    found = [large["ring"], large["tree"], large["naive"], small["tree"], small["ring"]]
    if None in found:
        return ""
    ring, tree, naive, small_tree, small_ring = (time or 0.0 for time in found)
    if ring < min(tree, naive) and small_tree < small_ring:
        return ""
    told = (
        f"large messages took {shown.ms(ring)} round the ring, {shown.ms(tree)} by the tree and "
        f"{shown.ms(naive)} through rank 0, small ones {shown.ms(small_ring)} and {shown.ms(small_tree)}"
    )
    if not shown.result(ran, "paced"):
        write = (
            "link_mbit=400 gives them a rate" if sys.platform == "linux" else "only Linux can give them one"
        )
        return f"{told}. These links have no rate: bytes cost processor time here, and {write}"
    busy = shown.crowded(ran) or "the processor was busy"
    return f"{told}: {busy}, and computing hid what the links do. A lower link_mbit shows it"


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
        Param("repeats", "int", 5, "of each; the fastest counts", 1, 1_000_000, rank_arg=True),
        Param("link_mbit", "float", 400.0, "rate that each connection is held to (Linux); 0: as it is", 0,
              1_000_000, rank_arg=True),
    ),
    # Each size is summed once and checked, then timed.
    steps=lambda values: 2 * (1 + number(values["repeats"])) * len(_chosen(values)),
    expects=_expects,
    unshown=_unshown,
    view="buffers",
    watch="large: the ring before the tree, by the bytes of one link; small: the tree, by its few starts",
    when="small messages go up and down a tree, large ones round the ring; the library chooses by size",
    stays="NCCL goes past the sockets whose rate it sets",
)  # fmt: skip
