"""Tree all-reduce: sums go up a binary tree to rank 0 and down again, 2 log2 n steps of the whole buffer.

In step k of the way up rank r + 2^k sends all it has to rank r, for every r that is a multiple of 2^(k+1);
the way down is the same backwards (recursive halving over ranks; Thakur, Rabenseifner and Gropp 2005, section
3). Few starts, but the whole buffer each time, and most ranks wait.
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import Steps, Transfer, chunks_sent, in_rows, own, picture
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State


def up(ranks: int) -> Steps:
    """Return the steps after which rank 0 has the sum of all."""
    found, hop = [], 1
    while hop < ranks:
        found.append(tuple(Transfer(r + hop, 0, r, True) for r in range(0, ranks - hop, 2 * hop)))
        hop *= 2
    return tuple(found)


def down(ranks: int) -> Steps:
    """Return the steps that bring it back to all."""
    return tuple(tuple(Transfer(t.target, 0, t.source) for t in step) for step in reversed(up(ranks)))


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` steps."""
    ranks = int(values["ranks"])
    steps = (*up(ranks), *down(ranks))
    shapes = picture(own(ranks, 1), steps, step, heads=("the buffer, S bytes",))
    lead, caption = _words(ranks, step, steps)
    return in_rows(ranks, shapes, lead, caption)


def _words(ranks: int, step: int, steps: Steps) -> tuple[str, str]:
    half = len(steps) // 2
    if step == 0:
        return (
            "Gradients below a tree",
            f"Every rank holds its own gradients. The tree takes {len(steps)} steps: {half} up, {half} down.",
        )
    sent = steps[step - 1]
    told = ", ".join(f"rank {t.source} to rank {t.target}" for t in sent[:4]) + (
        " …" if len(sent) > 4 else ""
    )
    idle = ranks - 2 * len(sent)
    waits = f" {idle} ranks have nothing to do." if idle > 1 else ""
    if step <= half:
        top = " Rank 0 has the sum of all." if step == half else ""
        return f"Up, step {step} of {half}", f"Whole buffers go from {told}, and are added.{top or waits}"
    if step < len(steps):
        return f"Down, step {step - half} of {half}", f"The sum goes from {told}.{waits}"
    most = max(chunks_sent(steps, len(steps), rank) for rank in range(ranks))
    return f"Down, step {half} of {half}", (
        f"Now every rank has the sum: {len(steps)} starts where the ring needs {2 * (ranks - 1)}. "
        f"But rank 0 has sent {most} S, each leaf S."
    )


def _check(values: Values) -> str:
    ranks = int(values["ranks"])
    return "" if ranks & (ranks - 1) == 0 else f"the tree is drawn for 2, 4 or 8 ranks, not {ranks}"


SCENE = Scene(
    "tree",
    "tree all-reduce: up to rank 0 and down again",
    steps=lambda values: 1 + 2 * len(up(int(values["ranks"]))),
    state=state,
    params=(Param("ranks", 4, "ranks: 2, 4 or 8", 2, 8),),
    check=_check,
)
