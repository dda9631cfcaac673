"""A scene of a deck as lines: what layout draws in its place, and how far it is from knowing a screen.

A picture is made by whoever knows the theme and the glyphs of the terminal; else it is one of half blocks in
the dark theme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from slides.deck import AnyBlock, Scene
from slides.drawing.cells import clip
from slides.drawing.text import Line
from slides.problems import Mistake
from slides.reading_order import blocks as walk
from slides.scenes import composition
from slides.scenes import scene_request as scenes
from slides.scenes.shapes import State

Pictures = Callable[[Scene, int, int, int], "list[Line]"]
"""The picture of a scene at (step of the scene, columns, rows)."""


def lines(
    block: Scene, step: int, width: int, rows: int, pictures: Pictures | None, *, alone: bool = False
) -> list[Line]:
    """Return `step` of a scene in `width` cells and `rows` rows, 0 where that is not known.

    `alone`: without the words under it, as a thumbnail is.

    Raises:
        ValueError: There is no such scene, or it cannot be drawn so.
        Exception: What the scene raises.
    """
    paint = pictures or picture
    if alone and rows:
        return [clip(line, width) for line in paint(block, step, width, rows)]
    wanted = of(block)
    return composition.composed(
        wanted,
        step,
        width,
        rows,
        lambda cells, tall: paint(block, step, cells, tall),
        block.inset,
        letters=True,
        kind=composition.kind_in(block.captions),
    )


def of(block: Scene) -> scenes.Asked:
    """Return the scene of a block, in the language of its deck.

    Raises:
        ValueError: There is none, or it cannot be drawn so.
    """
    found = as_made(block)
    if not block.captions or (block.body and not block.script):  # what stands in a deck is in its language
        return found
    from slides.scenes import captions

    return replace(found, captions=captions.stamped(block.captions))


def as_made(block: Scene) -> scenes.Asked:
    """Return the scene of a block in the words it was made with.

    Raises:
        ValueError: There is none, or it cannot be drawn so.
    """
    try:
        if block.script or block.body.startswith("["):
            from slides.scenes.python_files import scene_data

            return scenes.of(scene_data.scene(block.body) if block.body else scene_data.waiting(block.script))
        if block.name == "mermaid":
            from slides.scenes import mermaid

            return scenes.of(mermaid.scene(block.body, "steps" in block.params))
        if block.body:
            from slides.scenes import author_scene

            return scenes.of(author_scene.scene(block.body))
        return scenes.asked(block.name, block.params)
    except Mistake as why:
        raise ValueError(f"{why.message}. {why.mend}") from None


def in_space(blocks: Iterable[AnyBlock], step: int) -> State | None:
    """Return the state of the first scene in space that is in sight at `step` of its slide."""
    for block in walk(blocks):
        if not isinstance(block, Scene) or block.at > step:
            continue
        try:
            state = of(block).state(min(step - block.at, block.frames - 1))
        except Exception:  # a scene may be somebody's own: its box on the slide says why
            continue
        if state.camera is not None:
            return state
    return None


def picture(block: Scene, step: int, columns: int, rows: int) -> list[Line]:
    """Return the picture of a step where nobody says how."""
    from slides.palette import DARK
    from slides.scenes import painting

    return painting.lines(of(block).state(step), columns, rows, DARK, "halves")
