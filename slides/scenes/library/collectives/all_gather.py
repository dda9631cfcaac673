"""All-gather: every rank's chunk to all ranks, once round the ring in n - 1 steps of S/n bytes."""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import Buffers, Steps, Transfer, in_rows, picture
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State


def steps_of(ranks: int) -> Steps:
    """Return the steps: each rank passes on what it got in the step before, at first its own chunk."""
    return tuple(
        tuple(Transfer(r, (r - k) % ranks, (r + 1) % ranks) for r in range(ranks)) for k in range(ranks - 1)
    )


def start(ranks: int) -> Buffers:
    """Return what is there at first: chunk r on rank r alone."""
    return tuple(
        tuple(frozenset({rank} if rank == chunk else ()) for chunk in range(ranks)) for rank in range(ranks)
    )


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` steps."""
    ranks = int(values["ranks"])
    steps = steps_of(ranks)
    shapes = picture(start(ranks), steps, step, whole=1)
    name = f"Step {step} of {len(steps)}"
    if step == 0:
        words = "Every rank has one chunk: its shard of a block's parameters. All of them need all."
        return in_rows(ranks, shapes, "A shard on each rank", words)
    if step < len(steps):
        words = f"Each rank passes on what it got last. Everybody has {step + 1} of {ranks} chunks."
        return in_rows(ranks, shapes, name, words)
    words = (
        f"Everybody has everything. Each rank sent {ranks - 1} chunks of S/{ranks}: {ranks - 1}/{ranks} S."
    )
    return in_rows(ranks, shapes, name, words)


SCENE = Scene(
    "all-gather",
    "all-gather: every chunk to everybody",
    steps=lambda values: int(values["ranks"]),
    state=state,
    params=(Param("ranks", 4, "ranks", 2, 8),),
)
