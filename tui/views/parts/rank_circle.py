"""Four ranks at the corners of a square, and an arrow from each to whom it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slides.drawing.cells import clip_text
from slides.drawing.text import Line, Span, Style

BOX, TALL = 16, 4  # cells and rows of a rank
LEAST_GAP, DOWN = 8, 3  # between two boxes: cells, rows
NAME, DOING, ARROW, FRAME = (
    Style("heading", bold=True),
    Style("warning"),
    Style("bad", bold=True),
    Style("bad"),
)
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))  # of ranks 0 to 3: column, row


def circle(ranks: int, edges: Sequence[tuple[int, int]], doing: Mapping[int, str], width: int) -> list[Line]:
    """Return the picture, none where it cannot be drawn: other than four ranks, a diagonal, too few cells."""
    gap = min(26, width - 2 * BOX - 2)
    diagonal = any((a - b) % 4 == 2 for a, b in edges)
    if ranks != 4 or not edges or diagonal or gap < LEAST_GAP:
        return []
    rows = [[Span(" ")] * (2 * BOX + gap) for _ in range(2 * TALL + DOWN)]

    def put(x: int, y: int, text: str, style: Style) -> None:
        for n, character in enumerate(text):
            rows[y][x + n] = Span(character, style)

    for rank, (column, row) in enumerate(CORNERS):
        x, y = column * (BOX + gap), row * (TALL + DOWN)
        frame = FRAME if any(rank == a for a, _ in edges) else Style("line")
        put(x, y, "╭" + "─" * (BOX - 2) + "╮", frame)
        put(x, y + TALL - 1, "╰" + "─" * (BOX - 2) + "╯", frame)
        for inner in range(1, TALL - 1):
            put(x, y + inner, "│", frame)
            put(x + BOX - 1, y + inner, "│", frame)
        put(x + 1, y + 1, f"rank {rank}".center(BOX - 2), NAME)
        put(x + 1, y + 2, clip_text(doing.get(rank, ""), BOX - 2).center(BOX - 2), DOING)
    for a, b in edges:
        (ax, ay), (bx, by) = CORNERS[a], CORNERS[b]
        if ay == by:  # beside each other; the way back has a row of its own
            y = ay * (TALL + DOWN) + (1 if ax < bx else 2)
            put(BOX, y, "─" * (gap - 1) + "▶" if ax < bx else "◀" + "─" * (gap - 1), ARROW)
        else:
            x = ax * (BOX + gap) + BOX // 2 + (2 if ay < by else -3)
            for n in range(DOWN):
                last = n == (DOWN - 1 if ay < by else 0)
                put(x, TALL + n, ("▼" if ay < by else "▲") if last else "│", ARROW)
    margin = Span(" " * max(0, (width - 2 * BOX - gap) // 2))
    return [(margin, *_joined(row)) for row in rows]


def _joined(row: Sequence[Span]) -> Line:
    spans: list[Span] = []
    for span in row:
        if spans and spans[-1].style == span.style:
            spans[-1] = Span(spans[-1].text + span.text, span.style)
        else:
            spans.append(span)
    return tuple(spans)
