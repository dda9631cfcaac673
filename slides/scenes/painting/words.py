"""Words, frames and thin lines of a picture in cells of text: sharp at any size, and readable.

Words never lie upon words: what comes later finds a free row beside its place, takes its short form, or is
left out. In a picture as small as a card of the overview the short form comes first, and none stands beside
its place: there it would lie upon what others name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from slides.drawing.cells import clean, clip_text, graphemes, width
from slides.scenes.painting.strokes import XY, Stroke, edges, sized
from slides.scenes.shapes import Anchor

CARD = 34  # columns of a picture up to which it is that small
FAINTEST = 0.3  # of alpha: below it words are not there yet

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_BOX = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by the sum of the ends that meet in a cell
_DASHED = {"─": "╌", "│": "╎"}
_LEVEL = 1.5  # rows that a line rises or falls by: one of more comes from above or below
_HEADS = {UP: "▲", DOWN: "▼", LEFT: "◀", RIGHT: "▶"}


@dataclass(frozen=True, slots=True)
class Frame:
    """What is drawn around or beside a word instead of at its place.

    Args:
        kind: A `box` or a `bracket` from the word's place to `to`, or the figure of a `tick` beside it.
        to: The other end.
        side: Where the words of a bracket stand.
        text: Those words.
    """

    kind: Literal["box", "bracket", "tick below", "tick left"]
    to: XY
    side: str = "above"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Words at a place. An empty `ink` takes whichever can be read on what lies below.

    `within` is the box they belong to (left, top, right, bottom): they stand in it or not at all. What is
    `fixed` stands on its row or not at all.
    """

    place: XY
    text: str
    short: str = ""
    ink: str = "text"
    alpha: float = 1.0
    anchor: Anchor = "center"
    bold: bool = False
    within: tuple[float, float, float, float] | None = None
    fixed: bool = False
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Glyph:
    """One cell of text; `text` is "" in the second cell of a wide character."""

    text: str
    ink: str
    alpha: float = 1.0
    bold: bool = False


class Written:
    """The cells of text of a picture of `columns` x `rows`: `cells[row, column]`."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells: dict[tuple[int, int], Glyph] = {}
        self._taken: dict[tuple[int, int], bool] = {}  # whether by words in a filled box, which end with it
        self._ends: dict[tuple[int, int], int] = {}

    def add(self, strokes: Iterable[Stroke], words: Sequence[Word], braille: bool = True) -> None:
        """Write thin lines, then frames, then words. `braille` False draws slanted lines with dots."""
        slanted: dict[str, list[Stroke]] = {}
        for stroke in strokes:
            if stroke.alpha >= FAINTEST and not self._straight(stroke):
                slanted.setdefault(stroke.ink, []).append(stroke)
        for ink, found in slanted.items():
            self._slanted(ink, found, braille)
        for word in words:
            if word.alpha >= FAINTEST and word.frame is not None:
                self._framed(word, word.frame)
        for word in words:
            if word.alpha >= FAINTEST and word.frame is None:
                self._word(word)

    # -- lines ----------------------------------------------------------------------------------------------

    def _cell(self, point: XY) -> tuple[int, int]:
        column = min(max(int(point[0] * self.columns), 0), self.columns - 1)
        row = min(max(int(point[1] * self.rows), 0), self.rows - 1)
        return row, column

    def _straight(self, stroke: Stroke) -> bool:
        """Draw a line whose pieces are all level or upright; False: it is not such a line."""
        cells = [self._cell(point) for point in stroke.points]
        if not all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(cells)):
            return False
        cells = [cell for n, cell in enumerate(cells) if n == 0 or cell != cells[n - 1]]
        for a, b in pairwise(cells):
            self._line(a, b, stroke)
        if stroke.head:
            (x0, y0), (x, y) = next(
                (pair for pair in reversed(list(pairwise(stroke.points))) if pair[0] != pair[1]),
                stroke.points[-2:],
            )
            level = abs(y - y0) * self.rows < abs(x - x0) * self.columns
            way = (RIGHT if x > x0 else LEFT) if level else (DOWN if y > y0 else UP)
            self._put(cells[-1], _HEADS[way], stroke.ink, stroke.alpha)
        return True

    def _line(self, a: tuple[int, int], b: tuple[int, int], stroke: Stroke) -> None:
        (row0, column0), (row1, column1) = min(a, b), max(a, b)
        if row0 == row1:
            for column in range(column0, column1 + 1):
                ends = (LEFT if column > column0 else 0) | (RIGHT if column < column1 else 0)
                self._end((row0, column), ends or LEFT | RIGHT, stroke)
        else:
            for row in range(row0, row1 + 1):
                ends = (UP if row > row0 else 0) | (DOWN if row < row1 else 0)
                self._end((row, column0), ends, stroke)

    def _end(self, cell: tuple[int, int], ends: int, stroke: Stroke) -> None:
        ends |= self._ends.get(cell, 0)
        self._ends[cell] = ends
        # A line that ends in a cell goes to its edge, as its arrow or its neighbour would.
        text = {UP: "│", DOWN: "│", LEFT: "─", RIGHT: "─"}.get(ends, _BOX[ends])
        self._put(cell, _DASHED.get(text, text) if stroke.dashed else text, stroke.ink, stroke.alpha)

    def _put(self, cell: tuple[int, int], text: str, ink: str, alpha: float) -> None:
        if cell not in self._taken:
            self.cells[cell] = Glyph(text, ink, alpha)

    def _slanted(self, ink: str, strokes: list[Stroke], braille: bool) -> None:
        import numpy as np

        from slides.drawing.canvas import DOTS, Braille

        dots = Braille(self.columns, self.rows)
        alpha = max(stroke.alpha for stroke in strokes)
        for stroke in strokes:
            end = math.ceil(max(y for _, y in stroke.points) * self.rows * 4) - 1  # below there may be a box
            for thick in (0, 1):  # one row of dots is hardly seen from the back row
                points = [
                    (x * self.columns * 2, min(y * self.rows * 4 + thick, end)) for x, y in stroke.points
                ]
                dots.lines(points, ink)
        grid = dots.dots.reshape(self.rows, 4, self.columns, 2)
        for row, column in np.argwhere(grid.any(axis=(1, 3))).tolist():
            bits = sum(DOTS[y][x] for y in range(4) for x in range(2) if grid[row, y, column, x])
            self._put((row, column), chr(0x2800 + bits) if braille else ".", ink, alpha)
        for stroke in strokes:
            if stroke.head:
                (x0, y0), (x, y) = stroke.points[-2:]
                across, down = (x - x0) * self.columns, (y - y0) * self.rows
                level = abs(down) < _LEVEL
                way = (RIGHT if across > 0 else LEFT) if level else (DOWN if down > 0 else UP)
                back = min(0.5 / max(abs(across), abs(down), 0.5), 1.0)
                tip = self._cell((x - (x - x0) * back, y - (y - y0) * back))  # not in what it points to
                self._put(tip, _HEADS[way], ink, stroke.alpha)

    # -- frames ---------------------------------------------------------------------------------------------

    def _framed(self, word: Word, frame: Frame) -> None:
        if frame.kind == "box":
            right, bottom = (frame.to[0] - 1e-9, frame.to[1] - 1e-9)
            left, top = self._edge(word.place[0], self.columns), self._edge(word.place[1], self.rows)
            last = max(self._edge(right, self.columns) - 1, left), max(self._edge(bottom, self.rows) - 1, top)
            if last[0] > left and last[1] > top:
                self._rectangle(top, left, last[1], last[0], word)
        elif frame.kind == "bracket":
            self._bracket(word, frame)
        else:
            row, column = self._cell(word.place)
            text = clean(word.text)
            if frame.kind == "tick below":
                first = min(column - width(text) // 2, self.columns - width(text))
                self._text(row + 1, first, text, word)
            else:
                self._text(row, column - 1 - width(text), text, word)

    def _edge(self, share: float, cells: int) -> int:
        return min(max(math.floor(share * cells + 0.5), 0), cells)

    def _rectangle(self, top: int, left: int, bottom: int, right: int, word: Word) -> None:
        if not (0 <= top < bottom < self.rows and 0 <= left < right < self.columns):
            bottom, right = min(bottom, self.rows - 1), min(right, self.columns - 1)
            if bottom <= top or right <= left:
                return
        for column in range(left + 1, right):
            self._put((top, column), "─", word.ink, word.alpha)
            self._put((bottom, column), "─", word.ink, word.alpha)
        for row in range(top + 1, bottom):
            self._put((row, left), "│", word.ink, word.alpha)
            self._put((row, right), "│", word.ink, word.alpha)
        for row, column, text in (
            (top, left, "┌"),
            (top, right, "┐"),
            (bottom, left, "└"),
            (bottom, right, "┘"),
        ):
            self._put((row, column), text, word.ink, word.alpha)

    def _bracket(self, word: Word, frame: Frame) -> None:
        (row0, column0), (row1, column1) = self._cell(word.place), self._cell(frame.to)
        text = clean(frame.text)
        if frame.side in ("above", "below"):
            left, right = min(column0, column1), max(column0, column1)
            ends = "┌┐" if frame.side == "above" else "└┘"
            for column in range(left, right + 1):
                mark = ends[0] if column == left else ends[1] if column == right else "─"
                self._put((row0, column), mark, word.ink, word.alpha)
            row = row0 - 1 if frame.side == "above" else row0 + 1
            self._text(row, (left + right + 1 - width(text)) // 2, text, word)
            return
        top, bottom = min(row0, row1), max(row0, row1)
        ends = "┌└" if frame.side == "left" else "┐┘"
        for row in range(top, bottom + 1):
            mark = ends[0] if row == top else ends[1] if row == bottom else "│"
            self._put((row, column0), mark, word.ink, word.alpha)
        column = column0 - 1 - width(text) if frame.side == "left" else column0 + 2
        self._text((top + bottom) // 2, column, text, word)

    # -- words ----------------------------------------------------------------------------------------------

    def _word(self, word: Word) -> None:
        forms = [clean(form) for form in (word.text, word.short) if form]
        if word.within is not None:
            left, top, right, bottom = word.within
            first, last = edges(left * self.columns, right * self.columns)
            upper, lower = sized(top * self.rows, bottom * self.rows)
            for text in forms:
                if width(text) <= last - first:
                    column = first + (last - first - width(text)) // 2
                    if self._text((upper + lower - 1) // 2, column, text, word):
                        return
            return
        row = self._cell(word.place)[0]
        column = round(word.place[0] * self.columns)
        for text in reversed(forms) if self.columns <= CARD else forms:
            cells = width(text)
            first = column - (0 if word.anchor == "left" else cells if word.anchor == "right" else cells // 2)
            first = max(0, min(first, self.columns - cells))  # rather moved than cut
            for off in (0,) if word.fixed or self.columns <= CARD else (0, 1, -1):
                if self._text(row + off, first, text, word):
                    return

    def _text(self, row: int, column: int, text: str, word: Word) -> bool:
        """Write `text` if its cells are free; what is beyond the picture is cut."""
        if not 0 <= row < self.rows or column >= self.columns:
            return False
        column = max(column, 0)
        text = clip_text(text, self.columns - column)
        end = column + width(text)
        boxed = word.within is not None and not word.ink
        beside = [self._taken[row, at] for at in (column - 1, end) if (row, at) in self._taken]
        if any((row, at) in self._taken for at in range(column, end)) or not all(
            boxed and other for other in beside
        ):
            return False
        for piece in graphemes(text):
            cells = width(piece)
            for n in range(cells):
                place = row, column + n
                self._taken[place] = boxed
                self.cells[place] = Glyph("" if n else piece, word.ink, word.alpha, word.bold)
            column += cells
        return True
