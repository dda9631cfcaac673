"""Tables: columns as wide as their words need, narrowed fairly when the slide is not wide enough."""

from __future__ import annotations

from collections.abc import Sequence

from slides.drawing.cells import clip, pad, room, wrap
from slides.drawing.text import PLAIN, Line, Span, Style, plain

Cells = Sequence[Sequence[Line]]
"""One row: for each column the lines of its cell, before wrapping."""

_RULE = Style("line")
_AIRY_GAP = 7


def table_lines(
    rows: Sequence[Cells],
    align: Sequence[str],
    width: int,
    *,
    whole: bool = False,
    airy: bool = False,
    dense: bool = False,
) -> list[Line]:
    """The rows, the first being the head, in at most `width` cells; cells that are too wide are wrapped. Of a
    head without words nothing is drawn.

    `whole`: a row takes one line, and of what does not fit the end is cut off. `airy`: columns stand as far
    apart as there is room for, rows have a blank one between them. `dense`: no rows have.
    """
    columns = range(len(align))
    natural = [max(1, *(room(plain(line)) for row in rows for line in row[column])) for column in columns]
    gap = 3 if sum(natural) + 3 * (len(natural) - 1) <= width else 2
    if len(natural) + gap * (len(natural) - 1) > width:
        gap = 1
    if airy and len(natural) > 1:
        gap = max(gap, min(_AIRY_GAP, (width - sum(natural)) // (len(natural) - 1)))
    widths = natural
    if not whole:
        words = [
            max(_longest_word(line) for row in rows for line in row[column] or [()]) for column in columns
        ]
        widths = narrowed(natural, width - gap * (len(natural) - 1), words)
    lines: list[Line] = []
    if any(plain(line).strip() for cell in rows[0] for line in cell):  # a table may have a head of blanks
        lines = _row(rows[0], widths, align, gap, whole)
        lines.append((Span((" " * gap).join("─" * cells for cells in widths), _RULE),))
    wrapped = [_row(row, widths, align, gap, whole) for row in rows[1:]]
    # Rows of several lines run into each other without air between them.
    airy = airy or (not dense and any(len(row) > 1 for row in wrapped))
    for n, row in enumerate(wrapped):
        lines += [()] * (airy and n > 0) + row
    return [clip(line, width) for line in lines]


def narrowed(natural: Sequence[int], room: int, words: Sequence[int]) -> list[int]:
    """Widths of at least 1, summing to at most `room` where that is possible; the widest give way first.

    `words` are the columns' longest words: none is broken while there is another way.
    """
    widths = list(natural)
    for least in (words, [1] * len(widths)):
        while (excess := sum(widths) - room) > 0:
            free = [n for n, cells in enumerate(widths) if cells > least[n]]
            if not free:
                break
            widest = max(widths[n] for n in free)
            at_top = [n for n in free if widths[n] == widest]
            below = max((widths[n] for n in free if widths[n] < widest), default=0)
            step = max(1, min(widest - max(below, 1), excess // len(at_top)))
            for n in at_top[:excess]:
                widths[n] -= min(step, widths[n] - least[n])
    return widths


def _longest_word(line: Line) -> int:
    return max(map(room, plain(line).split()), default=1)


def _row(row: Cells, widths: Sequence[int], align: Sequence[str], gap: int, whole: bool) -> list[Line]:
    cells = [
        [piece for line in cell for piece in ([line] if whole else wrap(line, width))]
        for cell, width in zip(row, widths, strict=True)
    ]
    between = Span(" " * gap, PLAIN)
    lines: list[Line] = []
    for n in range(max(map(len, cells))):
        spans: list[Span] = []
        for cell, width, side in zip(cells, widths, align, strict=True):
            if spans:
                spans.append(between)
            spans += pad(cell[n] if n < len(cell) else (), width, align=side)
        lines.append(tuple(spans))
    return lines
