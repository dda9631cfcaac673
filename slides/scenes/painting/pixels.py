"""A state in pixels: the same shapes as in cells, smooth at the size that a cell has, and the cells of text
over it.

Words stay letters of the terminal, so that they are as sharp as its own and can be marked and copied. Each
has behind it the colour that the picture has there, for no protocol but kitty's puts letters over pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, overload

from slides.drawing.text import Line, Span, Style
from slides.palette import Palette
from slides.scenes.painting import cell_fitting, colours, marks_of, raster, written
from slides.scenes.painting.picture import picture
from slides.scenes.painting.strokes import Mark, Stroke
from slides.scenes.painting.word_over_picture import Word
from slides.scenes.painting.words_in_cells import Written
from slides.scenes.shapes import State

if TYPE_CHECKING:
    from PIL import Image

FINE = 2  # times as fine as it is seen, so that edges are smooth
_LINE = 1 / 9  # of a cell's height: an arrow that the last row sees
_WITHIN = 0.998  # of the picture: a frame at its very edge would be outside


class Sharp(NamedTuple):
    """A picture in pixels, and what is written over it: for each row the cells of text and their columns."""

    image: Image.Image
    words: dict[int, list[tuple[int, Span]]]


def sharp(state: State, columns: int, rows: int, cell: tuple[int, int], palette: Palette) -> Sharp:
    """Return `state` for `columns` x `rows` cells of `cell` pixels each; all of them at least 1."""
    marks, words = marks_of(state, columns, rows)
    drawn, words = apart(marks, words)
    size = columns * cell[0], rows * cell[1]
    thin = cell[1] * _LINE if state.camera is None else 0.0  # in space they are the floor and edges
    image = raster.image(drawn, *size, palette, cell=cell, outlines=True, smooth=FINE, thin=thin)
    text = written(drawn, words, columns, rows, state, lines=False)
    return Sharp(image, _over(text, image.resize((columns, rows), reducing_gap=1.0), palette))


class Blocks(Sequence[Line]):
    """A picture in half blocks, for whoever sees no pixels: made when the first row is asked for."""

    def __init__(self, image: Image.Image, columns: int, rows: int, palette: Palette) -> None:
        self._image, self._size, self._palette = image, (columns, rows), palette

    @cached_property
    def _lines(self) -> list[Line]:
        columns, rows = self._size
        small = self._image.resize((columns, 2 * rows), reducing_gap=1.0)
        bare = cell_fitting.fit(small, columns, rows, "halves", colours.rgb(self._palette, "background"))
        return picture(bare, Written(columns, rows), self._palette, "halves").lines()

    @overload
    def __getitem__(self, row: int) -> Line: ...
    @overload
    def __getitem__(self, row: slice) -> list[Line]: ...
    def __getitem__(self, row: int | slice) -> Line | list[Line]:
        return self._lines[row]

    def __len__(self) -> int:
        return self._size[1]


def apart(marks: list[Mark], words: list[Word]) -> tuple[list[Mark], list[Word]]:
    """Return what is painted and what is written where there are pixels: frames of boxes are strokes over all
    else, which in cells are signs over all else."""
    drawn, written = list(marks), []
    for word in words:
        if word.frame is None or word.frame.kind != "box":
            written.append(word)
            continue
        (x0, y0), (x1, y1) = word.place, word.frame.to
        x0, y0, x1, y1 = max(x0, 1 - _WITHIN), max(y0, 1 - _WITHIN), min(x1, _WITHIN), min(y1, _WITHIN)
        ring = ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))
        drawn.append(Stroke(ring, word.ink, alpha=word.alpha))
        if word.text:
            written.append(replace(word, frame=None))
    return drawn, written


def _over(text: Written, means: Image.Image, palette: Palette) -> dict[int, list[tuple[int, Span]]]:
    """The words by row, from left to right, on the colour that the picture has behind each."""
    background = colours.rgb(palette, "background")
    found: dict[int, list[tuple[int, Span]]] = {}
    under = means.tobytes()
    styles: dict[tuple[str, float, bool, bytes], Style] = {}  # many cells share one
    for (row, column), glyph in sorted(text.cells.items()):
        at = 3 * (row * text.columns + column)
        look = glyph.ink, glyph.alpha, glyph.bold, under[at : at + 3]
        style = styles.get(look)
        if style is None:
            behind = under[at], under[at + 1], under[at + 2]
            ink = colours.rgb(palette, glyph.ink) if glyph.ink else colours.readable(behind)
            if glyph.alpha < 1:
                ink = colours.mixed(behind, ink, glyph.alpha)
            ground = "" if behind == background else colours.hexed(behind)
            style = styles[look] = Style(colours.hexed(ink), ground, bold=glyph.bold)
        found.setdefault(row, []).append((column, Span(glyph.text, style)))
    return found


def lines(drawn: Sharp, cells: list[str]) -> list[Line]:
    """Return the rows of a picture whose cells are named in `cells`, four signs each, under words."""
    found: list[Line] = []
    for row, named in enumerate(cells):
        spans: list[Span] = []
        at = 0
        for column, span in drawn.words.get(row, ()):
            if column > at:
                spans.append(_stretch(named, at, column))
            if spans and spans[-1].style == span.style:
                spans[-1] = Span(spans[-1].text + span.text, span.style)
            else:
                spans.append(span)
            at = column + 1
        if named[4 * at :]:
            spans.append(_stretch(named, at, len(named) // 4))
        found.append(tuple(spans))
    return found


@lru_cache(512)  # the same string in each frame: what is known of it need not be looked for again
def _stretch(named: str, first: int, end: int) -> Span:
    return Span(named[4 * first : 4 * end])


def parts(drawn: Sharp, columns: int) -> frozenset[tuple[int, int, int]]:
    """Return the stretches of cells between words, as (row, column, cells)."""
    found: set[tuple[int, int, int]] = set()
    for row, words in drawn.words.items():
        at = 0
        for column, _ in words:
            if column > at:
                found.add((row, at, column - at))
            at = column + 1
        if at < columns:
            found.add((row, at, columns - at))
    return frozenset(found)
