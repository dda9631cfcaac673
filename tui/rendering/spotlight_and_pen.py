"""A spotlight and a pen on the lines of a page. Pure: what there is to point at, where that stands on the
page of another screen, and how it looks.

The light is seen without colours too: a mark stands before its rows, and where a theme has no colours a lit
cell and what the pen marks are underlined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from unicodedata import decomposition

from runtime.protocol.class_messages.pointing import Place, Point
from slides.drawing import cells
from slides.drawing.large.block_glyphs import QUADRANTS, SEXTANTS
from slides.drawing.text import Line, Span, Style, joined, plain
from slides.pixel_cells import SIGN

SIGN_OF_LIGHT = "►"
LEAST_PART = 0.3  # of the letters of a row that another must have to be the same
BACK, LIT, PEN = Style("faint"), "select", Style("background", "warning", bold=True)
_LETTERS = re.compile(r"[^\W_]", re.UNICODE)
_BLOCKS = frozenset(QUADRANTS[1:] + SEXTANTS[1:] + SIGN)
_WORD = re.compile(r"[\w.,:%+/*=()'-]*\w[\w.,:%+/*=()'-]*")
_INKED = re.compile(r"#(?:\.{0,2}#)*")  # columns of letters: those of a word are nearer than that
_GAP = re.compile(r"\s{2,}|\s*[│┃║|]\s*")


def _is_drawn(text: str) -> bool:
    """Whether a row is a part of large letters or of a picture: it has no words of its own."""
    if _BLOCKS.isdisjoint(text):
        return False
    # An index stands beside the letters it belongs to.
    return not any(decomposition(sign)[:4] not in ("<sub", "<sup") for sign in _LETTERS.findall(text))


def units(lines: Sequence[Line]) -> list[Place]:
    """What there is to point at, from top to bottom: rows with words, rows of large letters and of a picture
    together. Rules and frames are nothing."""
    found: list[Place] = []
    drawn = False
    texts = [plain(line) for line in lines]
    all_drawn = [_is_drawn(text) for text in texts]
    for row, text in enumerate(texts):
        large = all_drawn[row] or _stands_within(row, texts, all_drawn)
        if large and drawn:
            found[-1] = Place(found[-1].row, found[-1].rows + 1)
        elif large or _WORD.search(text) or (text.strip() and not _is_rule(text)):
            found.append(Place(row))
        drawn = large
    return [one for place in found for one in _rows_of_letters(lines, place)]


def _stands_within(row: int, texts: Sequence[str], drawn: Sequence[bool]) -> bool:
    """Whether words in a row stand beside letters of which other parts are in the rows above and below."""
    between = 0 < row < len(texts) - 1 and drawn[row - 1] and drawn[row + 1]
    return between and not _BLOCKS.isdisjoint(texts[row])


def _rows_of_letters(lines: Sequence[Line], place: Place) -> list[Place]:
    """Rows of letters without a blank one between them, one by one."""
    from slides.drawing.large import read_letters

    rows = [plain(line) for line in lines[place.row : place.row + place.rows]]
    high = read_letters.height(rows)
    if place.rows <= high or place.rows % high:
        return [place]
    if not read_letters.words(rows):
        return [place]
    return [Place(place.row + n, high) for n in range(0, place.rows, high)]


def _is_rule(text: str) -> bool:
    return not text.strip(" ─━═╭╮╰╯┌┐└┘├┤┬┴┼│┃║▔▁▎")


def unit_at(lines: Sequence[Line], row: int) -> Place | None:
    """What stands in a row; None where it is blank."""
    return next((one for one in units(lines) if one.row <= row < one.row + one.rows), None)


def parts(line: Line) -> list[tuple[int, int]]:
    """The cells of a row, as (first, last) columns: what wide gaps or lines part, else its words."""
    text = plain(line)
    edges = [(0, 0), *(gap.span() for gap in _GAP.finditer(text)), (len(text), len(text))]
    spans = [(first, last) for (_, first), (last, _) in pairwise(edges) if _WORD.search(text[first:last])]
    if len(spans) < 2:
        spans = [match.span() for match in _WORD.finditer(text)]
    return [(cells.width(text[:first]), cells.width(text[:last])) for first, last in spans]


def parts_of(lines: Sequence[Line], place: Place) -> list[tuple[int, int]]:
    """The cells of a row, or of rows of letters: of these what wide gaps part, none where nothing does."""
    if place.rows == 1:
        return parts(lines[place.row])
    rows = [plain(line) for line in lines[place.row : place.row + place.rows]]
    wide = max(map(len, rows), default=0)
    inked = "".join(".#"[any(row[n : n + 1].strip() for row in rows)] for n in range(wide))
    spans = [match.span() for match in _INKED.finditer(inked)]
    spans = [span for span in spans if _words(lines, Place(place.row, place.rows, *span))]
    return spans if len(spans) > 1 else []


def part_at(lines: Sequence[Line], place: Place, column: int) -> tuple[int, int] | None:
    """The cell of a row at a column, None between them."""
    return next((part for part in parts_of(lines, place) if part[0] <= column < part[1]), None)


# -- on the page of another screen ---------------------------------------------------------------------------


class _Row(NamedTuple):
    """What there is to point at, and its words."""

    place: Place
    words: list[str]


def _read(lines: Sequence[Line]) -> list[_Row]:
    return [_Row(place, _words(lines, place)) for place in units(lines)]


def _words(lines: Sequence[Line], place: Place) -> list[str]:
    rows = [plain(line) for line in lines[place.row : place.row + place.rows]]
    drawn = _is_drawn(rows[0])
    if place.last:
        rows = [plain(_parted(line, place)[1]) for line in lines[place.row : place.row + place.rows]]
    if drawn:
        from slides.drawing.large import read_letters

        high = read_letters.height(rows)
        rows = [read_letters.words(rows[n : n + high]) for n in range(0, len(rows), high)] + rows
    return [word for row in rows for word in _WORD.findall(row)]


def said(lines: Sequence[Line], place: Place) -> str:
    """What stands at a place, as one line of text."""
    rows = lines[place.row : place.row + place.rows]
    told = [plain(_parted(line, place)[1] if place.last else line) for line in rows]
    return " ".join(" ".join(told).split())


def found(place: Place, theirs: Sequence[Line], ours: Sequence[Line]) -> list[Place]:
    """The places on our page that show what stands at `place` on theirs: the rows with its words, of rows
    alike the one that is as many behind the first of them."""
    if not 0 <= place.row < len(theirs):
        return []
    words = _words(theirs, place)
    if not words:
        return _in_order(place, theirs, ours)
    mine = _read(ours)
    best = max((_common(words, row.words) for row in mine), default=0)
    if best < LEAST_PART * _letters(words):  # there may be no words of it; "in" and "a" are elsewhere too
        return _in_order(place, theirs, ours)
    alike = [n for n, row in enumerate(mine) if _common(words, row.words) == best]
    before = [row for row in _read(theirs) if row.place.row < place.row and _common(words, row.words) >= best]
    at = alike[min(len(before), len(alike) - 1)]
    first = last = at
    if not place.last:
        # Words that are wrapped elsewhere stand on rows below or above it as well.
        left = _without(words, mine[at].words)
        while left and last + 1 < len(mine) and _begins(mine[last + 1].words, left):
            last += 1
            left = _without(left, mine[last].words)
        while left and first > 0 and mine[first - 1].words and mine[first - 1].words[-1] in left:
            first -= 1
            left = _without(left, mine[first].words)
        return [_its_part(row.place, ours, words) for row in mine[first : last + 1]]
    row, high = mine[at].place.row, mine[at].place.rows
    if high > 1:
        its = [Place(row, high, *part) for part in parts_of(ours, mine[at].place)]
        return [max(its, key=lambda one: _common(words, _words(ours, one)), default=mine[at].place)]
    text = plain(ours[row])
    spans = [match.span() for match in _WORD.finditer(text) if match.group() in words]
    start, end = cells.width(text[: spans[0][0]]), cells.width(text[: spans[-1][1]])
    return [Place(row, 1, start, end)]


def _begins(row: Sequence[str], left: Sequence[str]) -> bool:
    return row[:1] == left[: len(row)][:1]


def _its_part(place: Place, lines: Sequence[Line], words: Sequence[str]) -> Place:
    """A row, or where only some of its parts have any of the words, those: columns stand side by side."""
    if place.rows > 1:
        return place
    row, line = place.row, lines[place.row]
    text = plain(line)
    its = [part for part in parts(line) if set(_WORD.findall(_within(text, part))) & set(words)]
    if not its or len(its) == len(parts(line)) or not _GAP.search(text.strip()):
        return Place(row)
    return Place(row, 1, its[0][0], its[-1][1])


def _within(text: str, part: tuple[int, int]) -> str:
    """The letters between two columns."""
    at, found = 0, ""
    for letter in cells.graphemes(text):
        found += letter if part[0] <= at < part[1] else ""
        at += cells.width(letter)
    return found


def _common(words: Sequence[str], row: Sequence[str]) -> int:
    """Letters of the words that stand in a row too."""
    return _letters(words) - _letters(_without(words, row))


def _letters(words: Sequence[str]) -> int:
    return sum(map(len, words))


def _without(words: Sequence[str], row: Sequence[str]) -> list[str]:
    left = list(row)
    rest: list[str] = []
    for word in words:
        if word in left:
            left.remove(word)
        else:
            rest.append(word)
    return rest


def _in_order(place: Place, theirs: Sequence[Line], ours: Sequence[Line]) -> list[Place]:
    """What has no words we know, by its order among all there is to point at."""
    before, mine = units(theirs), units(ours)
    at = next((n for n, one in enumerate(before) if one.row <= place.row < one.row + one.rows), None)
    if at is None or not mine:
        return []
    return [mine[round(at * (len(mine) - 1) / max(1, len(before) - 1))]]


# -- how it looks --------------------------------------------------------------------------------------------


class Pointed:
    """What is pointed at on the lines of one page."""

    def __init__(
        self,
        light: Sequence[Place],
        pen: Sequence[Place],
        dims: bool,
        coloured: bool,
        above: int = 0,
        cell: bool = False,
    ) -> None:
        """`dims`: a light is on, be it on something here or not; `above`: rows over the first line; `cell`:
        the light is on a cell, not on a row."""
        self._cell = cell
        self._above = above
        self.light, self.pen, self._dims, self._coloured = tuple(light), tuple(pen), dims, coloured

    def look(self, row: int) -> tuple[bool, tuple[Place, ...], tuple[Place, ...]]:
        """All that the look of a row depends on, besides its words."""
        row -= self._above
        lit, marked = (
            tuple(one for one in places if one.row <= row < one.row + one.rows)
            for places in (self.light, self.pen)
        )
        return self._dims, lit, marked

    def line(self, row: int, line: Line, margin: int) -> Line:
        """A row of the page as it is shown, behind its margin."""
        dims, lit, marked = self.look(row)
        if dims and not lit:
            line = _restyled(line, BACK)
        for place in lit:
            if place.last:
                line = _over(line, place, BACK, outside=True)
                if self._cell:
                    line = _over(line, place, None, ground=LIT, underline=not self._coloured)
        for place in marked:
            line = _over(cells.pad(line, place.last), place, PEN, underline=not self._coloured)
        sign = SIGN_OF_LIGHT if lit and margin > 1 else ""
        shown = Span(sign.ljust(min(1, margin)), Style("accent", bold=True))
        edge = PEN if any(place.first < 0 for place in marked) else Style()
        return (Span(" " * max(0, margin - 2)), shown, Span(" " * (margin > 1), edge), *line)


def _extent(place: Place, lines: Sequence[Line]) -> Place:
    """What the pen marks: a row from its first word to its last. Letters have a cell around them: in the
    colour of the page they would be lost at the edge of a mark."""
    around = 1 if place.rows > 1 else 0
    if place.last:
        return Place(place.row, place.rows, place.first - around, place.last + around)
    texts = [text for line in lines[place.row : place.row + place.rows] if (text := plain(line)).strip()]
    first = min((cells.width(text) - cells.width(text.lstrip()) for text in texts), default=0)
    last = max((cells.width(text.rstrip()) for text in texts), default=0)
    return Place(place.row, place.rows, first - around, last + around)


def _parted(line: Line, place: Place) -> tuple[Line, Line, Line]:
    """What stands before a place in its row, in it, and behind it; no letter is torn apart."""
    three: tuple[list[Span], list[Span], list[Span]] = ([], [], [])
    at = 0
    for text, style in line:
        for letter in cells.graphemes(text):
            three[(at >= place.first) + (at >= place.last)].append(Span(letter, style))
            at += cells.width(letter)
    before, within, after = (joined(spans) for spans in three)
    return before, within, after


def _restyled(line: Line, style: Style) -> Line:
    """In the colours of `style`; the cells of a picture say in theirs which they are."""
    return tuple(span if SIGN in span.text else Span(span.text, style) for span in line)


def _over(
    line: Line,
    place: Place,
    style: Style | None,
    *,
    ground: str = "",
    underline: bool = False,
    outside: bool = False,
) -> Line:
    """The line with the cells of a place, or those outside them, in another style or on another ground."""
    before, within, after = _parted(line, place)
    if outside:
        assert style is not None
        return (*_restyled(before, style), *within, *_restyled(after, style))
    shown = tuple(
        span
        if SIGN in span.text
        else Span(
            span.text, (style or span.style.on(ground))._replace(underline=underline or span.style.underline)
        )
        for span in within
    )
    return (*before, *shown, *after)


def on_page(
    point: Point, theirs: Sequence[Line], ours: Sequence[Line], above: int, coloured: bool
) -> Pointed:
    """What `point` is about on our page, which stands `above` rows down; `theirs` is laid out here too."""
    light = found(point.light, theirs, ours) if point.light else []
    pen = [_extent(one, ours) for place in point.pen for one in found(place, theirs, ours)]
    cell = point.light is not None and point.light.last > 0
    return Pointed(light, pen, point.light is not None, coloured, above, cell)
