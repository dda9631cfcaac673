"""Names and figures of a chart in letters of three rows, for the last row of a room."""

from __future__ import annotations

from collections.abc import Sequence

from slides.drawing.cells import clean, line_width
from slides.drawing.large.letters import ROWS, Size, letters
from slides.drawing.text import Line, Span, Style

SIZES: tuple[Size, ...] = ("low", "slim")
HIGH = ROWS["low"]
_GAP = 4  # cells between two entries of a legend
_WORD = 3  # cells between two names: less is read as one


def in_one_size(texts: Sequence[str], cells: int) -> list[list[str]] | None:
    """Each text in one row of letters of at most so many cells, all of one size; None: no room."""
    for size in SIZES:
        drawn = [
            letters(text, max(1, cells), (size,), 1) if text else [""] * HIGH for text in map(clean, texts)
        ]
        if all(drawn):
            return [[row.ljust(max(map(len, rows))) for row in rows] for rows in drawn if rows]
    return None


def side_by_side(texts: Sequence[str], cells: int, style: Style) -> list[Line]:
    """Texts under bars, each in so many cells; empty where one has no room."""
    drawn = in_one_size(texts, cells - _WORD) or []
    return [tuple(Span(row.ljust(cells), style) for row in rows) for rows in zip(*drawn, strict=True)]


def large_entries(entries: Sequence[Line], columns: int) -> list[Line] | None:
    """A legend on one line of letters; None where that has no room."""
    texts = [entry[-1].text.strip() for entry in entries]
    drawn = in_one_size(texts, columns)
    if drawn is None:
        return None
    lines: list[Line] = []
    for n in range(HIGH):
        spans: list[Span] = []
        for entry, rows in zip(entries, drawn, strict=True):
            spans += [Span(" " * _GAP)] if spans else []
            spans += [_mark(entry[0], n), Span(" ")] if len(entry) > 1 else []
            spans.append(Span(rows[n].ljust(max(map(len, rows))), entry[-1].style))
        lines.append(tuple(spans))
    return lines if line_width(lines[0]) <= columns else None


def _mark(mark: Span, row: int) -> Span:
    """Row `row` of what stands before a name: a colour, or once the letter of a line."""
    # The last row of letters is mostly empty: what is no letter ends over it.
    times = (2 if row < HIGH - 1 else 0) if len(mark.text) > 1 else row == HIGH // 2
    return mark._replace(text=(mark.text * times).rjust(4))


def write(grid: list[list[Span]], row: int, left: int, thick: int, text: str, style: Style) -> bool:
    """Write a figure in letters into the cells of a bar, in its middle from `row` on; False: no room."""
    drawn = in_one_size([text], thick - 1)
    if drawn is None or not 0 <= row <= len(grid) - HIGH:
        return False
    wide = max(map(len, drawn[0]))
    at = left + (thick - wide) // 2
    for n, signs in enumerate(drawn[0]):
        grid[row + n][at : at + wide] = [Span(sign, style) for sign in signs.ljust(wide)]
    return True
