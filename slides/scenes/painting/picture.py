"""The cells of a picture with the words over it, as arrays: a moving one is thousands of cells in each frame.

`lines` has them as spans, as all that is laid out has; `rows` as one `PaintedRow` a row, which stays an array
until it is written, and of which can be told which columns are others than those of another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from slides.drawing.cells import width
from slides.drawing.text import Line, Span, Style
from slides.palette import Palette
from slides.scenes.painting import colours
from slides.scenes.painting.cell_fitting import GLYPHS, PIXELS, Cells, Surface
from slides.scenes.painting.colours import RGB
from slides.scenes.painting.word_over_picture import Glyph
from slides.scenes.painting.words_in_cells import Written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint32]

BOLD = 1 << 24  # beside the colour of an ink
ANY = 1 << 25  # the ink of a blank: it shows none


@dataclass(frozen=True, eq=False)
class Picture:
    """Arrays of rows x columns: the code of each letter, its ink and what is behind it as 0xRRGGBB.

    A letter is 0 in the second cell of a wide one; one of several codes stands in `joined`. An ink may have
    `BOLD`, and is `ANY` where nothing is drawn.
    """

    letters: Codes
    inks: Codes
    grounds: Codes
    joined: dict[tuple[int, int], str]
    background: int
    names: dict[int, str]

    @property
    def columns(self) -> int:
        """Cells of a row."""
        return int(self.letters.shape[1])

    def rows(self) -> list[Line]:
        """Return each row as one span."""
        return [(PaintedRow.row(self, number),) for number in range(len(self.letters))]

    def lines(self) -> list[Line]:
        """Return each row as spans of one style each."""
        return [self.spans(row) for row in range(len(self.letters))]

    def spans(self, row: int, first: int = 0, end: int | None = None) -> Line:
        """Return some cells of a row as spans."""
        runs = self.runs(row, first, end)
        return tuple(Span(text, self._style(ink, ground)) for text, ink, ground in runs)

    def _style(self, ink: int, ground: int) -> Style:
        return _style(
            "text" if ink & ANY else self.names.get(ink) or f"#{ink & 0xFFFFFF:06x}",
            "" if ground == self.background else f"#{ground:06x}",
            bool(ink & BOLD),
        )

    def runs(self, row: int, first: int = 0, end: int | None = None) -> list[tuple[str, int, int]]:
        """Return (letters, ink, ground) of stretches of a row in which they are the same."""
        starts, inks, grounds = self._stretches
        own = row * self.columns
        begin, end = own + first, own + (self.columns if end is None else end)
        these = slice(bisect_right(starts, begin) - 1, bisect_left(starts, end))
        edges = [0, *[start - begin for start in starts[these][1:]], end - begin]
        text = self.text(row, first, end - own)
        if len(text) == end - begin:
            pieces = [text[a:b] for a, b in pairwise(edges)]
        else:
            pieces = [self.text(row, first + a, first + b) for a, b in pairwise(edges)]
        return list(zip(pieces, inks[these], grounds[these], strict=True))

    @cached_property
    def _stretches(self) -> tuple[list[int], list[int], list[int]]:
        """The cells, counted along all rows, from which on ink or ground is another, and what they are."""
        import numpy as np

        inks, grounds = self.inks.ravel(), self.grounds.ravel()
        other = np.empty(len(inks), bool)
        other[1:] = (inks[1:] != inks[:-1]) | (grounds[1:] != grounds[:-1])
        other[:: self.columns] = True
        starts = np.flatnonzero(other)
        return starts.tolist(), inks[starts].tolist(), grounds[starts].tolist()

    def text(self, row: int, first: int = 0, end: int | None = None) -> str:
        """Return the letters of some cells of a row."""
        letters = self.letters[row, first:end]
        text = letters.tobytes().decode("utf-32-le")
        if self.joined:
            for at in range(len(letters) - 1, -1, -1):
                if (row, first + at) in self.joined:
                    text = text[:at] + self.joined[row, first + at] + text[at + 1 :]
        return text.replace("\0", "") if "\0" in text else text

    def changed(self, row: int, other: Picture, its: int) -> tuple[int, int]:
        """Return from and up to which column a row differs from row `its` of another; (0, 0): nowhere."""
        return _differences(self, other, its - row)[row]


@lru_cache(4)  # for each row of a frame, and some pages have several pictures
def _differences(now: Picture, was: Picture, down: int) -> list[tuple[int, int]]:
    """Return what `Picture.changed` does for each row and the one `down` rows below it in `was`."""
    import numpy as np

    columns, rows = now.columns, len(now.letters)
    found = [(0, columns)] * rows
    first, end = max(0, -down), min(rows, len(was.letters) - down)
    if was.columns != columns or first >= end:
        return found
    mine, its = slice(first, end), slice(first + down, end + down)
    differs = now.letters[mine] != was.letters[its]
    differs |= now.inks[mine] != was.inks[its]
    differs |= now.grounds[mine] != was.grounds[its]
    starts, ends = differs.argmax(1), columns - differs[:, ::-1].argmax(1)
    # No letter is to be cut in two.
    wide = (now.letters[mine] == 0) | (was.letters[its] == 0) | bool(now.joined or was.joined)
    whole: NDArray[np.bool_] = np.asarray(wide.any(1))
    starts[whole], ends[whole] = 0, columns
    alike = ~differs.any(1)
    starts[alike] = ends[alike] = 0
    found[mine] = zip(starts.tolist(), ends.tolist(), strict=True)
    return found


@lru_cache(8192)
def _style(ink: str, ground: str, bold: bool) -> Style:
    return Style(ink, ground, bold=bold)


class PaintedRow(Span):
    """A row of a picture. Its `style` says nothing of its cells: `spans` do."""

    picture: Picture
    number: int

    @classmethod
    def row(cls, picture: Picture, number: int) -> PaintedRow:
        """Return a row of a picture."""
        found = cls(picture.text(number))
        found.picture, found.number = picture, number
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PaintedRow):
            return False
        return self.picture.changed(self.number, other.picture, other.number) == (0, 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    @property
    def spans(self) -> Line:
        """The same as spans of one style each."""
        return self.picture.spans(self.number)


def flat(line: Line) -> Line:
    """Return a line without `PaintedRow`: for whoever cuts it or looks at its styles."""
    if not any(isinstance(span, PaintedRow) for span in line):
        return line
    return tuple(one for span in line for one in (span.spans if isinstance(span, PaintedRow) else (span,)))


def changed(was: Line, now: Line) -> tuple[int, int] | None:
    """Return from and up to which column two rows differ, where it is by pictures alone; None elsewhere."""
    if len(was) != len(now):
        return None
    at, first, last = 0, -1, 0
    for old, new in zip(was, now, strict=True):
        if isinstance(old, PaintedRow) and isinstance(new, PaintedRow):
            start, end = new.picture.changed(new.number, old.picture, old.number)
            if end:
                first, last = at + start if first < 0 else first, at + end
        elif old != new:
            return None
        at += width(new.text)
    return (first, last) if last else None


def picture(cells: Cells, text: Written, palette: Palette, surface: Surface) -> Picture:
    """Return cells with words over them, in the colours of a theme."""
    import numpy as np

    background = _packed(colours.rgb(palette, "background"))
    letters = _codes(surface)[cells.glyph]
    inks = np.where(cells.glyph > 0, cells.ink, np.uint32(ANY))
    grounds = cells.ground.copy()
    joined: dict[tuple[int, int], str] = {}
    names: dict[int, str] = {background: "background"}
    if text.cells:
        rows, columns = np.array(list(text.cells)).T
        glyphs, above, below = (found[rows, columns] for found in cells)
        behind = np.where(_mostly_ink(surface)[glyphs], above, below)
        written: dict[
            tuple[str, float, bool, int], int
        ] = {}  # of many cells nothing but the letter is another
        codes, over = [], []
        for (place, glyph), under in zip(text.cells.items(), behind.tolist(), strict=True):
            codes.append(ord(glyph.text) if len(glyph.text) == 1 else 0)
            if len(glyph.text) > 1:
                joined[place] = glyph.text
            look = glyph.ink, glyph.alpha, glyph.bold, under
            ink = written.get(look)
            if ink is None:
                ink = _ink(glyph, under, palette)
                if glyph.ink and glyph.alpha >= 1:
                    names.setdefault(ink, glyph.ink)
                ink = written[look] = ink | (BOLD if glyph.bold else 0)
            over.append(ink)
        letters[rows, columns], inks[rows, columns], grounds[rows, columns] = codes, over, behind
    return Picture(letters, inks, grounds, joined, background, _with_bold(names))


def _with_bold(names: dict[int, str]) -> dict[int, str]:
    return names | {ink | BOLD: name for ink, name in names.items()}


def _packed(colour: RGB) -> int:
    return colour[0] << 16 | colour[1] << 8 | colour[2]


def _ink(glyph: Glyph, under: int, palette: Palette) -> int:
    behind = under >> 16, under >> 8 & 255, under & 255
    ink = colours.rgb(palette, glyph.ink) if glyph.ink else colours.readable(behind)
    return _packed(ink if glyph.alpha >= 1 else colours.mixed(behind, ink, glyph.alpha))


@lru_cache(8)
def _codes(surface: Surface) -> Codes:
    import numpy as np

    return np.array([ord(glyph) for glyph in GLYPHS[surface]], "<u4")


@lru_cache(8)
def _mostly_ink(surface: Surface) -> NDArray[np.bool_]:
    """Whether a glyph covers more than half of its cell: then words stand on its ink."""
    import numpy as np

    across, down = PIXELS[surface]
    return np.array([2 * n.bit_count() > across * down for n in range(1 << across * down)])
