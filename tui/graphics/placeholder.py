"""Cells that stand for a piece of a picture (`slides/pixel_cells.py`): made for a row, and read again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from slides.pixel_cells import MARKS, MOST, SIGN

_NUMBER = {mark: n for n, mark in enumerate(MARKS)}

SAVE = "\x1b7"  # cursor and colours


def back(width: int) -> str:
    """To where it was saved, and behind so many cells, in the colours that were there."""
    return f"\x1b8\x1b[{width}C"


class Piece(NamedTuple):
    """`width` cells of one row of a picture, from column `first` on."""

    number: int
    row: int
    first: int
    width: int


@lru_cache(2048)  # rows are painted more often than they are made
def row(number: int, row: int, columns: int) -> str:
    """The cells of one row of picture `number`; all three count from 0 and are less than `MOST`."""
    return "".join(SIGN + MARKS[row] + mark + MARKS[number] for mark in MARKS[:columns])


@lru_cache(2048)
def pieces(cells: str) -> tuple[Piece, ...]:
    """What a run of cells shows, in the order of its columns."""
    y, x, number = (_NUMBER[mark] for mark in cells[1:4])
    end = x + len(cells) // 4
    if row(number, y, MOST)[4 * x : 4 * end] == cells:  # as nearly all are
        return (Piece(number, y, x, end - x),)
    return tuple(_pieces(cells))


def _pieces(cells: str) -> Iterator[Piece]:
    found: Piece | None = None
    for at in range(0, len(cells), 4):
        y, x, number = (_NUMBER[mark] for mark in cells[at + 1 : at + 4])
        if found is not None and (found.number, found.row, found.first + found.width) == (number, y, x):
            found = found._replace(width=found.width + 1)
            continue
        if found is not None:
            yield found
        found = Piece(number, y, x, 1)
    if found is not None:
        yield found
