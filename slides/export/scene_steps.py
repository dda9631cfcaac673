"""Every step of a scene for a document: its picture as SVG, and the words that say what is to be seen."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from slides.deck import Scene
from slides.drawing.cells import clean
from slides.palette import DARK
from slides.scenes import composition, on_slide, scene_request

COLUMNS, ROWS = 104, 28  # cells of a picture


class StepShown(NamedTuple):
    """A step: its words, which step it is, its picture as SVG ("": none), and its colours by (ink, words)."""

    lead: str
    caption: str
    place: str
    picture: str
    legend: tuple[tuple[str, str], ...] = ()


def words(block: Scene) -> list[str]:
    """What each step says, in order; what cannot be drawn says why. Last, what its figures are."""
    steps = [f"{step.lead} {step.caption}".strip() or step.place for step in told(block)]
    return [*steps, composition.kind_in(block.captions)]


def told(block: Scene) -> list[StepShown]:
    """Every step without its picture; one that cannot be drawn says why."""
    return list(_steps(block, drawn=False))


def steps(block: Scene) -> Iterator[StepShown]:
    """Every step; one that cannot be drawn says why instead."""
    return _steps(block, drawn=True)


def _steps(block: Scene, drawn: bool) -> Iterator[StepShown]:
    for step in range(block.frames):
        place = composition.counted(step, block.frames, composition.kind_in(block.captions))
        try:
            state = on_slide.of(block).state(step)
            shown = _picture(block, step) if drawn else ""
        except Exception as error:  # a scene may be somebody's own: the rest of the document is good
            yield StepShown("", f"cannot be drawn: {scene_request.failure(error)}", place, "")
            continue
        legend = tuple((ink, clean(words)) for ink, words in state.legend)
        caption = state.caption or ("" if shown else state.unseen)
        yield StepShown(clean(state.lead).strip(), clean(caption).strip(), place, shown, legend)


def _picture(block: Scene, step: int) -> str:
    from slides.drawing.blocks import image

    if not image.available():  # nor is numpy, which sees what is in space
        return ""
    from slides.export.drawings import scene_svg

    state = on_slide.of(block).state(step)
    words = f"{clean(state.lead).strip()} {clean(state.caption or state.unseen).strip()}".strip()
    return scene_svg.picture(state, COLUMNS, ROWS, words) or _png(block, step, words)


def _png(block: Scene, step: int, words: str) -> str:
    """A picture with thousands of marks, as pixels."""
    from slides.export.drawings import png

    file = io.BytesIO()
    png.save(on_slide.picture(block, step, COLUMNS, ROWS), DARK, file, COLUMNS, ROWS)
    data = b64encode(file.getvalue()).decode()
    return f'<img src="data:image/png;base64,{data}" alt="{escape(words)}">'
