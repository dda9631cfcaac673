"""A state of a scene as lines of cells, or as pixels. The only code of scenes that knows a size.

`plane.py` (in the cells that `grid.py` gives its boxes) and `projection.py` make marks and words of a state,
`raster.py` pixels of marks, `cell_fitting.py` cells of pixels, `words_in_cells.py` writes over them, and
`characters.py` does it all where there are no colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from slides.drawing.large import letters
from slides.drawing.text import Line
from slides.palette import Palette
from slides.scenes.painting import colours, plane
from slides.scenes.painting.cell_fitting import PIXELS, Surface, fit
from slides.scenes.painting.strokes import XY, Mark
from slides.scenes.painting.word_over_picture import Word
from slides.scenes.painting.words_in_cells import Kind, Written
from slides.scenes.shapes import State

if TYPE_CHECKING:
    from PIL import Image

    from slides.scenes.painting.picture import Picture

_LEAST_IN_CHARACTERS = 0.6  # rows of half a character there are not
__all__ = ["Surface", "lines", "marks_of", "rows_of", "written"]


def lines(state: State, columns: int, rows: int, palette: Palette, surface: Surface = "halves") -> list[Line]:
    """Return the picture of `state` as exactly `rows` lines of `columns` cells; none where there is no room.

    In a theme without colours it is drawn in characters, whatever `surface` says.
    """
    if columns < 1 or rows < 1:
        return [()] * max(rows, 0)
    if not palette.colours or surface == "characters":
        from slides.scenes.painting import characters

        flat = state.plan or state
        marks, words = marks_of(flat, columns, rows, _LEAST_IN_CHARACTERS)
        return characters.lines(marks, written(marks, words, columns, rows, flat), palette)
    return _picture(state, columns, rows, palette, surface).lines()


def rows_of(
    state: State, columns: int, rows: int, palette: Palette, surface: Surface = "halves"
) -> list[Line]:
    """Return the same, each row an array as long as it can be: for a picture that is gone in a moment."""
    if columns < 1 or rows < 1 or not palette.colours or surface == "characters":
        return lines(state, columns, rows, palette, surface)
    return _picture(state, columns, rows, palette, surface).rows()


def _picture(state: State, columns: int, rows: int, palette: Palette, surface: Surface) -> Picture:
    marks, words = marks_of(state, columns, rows)
    across, down = PIXELS[surface]
    picture = _image(state, marks, columns * across, rows * down, palette, (across, down))
    blend = state.camera is not None
    cells = fit(picture, columns, rows, surface, colours.rgb(palette, "background"), blend=blend)
    from slides.scenes.painting.picture import picture as joined

    return joined(cells, written(marks, words, columns, rows, state), palette, surface)


def written(
    marks: Iterable[Mark], words: list[Word], columns: int, rows: int, state: State, *, lines: bool = True
) -> Written:
    """Return the cells of text that lie over the picture of a state; without `lines` thin ones are only in
    the way of letters, because they are painted."""
    text = Written(columns, rows)
    if state.steps is None or state.camera is not None:
        text.add(marks, words, size=text.size(words))
    else:
        size, small = _letters(state.steps, columns, rows)
        text.add(marks, words, size=size, small=small)
    if not lines:
        text.without_lines()
    return text


@lru_cache(64)
def _letters(
    steps: Callable[[], tuple[State, ...]], columns: int, rows: int
) -> tuple[letters.Size | None, frozenset[Kind]]:
    """How large words in boxes are, and which others are not in letters: the same in each step of a scene."""
    text = Written(columns, rows)
    if not text.large:
        return None, frozenset()
    drawn = [marks_of(state, columns, rows) for state in steps()]
    every = [word for _, words in drawn for word in words]
    size = text.size(every)
    if size is None and any(word.within is not None and word.frame is None for word in every):
        # What stands beside boxes is not larger than what they say.
        return None, frozenset((word.ink, word.bold) for word in every)
    small: frozenset[Kind] = frozenset()
    while True:  # what has no room in one step takes what stands in line with it along in another
        found = set(small)
        for marks, words in drawn:
            one = Written(columns, rows)
            one.add(marks, words, size=size, small=small)
            found |= one.small
        if found == small:
            return size, small
        small = _at_one_place(every, found)


def _at_one_place(words: Iterable[Word], small: set[Kind]) -> frozenset[Kind]:
    """Return `small` with the other inks that words of these kinds have in other steps."""
    places: dict[XY, set[Kind]] = {}
    for word in words:
        if word.within is None and word.frame is None:
            places.setdefault(word.place, set()).add((word.ink, word.bold))
    found = set(small)
    while more := {kind for kinds in places.values() if kinds & found for kind in kinds} - found:
        found |= more
    return frozenset(found)


def marks_of(
    state: State, columns: int, rows: int, least: float = plane.LEAST_STRETCH
) -> tuple[list[Mark], list[Word]]:
    """Return what is painted and what is written of a state, whatever paints it."""
    state = state.drawn_in(columns, rows)
    if state.camera is not None:
        from slides.scenes.painting import projection

        return projection.marks(state, state.camera, columns, 2 * rows)
    return plane.marks(state, columns, rows, least)


def _image(
    state: State,
    marks: list[Mark],
    width: int,
    height: int,
    palette: Palette,
    cell: tuple[int, int],
) -> Image.Image:
    from slides.scenes.painting import raster

    smooth = 2 if state.camera is not None else 1
    return raster.image(marks, width, height, palette, cell=cell, outlines=False, smooth=smooth)
