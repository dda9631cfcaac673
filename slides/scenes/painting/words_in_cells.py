"""Words, frames and thin lines of a picture in cells of text: sharp at any size, and readable.

Words never lie upon words: what comes later finds a free row beside its place, takes its short form, or is
left out. In a picture as small as a card of the overview the short form comes first, and none stands beside
its place: there it would lie upon what others name. In one that is large, words are in letters of three rows
where all boxes have room for theirs. A thin line goes on behind a box with words that comes later.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, product

from slides.drawing.cells import clean, clip_text, width
from slides.drawing.large import letters
from slides.scenes.painting.strokes import XY, Cells, Mark, Stroke, covered, edges, level, meet, seen, sized
from slides.scenes.painting.word_over_picture import Frame, Glyph, Word, by_cell, forms, in_line

CARD = 34  # columns of a picture up to which it is that small
FAINTEST = 0.3  # of alpha: below it words are not there yet
LETTERS = 104, 20  # columns and rows of a picture from which on its words may be in letters
_SIZES: tuple[letters.Size, ...] = ("bold", "low", "slim")
_HIGH = letters.ROWS["low"]
_MOST = 0.75  # of the boxes that are as high as each other, for letters in them
_BESIDE = 0.2  # of a row: letters are no nearer to a painted line
_MOST_STEPS = 1000  # of a line that is looked at for letters: one may go far beyond the picture
_HIDES = 0.5  # of alpha of a box, from which on a line behind it is not seen
Kind = tuple[str, bool]  # the ink of words, and whether they are bold

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_BOX = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by the sum of the ends that meet in a cell
_DASHED = {"─": "╌", "│": "╎"}
_OFFS = (0, 1, -1, 2, 3, -2)  # rows that words in letters may stand off from their place
_SLIVER = 0.1  # of a row: nobody sees less
_LEVEL = 1.5  # rows that a line rises or falls by: one of more comes from above or below
_HEADS = {UP: "▲", DOWN: "▼", LEFT: "◀", RIGHT: "▶"}


class Written:
    """The cells of text of a picture of `columns` x `rows`: `cells[row, column]`. `large`: words may be in
    letters made of blocks."""

    def __init__(self, columns: int, rows: int, *, large: bool = True) -> None:
        self.columns, self.rows = columns, rows
        self.large = large and columns >= LETTERS[0] and rows >= LETTERS[1]
        self._faces: list[Cells] = []
        self._tops: dict[tuple[int, int], int] = {}  # which of the marks is the highest box in a cell
        self._thick: set[tuple[int, int]] = set()  # cells of painted lines: things go along them
        self._lines: set[tuple[int, int]] = set()
        self.small: set[Kind] = set()  # what is beside others and had no room for letters
        self.cells: dict[tuple[int, int], Glyph] = {}
        self._taken: dict[tuple[int, int], bool] = {}  # whether by words in a filled box, which end with it
        self._ends: dict[tuple[int, int], int] = {}

    def add(
        self, marks: Iterable[Mark], words: Sequence[Word], braille: bool = True,
        size: letters.Size | None = None, small: frozenset[Kind] = frozenset(),
    ) -> None:  # fmt: skip
        """Write the thin lines among `marks`, then frames, then words: those in boxes in letters of `size`,
        those of the kinds `small` not in letters. `braille` False: slanted lines are of full stops."""
        self.small.update(small)
        over = self._over(marks)
        slanted: dict[tuple[str, tuple[Cells, ...]], list[Stroke]] = {}
        for mark, boxes in over:
            if mark.alpha >= FAINTEST and not self._straight(mark, boxes):
                slanted.setdefault((mark.ink, boxes), []).append(mark)
        for (ink, boxes), found in slanted.items():
            self._slanted(ink, found, braille, boxes)
        self._lines = set(self.cells)
        for word in words:
            if word.alpha >= FAINTEST and word.frame is not None:
                self._framed(word, word.frame)
        self._words([word for word in words if word.alpha >= FAINTEST and word.frame is None], size)

    def without_lines(self) -> None:
        """Take thin lines out again."""
        for cell in self._lines - self._taken.keys():
            self.cells.pop(cell)

    def _over(self, marks: Iterable[Mark]) -> list[tuple[Stroke, tuple[Cells, ...]]]:
        """The thin lines in their order, each with the boxes with words that come after it."""
        found: list[tuple[Stroke, tuple[Cells, ...]]] = []
        boxes: tuple[Cells, ...] = ()
        for n, mark in reversed(list(enumerate(marks))):
            if isinstance(mark, Stroke):
                if not mark.width:
                    found.append((mark, boxes))
                elif self.large and mark.width * self.rows >= _SLIVER:
                    self._along(mark)
            elif mark.alpha >= _HIDES and level(mark.points):
                box = self._inside(*mark.points[0], *mark.points[2])
                # A bar of less than a row is painted, if not a box for words: letters leave it free, too.
                top, bottom = (y * self.rows for _, y in (mark.points[0], mark.points[2]))
                rows = math.floor(top + _SLIVER), math.ceil(bottom - _SLIVER)
                self._faces.append((*box[:2], min(box[2], rows[0]), max(box[3], rows[1])))
                if mark.whole:
                    boxes += (box,)
                    for cell in seen(box, self.columns, self.rows):
                        self._tops.setdefault(cell, n)
        return found[::-1]

    def _along(self, stroke: Stroke) -> None:
        half = stroke.width / 2 * self.rows + _BESIDE
        for (x0, y0), (x1, y1) in pairwise(stroke.points):
            steps = min(math.ceil(max(abs(x1 - x0) * self.columns, abs(y1 - y0) * self.rows)), _MOST_STEPS)
            for share in (n / max(steps, 1) for n in range(steps + 1)):
                column = int((x0 + (x1 - x0) * share) * self.columns)
                y = (y0 + (y1 - y0) * share) * self.rows
                line = column, column + 1, math.floor(y - half), math.ceil(y + half)
                self._thick.update(seen(line, self.columns, self.rows))

    def _inside(self, left: float, top: float, right: float, bottom: float) -> Cells:
        columns = edges(left * self.columns, right * self.columns)
        return (*columns, *sized(top * self.rows, bottom * self.rows))

    # -- lines ----------------------------------------------------------------------------------------------

    def _cell(self, point: XY) -> tuple[int, int]:
        column = min(max(int(point[0] * self.columns), 0), self.columns - 1)
        row = min(max(int(point[1] * self.rows), 0), self.rows - 1)
        return row, column

    def _straight(self, stroke: Stroke, over: Sequence[Cells]) -> bool:
        """Draw a line whose pieces are all level or upright, but for what is under boxes; False: it is not
        such a line."""
        cells = [self._cell(point) for point in stroke.points]
        if not all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(cells)):
            return False
        cells = [cell for n, cell in enumerate(cells) if n == 0 or cell != cells[n - 1]]
        for a, b in pairwise(cells):
            self._line(a, b, stroke, over)
        if stroke.head:
            (x0, y0), (x, y) = next(
                (pair for pair in reversed(list(pairwise(stroke.points))) if pair[0] != pair[1]),
                stroke.points[-2:],
            )
            level = abs(y - y0) * self.rows < abs(x - x0) * self.columns
            way = (RIGHT if x > x0 else LEFT) if level else (DOWN if y > y0 else UP)
            self._put(cells[-1], _HEADS[way], stroke.ink, stroke.alpha)
        return True

    def _line(self, a: tuple[int, int], b: tuple[int, int], stroke: Stroke, over: Sequence[Cells]) -> None:
        (row0, column0), (row1, column1) = min(a, b), max(a, b)
        if row0 == row1:
            for column in range(column0, column1 + 1):
                ends = (LEFT if column > column0 else 0) | (RIGHT if column < column1 else 0)
                if not covered(row0, column, over):
                    self._end((row0, column), ends or LEFT | RIGHT, stroke)
        else:
            for row in range(row0, row1 + 1):
                ends = (UP if row > row0 else 0) | (DOWN if row < row1 else 0)
                if not covered(row, column0, over):
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

    def _slanted(self, ink: str, strokes: list[Stroke], braille: bool, over: Sequence[Cells]) -> None:
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
            if not covered(row, column, over):
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
        for column in range(left + 1, right):
            self._put((top, column), "─", word.ink, word.alpha)
            self._put((bottom, column), "─", word.ink, word.alpha)
        for row in range(top + 1, bottom):
            self._put((row, left), "│", word.ink, word.alpha)
            self._put((row, right), "│", word.ink, word.alpha)
        for corner, text in zip(product((top, bottom), (left, right)), "┌┐└┘", strict=True):
            self._put(corner, text, word.ink, word.alpha)

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

    def _words(self, words: Sequence[Word], size: letters.Size | None) -> None:
        for word in words:
            if word.within is not None:
                self._boxed(word, size)
        for group in in_line([word for word in words if word.within is None]):
            kinds = {(word.ink, word.bold) for word in group}
            may = self.large and self.small.isdisjoint(kinds)
            if not (may and any(self._beside_in_letters(group, size) for size in _SIZES[1:])):
                self.small |= kinds
                for word in group:
                    self._word(word)

    def size(self, words: Sequence[Word]) -> letters.Size | None:
        """Return the letters for words in boxes: most of those that are as high as each other have room for
        them."""
        high: dict[int, list[Word]] = {}
        for word in words if self.large else ():
            if word.within is not None and word.frame is None and word.alpha >= FAINTEST:
                _, _, upper, lower = self._inside(*word.within)
                high.setdefault(lower - upper, []).append(word)
        found: list[letters.Size] = []
        for rows, equal in high.items():
            if rows >= _HIGH:
                size = max(_SIZES, key=lambda size: sum(self._on_a_row(word, size) for word in equal))
                # A sign in a narrow box does not make all others small.
                if sum(self._drawn(word, size) is not None for word in equal) >= _MOST * len(equal):
                    found.append(size)
        return max(found, key=_SIZES.index, default=None)

    def _on_a_row(self, word: Word, size: letters.Size) -> bool:
        drawn = self._drawn(replace(word, short=""), size)
        return drawn is not None and len(drawn) == _HIGH

    def _drawn(self, word: Word, size: letters.Size) -> list[str] | None:
        """A word in letters that have room in its box, on two rows where it is as high as that."""
        assert word.within is not None
        first, last, upper, lower = self._inside(*word.within)
        form = next((form for form in forms(word) if width(form) <= last - first), "")
        filled = not word.ink and width(form) > 2  # words do not touch the edges of their box, a sign may
        return letters.letters(form, last - first - 1 - filled, (size,), min(2, (lower - upper) // _HIGH))

    def _boxed(self, word: Word, size: letters.Size | None) -> None:
        assert word.within is not None
        first, last, upper, lower = self._inside(*word.within)
        drawn = self._drawn(word, size) if size and lower - upper >= _HIGH else None
        if drawn is not None:
            # A letter begins at the very left of its cell and ends before the right of its last one.
            wide = max(map(len, drawn))
            left = first + (last - first - wide + 1) // 2
            # Their last row of dots is below the line: what is over is over them.
            top = (upper + lower - len(drawn) + 1) // 2
            # A box that begins at their last row stands below them: it takes no word away.
            hidden = any(self._hidden(top + n, left, left + wide, word) for n in range(1, len(drawn) - 1))
            if hidden or self._block(top, left, drawn, word):
                return  # a box that goes by does not make it small
        self._word(word)

    def _beside_in_letters(self, group: Sequence[Word], size: letters.Size) -> bool:
        """Write words that stand in no box, if all of them have room near their places, and as they are: of
        several none is short. Those of one row stay in one row where they can."""
        was = self.cells.copy(), self._taken.copy()
        abreast = len(group) > 1 and len({word.place[1] for word in group}) == 1
        for offs in (*((off,) for off in _OFFS if abreast), _OFFS):
            if all(self._beside(word, size, offs, 1 if len(group) > 1 else 2) for word in group):
                return True
            self.cells, self._taken = was[0].copy(), was[1].copy()
        return False

    def _beside(self, word: Word, size: letters.Size, offs: Sequence[int], most: int) -> bool:
        own = self._cell(word.place)
        if own in self.cells or own in self._thick:
            return False  # it says what the line through it is
        faces = [face for face in self._faces if not covered(*own, [face])]
        for form in forms(word)[:most]:
            drawn = letters.letters(form, self.columns, (size,), 1)
            if drawn is None:
                continue
            wide = max(map(len, drawn))
            first = self._first(word, wide)
            # Two rows up only for a box that grows below: in space nothing says what is there.
            for row in (own[0] - 1 + off for off in offs if not (off and word.fixed) and (off > -2 or faces)):
                block = first, first + wide, row, row + _HIGH
                if not 0 <= row <= self.rows - _HIGH or any(meet(block, face) for face in faces):
                    continue
                cells = [(row + n, column) for n in range(_HIGH) for column in range(*block[:2])]
                free = self._thick.isdisjoint(cells) and self.cells.keys().isdisjoint(cells)
                if free and self._block(row, first, drawn, word):
                    return True
        return False

    def _block(self, row: int, column: int, drawn: Sequence[str], word: Word) -> bool:
        """Write a word in letters if all of its cells are free."""
        wide = max(map(len, drawn))
        air = int(word.within is None)  # one column between letters is no more than within a word
        if not all(self._free(row + n, column - air, column + wide + air, word) for n in range(len(drawn))):
            return False
        return all(self._text(row + n, column, text.ljust(wide), word) for n, text in enumerate(drawn))

    def _word(self, word: Word) -> None:
        found = forms(word)
        if word.within is not None:
            first, last, upper, lower = self._inside(*word.within)
            for text in found:
                if width(text) <= last - first:
                    column = first + (last - first - width(text)) // 2
                    row, end = (upper + lower - 1) // 2, column + width(text)
                    if not self._hidden(row, column, end, word) and self._text(row, column, text, word):
                        return
            return
        row = self._cell(word.place)[0]
        for text in reversed(found) if self.columns <= CARD else found:
            first = self._first(word, width(text))
            # What stands under a name goes on standing under it where that is in letters.
            fixed = (0, 1, 2, 3) if self.large else (0,)
            for off in (0,) if self.columns <= CARD else fixed if word.fixed else (0, 1, -1):
                if self._text(row + off, first, text, word):
                    return

    def _first(self, word: Word, cells: int) -> int:
        """The column in which so many cells begin: rather moved than cut."""
        column = round(word.place[0] * self.columns)
        first = column - (0 if word.anchor == "left" else cells if word.anchor == "right" else cells // 2)
        return max(0, min(first, self.columns - cells))

    def _text(self, row: int, column: int, text: str, word: Word) -> bool:
        """Write `text` if its cells are free; what is beyond the picture is cut."""
        if not 0 <= row < self.rows or column >= self.columns:
            return False
        column = max(column, 0)
        pieces = by_cell(text)
        if len(pieces) > self.columns - column:
            pieces = by_cell(clip_text(text, self.columns - column))
        if not self._free(row, column, column + len(pieces), word):
            return False
        boxed = word.within is not None and not word.ink
        for place, piece in enumerate(pieces, column):
            self._taken[row, place] = boxed
            self.cells[row, place] = Glyph(piece, word.ink, word.alpha, word.bold)
        return True

    def _free(self, row: int, column: int, end: int, word: Word) -> bool:
        """Whether no word stands in these cells, nor beside them but in a filled box of its own."""
        boxed = word.within is not None and not word.ink
        beside = [self._taken[row, at] for at in (column - 1, end) if (row, at) in self._taken]
        free = self._taken.keys().isdisjoint([(row, at) for at in range(column, end)])
        return free and all(boxed and other for other in beside)

    def _hidden(self, row: int, column: int, end: int, word: Word) -> bool:
        return any(self._tops.get((row, at), -1) >= word.after for at in range(column, end))
