"""Every step of a scene for a document: its picture as a PNG, and the words that say what is to be seen."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterator
from typing import NamedTuple

from slides.deck import Scene
from slides.drawing.cells import clean
from slides.palette import DARK
from slides.scenes import asked, on_slide

COLUMNS, ROWS = 104, 28  # cells of a picture


class StepShown(NamedTuple):
    """A step: its words, which step it is, and its picture as a `data:` address ("": none)."""

    lead: str
    caption: str
    place: str
    picture: str


def words(block: Scene) -> list[str]:
    """What each step says, in order; what cannot be drawn says why."""
    return [f"{step.lead} {step.caption}".strip() or step.place for step in told(block)]


def told(block: Scene) -> list[StepShown]:
    """Every step without its picture; one that cannot be drawn says why."""
    return list(_steps(block, drawn=False))


def steps(block: Scene) -> Iterator[StepShown]:
    """Every step; one that cannot be drawn says why instead."""
    return _steps(block, drawn=True)


def _steps(block: Scene, drawn: bool) -> Iterator[StepShown]:
    for step in range(block.frames):
        place = f"step {step + 1} of {block.frames}"
        try:
            state = on_slide.of(block).state(step)
            shown = _png(block, step) if drawn else ""
        except Exception as error:  # a scene may be somebody's own: the rest of the document is good
            yield StepShown("", f"cannot be drawn: {asked.failure(error)}", place, "")
            continue
        yield StepShown(clean(state.lead).strip(), clean(state.caption).strip(), place, shown)


def _png(block: Scene, step: int) -> str:
    from slides.drawing.blocks import image

    if not image.available():
        return ""
    from slides.export import png

    file = io.BytesIO()
    png.save(on_slide.picture(block, step, COLUMNS, ROWS), DARK, file, COLUMNS, ROWS)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
