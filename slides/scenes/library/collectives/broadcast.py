"""Broadcast: one rank's buffer to all others, one by one and by a tree side by side.

One by one rank 0 sends n - 1 times. In a tree whoever has it sends it on, so that those who have it double:
log2 n steps, rounded up (Thakur, Rabenseifner and Gropp 2005, section 3: binomial tree).
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import (
    Buffers,
    Steps,
    Transfer,
    buffers,
    chunks_sent,
    in_rows,
    picture,
)
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State

ONE_BY_ONE, TREE = 0, 1  # the columns


def one_by_one(ranks: int) -> Steps:
    """Return the steps in which rank 0 sends to each other rank."""
    return tuple((Transfer(0, ONE_BY_ONE, rank),) for rank in range(1, ranks))


def tree(ranks: int) -> Steps:
    """Return the steps in which all that have it send it on."""
    found, have = [], 1
    while have < ranks:
        found.append(tuple(Transfer(r, TREE, r + have) for r in range(have) if r + have < ranks))
        have *= 2
    return tuple(found)


def both(ranks: int) -> Steps:
    """Return the steps of both at once."""
    slow, quick = one_by_one(ranks), tree(ranks)
    return tuple((*step, *(quick[n] if n < len(quick) else ())) for n, step in enumerate(slow))


def start(ranks: int) -> Buffers:
    """Return who has it at first: rank 0."""
    empty: frozenset[int] = frozenset()
    return tuple((frozenset({0}),) * 2 if rank == 0 else (empty,) * 2 for rank in range(ranks))


def state(step: int, values: Values) -> State:
    """Return both after `step` steps."""
    ranks = int(values["ranks"])
    steps = both(ranks)
    shapes = picture(start(ranks), steps, step, heads=("one by one", "by a tree"), share="", whole=1)
    held = buffers(start(ranks), steps)[step]
    if step == 0:
        needed = "Rank 0 has S bytes that all others need: new parameters, a seed, the data."
        return in_rows(ranks, shapes, "Rank 0 has it, the others do not", needed)
    have = [sum(bool(row[column]) for row in held) for column in (ONE_BY_ONE, TREE)]
    told = f"One by one {have[0]} of {ranks} ranks have it, by the tree {have[1]}."
    return in_rows(ranks, shapes, f"Step {step}", f"{told} {_words(ranks, step, steps)}")


def _words(ranks: int, step: int, steps: Steps) -> str:
    last = len(tree(ranks))
    if step < last:
        return "In the tree whoever has it sends it on."
    if step == last:
        return f"Those who have it doubled in each step: {last} steps for all."
    if step < len(steps):
        return "Rank 0 is still sending."
    sent = chunks_sent(tuple(tuple(t for t in s if t.chunk == TREE) for s in steps), len(steps), 0)
    return f"{len(steps)} steps against {last}; rank 0 sent {len(steps)} S against {sent} S."


SCENE = Scene(
    "broadcast",
    "broadcast: one by one beside a tree",
    steps=lambda values: int(values["ranks"]),
    state=state,
    params=(Param("ranks", 4, "ranks", 3, 8),),
)
