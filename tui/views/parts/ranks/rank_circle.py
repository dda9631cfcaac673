"""Ranks, and an arrow from each to whom it waits for: a circle of them, or those that all wait for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slides.drawing.cells import clip_text
from slides.drawing.text import Line, Span, Style, joined

BOX, TALL = 16, 4  # cells and rows of a rank
SMALL = 12  # cells of one of many
MOST_PAIRS = 4
LEAST_GAP, DOWN, DEEPEST = 8, 3, 9  # between two boxes: cells, rows, rows where there is much room
NAME, DOING, ARROW, FRAME = (
    Style("heading", bold=True),
    Style("warning"),
    Style("bad", bold=True),
    Style("bad"),
)
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))  # of ranks 0 to 3: column, row


def circle(
    ranks: int, edges: Sequence[tuple[int, int]], doing: Mapping[int, str], width: int, height: int = 0
) -> list[Line]:
    """Return the picture, none where there is no room for it. `height` is what a square may use.

    Four ranks stand at the corners of a square. Others, and four with a diagonal, stand in two rows around
    which the circle goes, or as those that wait beside those that they wait for.
    """
    gap = min(26, width - 2 * BOX - 2)
    diagonal = any((a - b) % 4 == 2 for a, b in edges)
    if not edges or gap < LEAST_GAP:
        return []
    if ranks != 4 or diagonal:
        order = _order(edges)
        return _round(order, doing, width) if order else _beside(edges, doing, width)
    down = max(DOWN, min(DEEPEST, height - 2 * TALL))
    paper = _Paper(2 * BOX + gap, 2 * TALL + down)
    for rank, (column, row) in enumerate(CORNERS):
        frame = FRAME if any(rank == a for a, _ in edges) else Style("line")
        paper.box(column * (BOX + gap), row * (TALL + down), BOX, f"rank {rank}", doing.get(rank, ""), frame)
    for a, b in edges:
        (ax, ay), (bx, by) = CORNERS[a], CORNERS[b]
        if ay == by:  # beside each other; the way back has a row of its own
            y = ay * (TALL + down) + (1 if ax < bx else 2)
            paper.put(BOX, y, "─" * (gap - 1) + "▶" if ax < bx else "◀" + "─" * (gap - 1), ARROW)
        else:
            x = ax * (BOX + gap) + BOX // 2 + (2 if ay < by else -3)
            for n in range(down):
                last = n == (down - 1 if ay < by else 0)
                paper.put(x, TALL + n, ("▼" if ay < by else "▲") if last else "│", ARROW)
    return paper.lines(width)


def _order(edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The ranks of a circle, each before the one it waits for; () where there is none, or ranks beside it."""
    after: dict[int, int] = {}
    for a, b in edges:
        if after.setdefault(a, b) != b:
            return ()
    order = [min(after)]
    while (following := after.get(order[-1])) is not None and following not in order:
        order.append(following)
    whole = following == order[0] and len(order) == len(after) > 2
    return tuple(order) if whole else ()


def _round(order: Sequence[int], doing: Mapping[int, str], width: int) -> list[Line]:
    """The first half of a circle in a row, the rest below it, the other way round."""
    above = (len(order) + 1) // 2
    gap = min(8, (width - above * SMALL) // max(1, above - 1))
    if gap < 3:
        return []
    step = SMALL + gap
    columns = [*range(above), *range(above - 1, above - 1 - (len(order) - above), -1)]
    paper = _Paper(above * step - gap, 2 * TALL + DOWN)
    places = [(column * step, 0 if n < above else TALL + DOWN) for n, column in enumerate(columns)]
    for rank, (x, y) in zip(order, places, strict=True):
        paper.box(x, y, SMALL, f"rank {rank}", doing.get(rank, ""))
    for n in range(above - 1):
        paper.put(n * step + SMALL, 1, "─" * (gap - 1) + "▶", ARROW)
    for n in range(above, len(order) - 1):
        paper.put(columns[n] * step - gap, TALL + DOWN + 1, "◀" + "─" * (gap - 1), ARROW)
    right, last = (above - 1) * step + SMALL // 2, places[-1]
    for row in range(DOWN):
        paper.put(right, TALL + row, "▼" if row == DOWN - 1 else "│", ARROW)
    for row in range(DOWN):
        paper.put(SMALL // 2, TALL + row, "│" if row else "▲", ARROW)
    if last[0]:  # an odd number: the way up begins beside the last one
        for row in range(TALL + DOWN, TALL + DOWN + 2):
            paper.put(SMALL // 2, row, "│", ARROW)
        paper.put(SMALL // 2, TALL + DOWN + 1, "╰" + "─" * (last[0] - SMALL // 2 - 1), ARROW)
    return paper.lines(width)


def _beside(edges: Sequence[tuple[int, int]], doing: Mapping[int, str], width: int) -> list[Line]:
    """Those that wait on the left, whom they wait for on the right."""
    groups: dict[int, set[int]] = {}
    for a, b in edges:
        groups.setdefault(b, set()).add(a)
    together: dict[tuple[int, ...], list[int]] = {}
    for target, waits in groups.items():
        together.setdefault(tuple(sorted(waits)), []).append(target)
    wide = min(28, (width - LEAST_GAP) // 2)
    if len(together) > MOST_PAIRS or wide < BOX:
        return []
    gap = min(16, width - 2 * wide)
    paper = _Paper(2 * wide + gap, len(together) * TALL)
    for n, (waiting, targets) in enumerate(together.items()):
        for x, some in ((0, list(waiting)), (wide + gap, sorted(targets))):
            acts = sorted({doing.get(rank, "") for rank in some})
            paper.box(x, n * TALL, wide, _names(some), acts[0] if len(acts) == 1 else "")
        paper.put(wide, n * TALL + 1, "─" * (gap - 1) + "▶", ARROW)
    return paper.lines(width)


def _names(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    row = list(ranks) == list(range(ranks[0], ranks[-1] + 1)) and len(ranks) > 3
    return f"ranks {ranks[0]} to {ranks[-1]}" if row else f"ranks {', '.join(map(str, ranks))}"


class _Paper:
    """Cells that are written onto, and their lines in the middle of a width."""

    def __init__(self, width: int, height: int) -> None:
        self._rows = [[Span(" ")] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: Style) -> None:
        for n, character in enumerate(text):
            self._rows[y][x + n] = Span(character, style)

    def box(self, x: int, y: int, wide: int, name: str, doing: str, frame: Style = FRAME) -> None:
        self.put(x, y, "╭" + "─" * (wide - 2) + "╮", frame)
        self.put(x, y + TALL - 1, "╰" + "─" * (wide - 2) + "╯", frame)
        for inner, text, style in ((1, name, NAME), (2, doing, DOING)):
            self.put(x, y + inner, "│", frame)
            self.put(x + wide - 1, y + inner, "│", frame)
            self.put(x + 1, y + inner, clip_text(text, wide - 2).center(wide - 2), style)

    def lines(self, width: int) -> list[Line]:
        margin = Span(" " * max(0, (width - len(self._rows[0])) // 2))
        return [(margin, *joined(row)) for row in self._rows]
