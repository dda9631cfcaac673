"""All-to-all: each rank has something for each other rank. Tokens go to their experts and back like this.

In step k rank r sends its chunk for rank r + k (mod n), so that nobody gets two at once (pairwise exchange;
Thakur, Rabenseifner and Gropp 2005, section 4).
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import LEFT, RIGHT, beside
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, State

_HEAD = 8.5


def places(ranks: int, step: int) -> dict[tuple[int, int], int]:
    """Return the rank that has the chunk of (source, target) after `step` steps."""
    return {
        (source, target): target if (target - source) % ranks <= step else source
        for source in range(ranks)
        for target in range(ranks)
    }


def state(step: int, values: Values) -> State:
    """Return where everything is after `step` steps."""
    ranks = int(values["ranks"])
    pitch, row = (RIGHT - LEFT) / (2 * ranks + 1), (60.0 - _HEAD) / ranks
    high = min(row * 0.62, 7.0)
    half = pitch * (ranks + 1)
    shapes: list[AnyShape] = [
        Label(id="out", at=(LEFT + pitch * ranks / 2, 3), text="to send", ink="dim"),
        Label(id="in", at=(LEFT + half + pitch * ranks / 2, 3), text="received", ink="dim"),
    ]
    for rank in range(ranks):
        top = _HEAD + rank * row
        shapes.append(beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (LEFT - 3, high)))
        for other in range(ranks):
            for side, name in ((0.0, "from"), (half, "into")):
                at, size = (LEFT + side + other * pitch, top), (pitch * 0.9, high)
                shapes.append(
                    Box(id=f"{name}{rank}.{other}", at=at, size=size, ink="panel", layer=-1, whole=True)
                )
    for (source, target), where in places(ranks, step).items():
        there = where == target
        left = LEFT + half + source * pitch if there else LEFT + target * pitch
        shapes.append(
            Box(
                id=f"chunk{source}to{target}",
                at=(left, _HEAD + where * row),
                size=(pitch * 0.9, high),
                ink=f"rank{source % 8}",
                text=f"{source}→{target}",
                short=str(target),
                glow=0.6 * ((target - source) % ranks == step > 0),
            )
        )
    lead, caption = _words(ranks, step)
    return State(tuple(shapes), lead, caption, apart=row, across=pitch)


def _words(ranks: int, step: int) -> tuple[str, str]:
    if step == 0:
        return (
            "A chunk for everybody",
            f"Each rank has {ranks} chunks, one for each rank; its own it need not send.",
        )
    told = f"Rank r sends the chunk for rank r + {step}: everybody sends one and gets one."
    if step < ranks - 1:
        return f"Step {step} of {ranks - 1}", told
    return (
        f"Step {step} of {ranks - 1}",
        f"Rows have become columns. Each rank has sent {ranks - 1}/{ranks} S, and nothing was added.",
    )


SCENE = Scene(
    "all-to-all",
    "all-to-all: something from everybody for everybody",
    steps=lambda values: int(values["ranks"]),
    state=state,
    params=(Param("ranks", 4, "ranks", 2, 8),),
)
