"""A row of a grid whose cells have a colour and a figure in their middle: as high as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

_GAP = 1  # cells between two columns
_SIZES = ((5, 2), (3, 1), (2, 1))  # rows of a cell, and blank ones between two, the most generous first


class Cell(NamedTuple):
    """Words on a colour; `ground` "" leaves it blank."""

    text: str
    ground: str
    ink: str = "background"
    bold: bool = True


QUIET, NEW, WHOLE = ("idle", "text"), ("accent", "background"), ("good", "background")


def size(count: int, room: int) -> tuple[int, int] | None:
    """Rows of a cell and between two where `count` of them share `room`; None: too little for any."""
    return next(((high, gap) for high, gap in _SIZES if count * (high + gap) - gap <= room), None)


def row(label: Span, held: Sequence[Cell], column: int, high: int, tail: Line = ()) -> list[Line]:
    """`high` lines of cells `column` wide, gap included; label, figures and `tail` stand in the middle."""
    lines: list[Line] = []
    for y in range(high):
        middle = y == (high - 1) // 2
        spans = [label if middle else Span(" " * cells.width(label.text))]
        for cell in held:
            style = Style(cell.ink, cell.ground, bold=cell.bold) if cell.ground else Style("dim")
            text = cells.clip_text(cell.text, column - _GAP) if middle else ""
            spans += [*cells.fit((Span(text, style),), column - _GAP, style, "center"), Span(" " * _GAP)]
        lines.append((*spans, *(tail if middle else ())))
    return lines
