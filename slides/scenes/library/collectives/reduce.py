"""Reduce: the sum of all ranks' buffers on one of them. The way up of the tree all-reduce."""

from __future__ import annotations

from slides.scenes.library.collectives import tree
from slides.scenes.library.collectives.chunks import in_rows, own, picture
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` steps."""
    ranks = int(values["ranks"])
    steps = tree.up(ranks)
    shapes = picture(own(ranks, 1), steps, step, heads=("the buffer, S bytes",))
    if step == 0:
        wanted = "Every rank has numbers, and rank 0 wants their sum: a loss to print, say."
        return in_rows(ranks, shapes, "Numbers on every rank", wanted)
    senders = len(steps[step - 1])
    name = f"Step {step} of {len(steps)}"
    if step < len(steps):
        words = f"{senders} ranks send all that they have to another one, and are through with it."
        if senders == 1:
            words = "One rank sends all that it has to another one, and is through with it."
        return in_rows(ranks, shapes, name, words)
    words = f"Rank 0 has the sum after {len(steps)} steps, not {ranks - 1}. Nobody else has it."
    return in_rows(ranks, shapes, name, words)


SCENE = Scene(
    "reduce",
    "reduce: the sum of all on one rank",
    steps=lambda values: 1 + len(tree.up(int(values["ranks"]))),
    state=state,
    params=(Param("ranks", 4, "ranks", 3, 8),),
)
