"""What matters most in a view, in letters of three rows for the last row of a room."""

from __future__ import annotations

from slides.drawing import cells
from slides.drawing.large import three_rows
from slides.drawing.text import Line, Span

FROM = 120, 24  # cells and rows of a view from which on it may have one
HIGH = three_rows.TIMES  # rows of a row of letters
_DOT = "·"  # between the parts of a line


def headline(line: Line, width: int, most: int = 1) -> list[Line]:
    """The line in at most `most` rows of letters, in as few as can be, in the widest that take no more;
    empty where it has no room, or a word without letters."""
    if not three_rows.has_letters([line]):
        return []
    thin = tuple(span._replace(style=span.style._replace(bold=False)) for span in line)
    found: list[Line] = []
    for said, slim in ((line, False), (thin, False), (thin, True)):
        if three_rows.longest_word(said, slim=slim) <= width:
            drawn = three_rows.text([said], width, tight=True, slim=slim)
            if len(drawn) <= HIGH * most and (not found or len(drawn) < len(found)):
                found = drawn
    return found


def first_part(line: Line, width: int) -> list[Line]:
    """A part of a line, or two, in one row of letters, the others below in their own size; empty where the
    first of them has no room."""
    ends = [*(n for n, span in enumerate(line) if span.text.strip() == _DOT), len(line)]
    for end in reversed(ends[:2]):
        if drawn := headline(line[:end], width):
            rest = line[end + 1 :]
            return [*drawn, cells.clip((Span("  "), *rest), width)] if rest else drawn
    return []
