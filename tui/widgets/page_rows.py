"""The rows of a page, each made a strip of when it comes into sight."""

from __future__ import annotations

from textual.strip import Strip

from slides.drawing.text import Line, plain
from tui.rendering.row_strip import moving
from tui.rendering.themed_strips import Painter

SPANS_OF_A_ROW = 8  # of text; one of a picture has six times as many


class Rows:
    """The lines of a page. A strip is made of one when it comes into sight: a slide may have 10,000.

    `complete` is false where the page goes on below them. `cost`: as many rows of text take as much memory.
    """

    def __init__(
        self, painter: Painter, lines: list[Line], width: int, margin: int, complete: bool = True
    ) -> None:
        self.lines, self.complete = lines, complete
        self.width = width
        self._painter, self.margin = painter, margin
        self._strips: dict[int, Strip] = {}
        spans = sum(map(len, lines))
        self.cost = max(len(lines), spans // SPANS_OF_A_ROW)

    def __len__(self) -> int:
        return len(self.lines)

    def alike(self, other: Rows) -> bool:
        """Whether equal lines look the same in both."""
        mine = self._painter, self.width, self.margin
        return mine == (other._painter, other.width, other.margin)

    def __getitem__(self, row: int) -> Strip:
        strip = self._strips.get(row)
        if strip is None:
            strip = self._painter.strip(self.lines[row], self.width, margin=self.margin)
            self._strips[row] = strip
        return strip


def columns(was: Line, now: Line, margin: int, width: int) -> tuple[int, int]:
    """Return from and up to which column of a row in `width` two lines differ: of a picture that moves much
    stands still. Of others it is the whole row."""
    if not moving(now):
        return 0, width
    from slides.scenes.painting.picture import changed

    part = changed(was, now)
    return (margin + part[0], margin + part[1]) if part else (0, width)


def says_more(old: Line, new: Line) -> bool:
    """Whether a row has other words; the cells of a picture that has become sharp are none."""
    from slides.pixel_cells import SIGN

    before, after = plain(old), plain(new)
    return before != after and SIGN not in before and SIGN not in after
