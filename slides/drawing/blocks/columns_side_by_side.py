"""Columns: side by side where each has room, else one below the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from slides import deck
from slides.deck import AnyBlock
from slides.drawing.cells import pad
from slides.drawing.text import Line, Span

_NARROWEST = 20  # cells; columns that would be narrower are stacked


def lines(
    block: deck.Columns, width: int, draw: Callable[[Sequence[AnyBlock], int], list[Line]]
) -> list[Line]:
    """Return the columns in `width` cells; `draw` gives the lines of blocks at a width."""
    gap = 4 if width >= 80 else 3
    shares = [max(share, 1) for share in block.widths]
    room = width - gap * (len(shares) - 1)
    edges = [round(room * sum(shares[:n]) / sum(shares)) for n in range(len(shares) + 1)]
    widths = [b - a for a, b in pairwise(edges)]
    if len(shares) < 2 or min(widths) < _NARROWEST or len(shares) != len(block.columns):
        return draw([inner for column in block.columns for inner in column], width)
    columns = [draw(column, cells) for column, cells in zip(block.columns, widths, strict=True)]
    rows: list[Line] = []
    for n in range(max(map(len, columns))):
        spans: list[Span] = []
        for column, cells in zip(columns, widths, strict=True):
            if spans:
                spans.append(Span(" " * gap))
            spans += pad(column[n] if n < len(column) else (), cells)
        rows.append(tuple(spans))
    return rows
