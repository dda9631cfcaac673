"""What every view does with its lines: exactly the size asked for, columns as wide as their figures, bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.canvas import tick_label, ticks
from slides.drawing.text import PLAIN, Line, Span, Style
from tui.figures import numbers

DIM = Style("dim")
GAP = 2  # cells between two columns


def framed(lines: Sequence[Line], width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells, cut or filled with blanks."""
    shown = list(lines[: max(0, height)])
    shown += [()] * (max(0, height) - len(shown))
    return [cells.fit(line, width) for line in shown] if width > 0 else [()] * len(shown)


def nothing(title: str, why: str, width: int, height: int) -> list[Line]:
    """A view without anything to show says why."""
    return framed([(Span(title, DIM),), *([()] if height > 2 else []), (Span(why, DIM),)], width, height)


class Column(NamedTuple):
    """A column of figures under its word. The highest `need` is the first to go where room is short."""

    head: str
    cells: Sequence[Span]
    need: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        """Cells that its head and its widest cell need."""
        return max(cells.width(self.head), *(cells.width(cell.text) for cell in self.cells), 1)


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns that fit `width` together, in their order; the most needed one stays."""
    kept = list(columns)
    while len(kept) > 1 and used(kept) > width:
        kept.remove(max(kept, key=lambda column: column.need))
    return kept


def used(columns: Sequence[Column]) -> int:
    """Cells that columns and the gaps between them take."""
    return sum(column.width + GAP for column in columns) - GAP


def columned(columns: Sequence[Column], extra: Sequence[Line] = ()) -> list[Line]:
    """A head and a line per row; `extra` stands behind each of them, the first behind the head."""
    lines: list[Line] = []
    for n in range(1 + max((len(column.cells) for column in columns), default=0)):
        spans: list[Span] = []
        for at, column in enumerate(columns):
            cell = Span(column.head, DIM) if n == 0 else column.cells[n - 1]
            spans += [Span(" " * GAP)] * (at > 0)
            spans += cells.fit((cell,), column.width, PLAIN, "right" if column.right else "left")
        lines.append((*spans, *(extra[n] if n < len(extra) else ())))
    return lines


def axis(most: float, width: int, unit: str) -> Line:
    """Round figures from 0 to `most` under a bar of `width` cells, the last with its unit.

    `unit` is `s` or `B`; the figures are in ms, MB or what fits.
    """
    steps: tuple[tuple[float, str], ...] = ((1.0, "s"), (1e-3, "ms"))
    if unit == "B":
        steps = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
    scale, word = next(((s, w) for s, w in steps if most >= s), steps[-1])
    values = ticks(0.0, most / scale, max(2, width // 14))
    apart = values[1] - values[0] if len(values) > 1 else most / scale
    text, end = [" "] * width, 0
    for n, value in enumerate(values):
        label = tick_label(value, apart) + (f" {word}" if n == len(values) - 1 else "")
        start = min(round(min(1.0, value * scale / most) * width), width - len(label)) if most > 0 else 0
        if end <= start and start >= 0:
            text[start : start + len(label)] = label
            end = start + len(label) + 1
    return (Span("".join(text), DIM),)


def spread(left: Line, right: Line, width: int) -> Line:
    """`left` and `right` at the two ends; where both do not fit, the right one is left out."""
    gap = width - cells.line_width(left) - cells.line_width(right)
    return (*left, Span(" " * gap), *right) if gap > 0 else left


def dash(text: str, style: Style = PLAIN) -> Span:
    """A figure, or a dim dash where it is not known."""
    return Span(text, DIM if text == numbers.DASH else style)
