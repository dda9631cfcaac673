"""Data parallelism: the same parameters, other data, the mean of the gradients, the same parameters again.

One weight w is followed. Each rank's loss is that of its own samples, so gradients differ; DDP averages them
(sums them and divides by the number of ranks), which is the gradient of the mean loss over all samples if
every rank has as many.
"""

from __future__ import annotations

from statistics import fmean

from slides.scenes.library.collectives.chunks import beside, exchange
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, State

START, RATE = 1.0, 0.5
GRADIENTS = (0.8, -0.4, 1.2, 0.4, 0.2, 1.0, -0.6, 0.6)
"""Of rank 0 to 7, for the weight that is followed: any numbers would do."""

_COLUMNS = (
    ("weight", 22.0),
    ("its data", 50.0),
    ("its gradient", 78.0),
    ("mean", 108.0),
    ("new weight", 134.0),
)
_WIDE = 20.0


def updated(ranks: int) -> float:
    """Return the weight after the step: w - rate * mean of the gradients, the same on every rank."""
    return START - RATE * fmean(GRADIENTS[:ranks])


def state(step: int, values: Values) -> State:
    """Return all ranks after `step` of the four things that happen."""
    ranks = int(values["ranks"])
    row = 52.0 / ranks
    high = min(row * 0.65, 7.0)
    mean = fmean(GRADIENTS[:ranks])
    shapes: list[AnyShape] = []
    for n, (name, left) in enumerate(_COLUMNS):
        if n <= step or n == 0:
            shapes.append(Label(id=f"head{n}", at=(left + _WIDE / 2, 3), text=name, ink="dim"))
    for rank in range(ranks):
        top = 8.0 + rank * row
        shapes.append(beside(f"name{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (18.0, high)))
        texts = (
            f"w = {START:.2f}",
            f"samples {rank}",
            f"{GRADIENTS[rank]:+.2f}",
            f"{mean:+.2f}",
            f"w = {updated(ranks):.2f}",
        )
        inks = ("params", "dim", "grads", "grads", "params")
        for n, (text, ink) in enumerate(zip(texts, inks, strict=True)):
            if n > step:
                continue
            source = {3: f"cell{(rank + 1) % ranks}.2", 4: f"cell{rank}.3"}.get(
                n, f"cell{rank}.{n - 1}" if n else ""
            )
            shapes.append(
                Box(
                    id=f"cell{rank}.{n}",
                    at=(_COLUMNS[n][1], top),
                    size=(_WIDE, high),
                    ink=ink,
                    text=text,
                    short=text.removeprefix("w = ").removeprefix("samples "),
                    comes_from=source,
                    glow=0.6 * (n == step),
                )
            )
    if step == 3:
        shapes += exchange(
            "mean", _COLUMNS[2][1] + _WIDE, _COLUMNS[3][1], [8.0 + r * row + high / 2 for r in range(ranks)]
        )
    lead, caption = _words(step, ranks, mean)
    return State(tuple(shapes), lead, caption, apart=row)


def _words(step: int, ranks: int, mean: float) -> tuple[str, str]:
    return (
        ("The same model", f"{ranks} ranks start from the same weights: DDP has sent rank 0's to all."),
        ("Other data", "Each rank reads samples of its own. That is all that makes them differ."),
        (
            "Other gradients",
            "Forward and backward, each alone. Stepping now would make four different models.",
        ),
        (
            "All-reduce",
            f"The sum of all, divided by {ranks}: every rank has the mean, {mean:+.2f}. None was master.",
        ),
        (
            "The same model again",
            f"Each rank takes the same step, w - {RATE:g} x {mean:.2f}. No weight is sent: all are equal.",
        ),
    )[step]


SCENE = Scene(
    "ddp",
    "data parallelism: one weight on every rank through a step",
    steps=lambda values: len(_COLUMNS),
    state=state,
    params=(Param("ranks", 4, "ranks", 2, 8),),
)
