"""Reduce-scatter: every rank ends with the sum of one chunk. The first half of the ring all-reduce."""

from __future__ import annotations

from slides.scenes.library.collectives import ring
from slides.scenes.library.collectives.chunks import in_rows, own, picture
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` steps."""
    ranks = int(values["ranks"])
    steps = ring.scatter(ranks)
    shapes = picture(own(ranks, ranks), steps, step)
    if step == 0:
        words = (
            f"Every rank holds its own gradients of S bytes. Each is to own the sum of one {_part(ranks)}."
        )
        return in_rows(ranks, shapes, "Each is to own one sum", words)
    longest = f"The longest sum has {step + 1} of {ranks} contributions."
    if step < len(steps):
        return in_rows(
            ranks,
            shapes,
            f"Step {step} of {len(steps)}",
            f"Each rank passes a partial sum to its neighbour, which adds its own. {longest}",
        )
    words = (
        "Each rank owns one whole sum and may forget the rest: ZeRO-2 and FSDP stop here. "
        f"It sent {ranks - 1}/{ranks} S."
    )
    return in_rows(ranks, shapes, f"Step {step} of {len(steps)}", words)


def _part(ranks: int) -> str:
    return {2: "half", 4: "quarter"}.get(ranks, f"{ranks}th part" if ranks > 3 else "third")


SCENE = Scene(
    "reduce-scatter",
    "reduce-scatter: everybody owns the sum of one chunk",
    steps=lambda values: int(values["ranks"]),
    state=state,
    params=(Param("ranks", 4, "ranks", 2, ring.MOST_RANKS),),
)
