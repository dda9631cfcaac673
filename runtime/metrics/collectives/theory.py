"""The least bytes collectives have to send, by kind and size of group, and why a library sends more.

`least` is what a rank sends on average with an algorithm that moves the fewest bytes. S is the whole buffer
as nccl-tests count it (`runtime.ranks.hooks.collective_hooks.whole_bytes`), n the ranks of the group:

    all-reduce                  2(n-1)/n S      ring (Patarasuk and Yuan 2009)
    all-gather, reduce-scatter   (n-1)/n S      each half of it
    all-to-all                   (n-1)/n S      all but its own part, where parts are equal
    broadcast, reduce            (n-1)/n S      n-1 ranks have to get, or to give, all of it
    gather, scatter              (n-1)/n² S     n-1 parts of S/n travel once
    send                                 S      receiving sends nothing

The bounds and the algorithms that reach them: Chan, Heimlich, Purkayastha and van de Geijn, "Collective
communication: theory, practice, and experience" (2007). A mean is no bound for a single rank: a leaf of a
tree sends less, its root more.
"""

from __future__ import annotations

from collections.abc import Iterable

_PARTS = ("all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce")


def least(op: str, size: int, members: int) -> float | None:
    """Return the bytes that a rank of `members` sends on average in a collective of `size` bytes; None: not
    known for this kind."""
    n = members
    if op == "send":
        return float(size)
    if n < 2 or op in ("receive", "barrier"):
        return 0.0
    if op == "all-reduce":
        return 2 * (n - 1) / n * size
    if op in ("gather", "scatter"):
        return (n - 1) / n**2 * size
    return (n - 1) / n * size if op in _PARTS else None


# Counted with the kernel's own counters, torch 2.13, 4 ranks: reduce-scatter 1.50 S (0.75 by theory), reduce
# 0.94 S (0.75); all others by theory. The first is what pytorch's PR 149869 says of it.
_GLOO = {
    "reduce-scatter": "over gloo a reduce-scatter is an all-reduce inside: it sends twice the theory",
    "reduce": "gloo's reduce adds up in a ring and gathers: it sends a part more than theory",
}


UNEQUAL = "theory takes all parts of an all-to-all as equal; they are not here"


def costs(backend: str, ops: Iterable[str]) -> tuple[str, ...]:
    """Return why the wire carries more than `least`, as far as that is known of the library."""
    called = set(ops)
    return tuple(said for op, said in _GLOO.items() if backend == "gloo" and op in called)
