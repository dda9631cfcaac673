"""A state of a scene as lines of cells, or as pixels. The only code of scenes that knows a size.

`plane.py` and `space.py` make marks and words of a state, `raster.py` pixels of marks, `fitting.py` cells of
pixels, `words.py` writes over them, and `characters.py` does it all where there are no colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from slides.drawing.text import Line, Span, Style
from slides.palette import Palette
from slides.scenes.painting import colours
from slides.scenes.painting.fitting import GLYPHS, PIXELS, Surface, fit
from slides.scenes.painting.strokes import Mark, Stroke
from slides.scenes.painting.words import Glyph, Word, Written
from slides.scenes.shapes import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from slides.scenes.painting.fitting import Cells

__all__ = ["Surface", "lines", "pixels", "written"]


def lines(state: State, columns: int, rows: int, palette: Palette, surface: Surface = "halves") -> list[Line]:
    """Return the picture of `state` as exactly `rows` lines of `columns` cells; none where there is no room.

    In a theme without colours it is drawn in characters, whatever `surface` says.
    """
    if columns < 1 or rows < 1:
        return [()] * max(rows, 0)
    if not palette.colours or surface == "characters":
        from slides.scenes.painting import characters

        marks, words = _marks(state, columns, rows)
        return characters.lines(marks, words, columns, rows, palette)
    marks, words = _marks(state, columns, rows)
    text = written(marks, words, columns, rows)
    across, down = PIXELS[surface]
    picture = _image(state, marks, columns * across, rows * down, palette, (across, down))
    background = colours.rgb(palette, "background")
    return _lines(fit(picture, columns, rows, surface, background), text, palette, surface)


def pixels(state: State, columns: int, rows: int, cell: tuple[int, int], palette: Palette) -> Image.Image:
    """Return the picture of `state` without its words for cells of `cell` pixels each, as RGB."""
    marks, _ = _marks(state, columns, rows)
    return _image(state, marks, columns * cell[0], rows * cell[1], palette, cell, fine=True)


def written(marks: list[Mark], words: list[Word], columns: int, rows: int) -> Written:
    """Return the cells of text that lie over the picture."""
    text = Written(columns, rows)
    text.add((mark for mark in marks if isinstance(mark, Stroke) and not mark.width), words)
    return text


def _marks(state: State, columns: int, rows: int) -> tuple[list[Mark], list[Word]]:
    if state.camera is not None:
        from slides.scenes.painting import space

        return space.marks(state, state.camera, columns, 2 * rows)
    from slides.scenes.painting import plane

    return plane.marks(state)


def _image(
    state: State,
    marks: list[Mark],
    width: int,
    height: int,
    palette: Palette,
    cell: tuple[int, int],
    fine: bool = False,
) -> Image.Image:
    from slides.scenes.painting import raster

    smooth = 2 if state.camera is not None else 1
    return raster.image(marks, width, height, palette, cell=cell, outlines=fine, smooth=smooth)


def _lines(cells: Cells, text: Written, palette: Palette, surface: Surface) -> list[Line]:
    """Join cells of one colour, with words over them. A run has one style: cells are thousands."""
    import numpy as np

    background = colours.rgb(palette, "background")
    drawn = cells.glyph > 0
    inks, ink = _names(np.where(drawn[..., None], cells.ink, 0), background, "background")
    grounds, ground = _names(cells.ground, background, "")
    key = np.where(drawn, ink + 1, 0) * len(grounds) + ground
    codes = np.array([ord(glyph) for glyph in GLYPHS[surface]], "<u4")[cells.glyph]
    changes = np.diff(key, axis=1) != 0
    over: dict[int, dict[int, Glyph]] = {}
    for (row, column), glyph in text.cells.items():
        over.setdefault(row, {})[column] = glyph
    under = _means(cells, surface) if over else []

    found: list[Line] = []
    for row, keys in enumerate(key.tolist()):
        letters = codes[row].tobytes().decode("utf-32-le")
        words = over.get(row, {})
        edges = {0, len(keys), *(np.flatnonzero(changes[row]) + 1).tolist()}
        for column in words:
            edges |= {column, column + 1}
        spans: list[Span] = []
        for first, last in pairwise(sorted(edges)):
            if first in words:
                span = _glyph(words[first], under[row][first], background, palette)
            else:
                which, behind = divmod(keys[first], len(grounds))
                style = Style(inks[which - 1] if which else "text", grounds[behind])
                span = Span(letters[first:last], style)
            if spans and spans[-1].style == span.style:
                span = Span(spans.pop().text + span.text, span.style)
            spans.append(span)
        found.append(tuple(spans))
    return found


def _names(
    values: NDArray[np.uint8], background: colours.RGB, instead: str
) -> tuple[list[str], NDArray[np.intp]]:
    """The colours there are as `#rrggbb`, `instead` for the background, and which of them each cell has."""
    import numpy as np

    wide = values.astype(np.uint32)
    packed = (wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]
    unique, where = np.unique(packed, return_inverse=True)
    own = background[0] << 16 | background[1] << 8 | background[2]
    return [instead if value == own else f"#{value:06x}" for value in unique.tolist()], where.reshape(
        packed.shape
    )


def _means(cells: Cells, surface: Surface) -> list[list[list[int]]]:
    """The colour behind words in each cell: that which covers more of it."""
    import numpy as np

    across, down = PIXELS[surface]
    bits = np.array([bin(n).count("1") for n in range(1 << (across * down))])
    more = bits[cells.glyph] * 2 > across * down
    found: list[list[list[int]]] = np.where(more[..., None], cells.ink, cells.ground).tolist()
    return found


def _glyph(glyph: Glyph, under: Sequence[int], background: colours.RGB, palette: Palette) -> Span:
    behind = (under[0], under[1], under[2])
    ink = colours.rgb(palette, glyph.ink) if glyph.ink else colours.readable(behind)
    ground = "" if behind == background else colours.hexed(behind)
    name = glyph.ink
    if glyph.alpha < 1 or not name:
        name = colours.hexed(colours.mixed(behind, ink, glyph.alpha))
    return Span(glyph.text, Style(name, ground, bold=glyph.bold))
