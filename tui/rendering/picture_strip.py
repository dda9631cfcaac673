"""A row with a picture in it that is gone in a moment: written from arrays of cells, without a segment each.

A frame of a moving picture has some 2,000 stretches of one colour. As segments, with a style each that Rich
makes, hashes and writes, they cost more than painting it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from slides.drawing.text import Style
from slides.scenes.painting.picture import ANY, BOLD, Picture
from tui.rendering import ambiguous_width
from tui.rendering.row_strip import PLAIN, SYSTEMS, Look, RowStrip, change, codes_of, look

MOST_CODES = 16384
Styles = Callable[[Style, str], RichStyle]
Cells = tuple[Picture, int, int, int]
"""A picture, and of which of its rows the columns from and up to which."""


class PictureStrip(RowStrip):
    """Segments, and cells of pictures between them. To read its segments, ask for `plain`."""

    __slots__ = ("_length", "_parts", "_style")

    def __init__(self, style: Styles, parts: Sequence[Segment | Cells], length: int) -> None:
        """`style(style, ground)` is that of Rich in this theme."""
        self._style, self._parts, self._length = style, parts, length

    def __getattr__(self, name: str) -> Any:
        """What any strip has is made when somebody asks for it: nearly all are written and gone before."""
        if name == "_written":
            raise AttributeError(name)
        RowStrip.__init__(self, map(Segment, self.texts()), self._length)
        return object.__getattribute__(self, name)

    def texts(self) -> Iterator[str]:
        """Return the text of each of its parts."""
        for part in self._parts:
            yield part.text if isinstance(part, Segment) else part[0].text(*part[1:])

    @property
    def cell_length(self) -> int:
        """As of any strip."""
        return self._length

    @property
    def plain(self) -> RowStrip:
        """The same of segments alone, each in its colours."""
        segments: list[Segment] = []
        for part in self._parts:
            if isinstance(part, Segment):
                segments.append(part)
            else:
                spans = part[0].spans(*part[1:])
                segments += [Segment(text, self._style(style, "background")) for text, style in spans]
        return RowStrip(segments, self.cell_length)

    def adjust_cell_length(self, cell_length: int, style: RichStyle | None = None) -> Strip:
        """As of any strip; only what is as long already stays a picture."""
        if cell_length == self.cell_length:
            return self
        return self.plain.adjust_cell_length(cell_length, style)

    def crop(self, start: int, end: int | None = None) -> Strip:
        """The cells from `start` up to `end`, still from their arrays."""
        start, end = max(0, start), self.cell_length if end is None else min(self.cell_length, end)
        if (start, end) == (0, self.cell_length):
            return self
        at = 0
        parts: list[Segment | Cells] = []
        for part in self._parts:
            cells = part.cell_length if isinstance(part, Segment) else part[3] - part[2]
            first, last = max(start - at, 0), min(end - at, cells)
            if first < last:
                if not isinstance(part, Segment):
                    parts.append((part[0], part[1], part[2] + first, part[2] + last))
                elif (first, last) == (0, cells):
                    parts.append(part)
                else:
                    parts += RowStrip([part], cells).crop(first, last)
            at += cells
        return PictureStrip(self._style, parts, max(0, end - start))

    def _render(self, console: Console, x: int | None) -> str:
        if any(map(ambiguous_width.disputed, self.texts())):
            return self.plain._render(console, x)
        system = SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
        written: list[str] = []
        at = PLAIN
        for part in self._parts:
            if isinstance(part, Segment):
                then = look(part.style, system)
                if part.text.isspace() and not (at.seen_on_blanks or then.seen_on_blanks):
                    then = Look(at.marks, at.ink, then.ground)
                written += (change(at, then), part.text)
                at = then
            else:
                written += (change(at, PLAIN), _cells(part, system))
                at = PLAIN
        written.append(change(at, PLAIN))
        return "".join(written)


def _cells(cells: Cells, system: ColorSystem) -> str:
    picture, row, first, end = cells
    written: list[str] = []
    was, behind, bold = ANY, -1, 0
    inks, grounds = _codes(system, True), _codes(system, False)
    for text, ink, ground in picture.runs(row, first, end):
        if ink == was or ink & ANY:
            codes = ""
        elif ink & BOLD == bold:
            codes = inks[ink & 0xFFFFFF]
            was = ink
        else:
            bold = ink & BOLD
            codes = (";1" if bold else ";22") + inks[ink & 0xFFFFFF]
            was = ink
        if ground != behind:
            codes += grounds[ground]
            behind = ground
        written.append(f"\x1b[{codes[1:]}m{text}" if codes else text)
    written.append("\x1b[0m")
    return "".join(written)


class _Codes(dict[int, str]):
    """The codes of colours in a terminal: thousands are looked up in each frame."""

    def __init__(self, system: ColorSystem, foreground: bool) -> None:
        super().__init__()
        self._how = system, foreground

    def __missing__(self, colour: int) -> str:
        if len(self) >= MOST_CODES:
            self.clear()
        found = self[colour] = ";" + codes_of(f"#{colour:06x}", *self._how)
        return found


@lru_cache(8)
def _codes(system: ColorSystem, foreground: bool) -> _Codes:
    return _Codes(system, foreground)
