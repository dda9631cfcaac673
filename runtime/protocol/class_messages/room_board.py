"""What a teacher puts on the room's screens from what the room answered: its words, or how its teams do."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

MOST_ROWS, MOST_WORDS = 60, 64  # rows of a board, characters of one


class BoardRow(Struct, frozen=True):
    """A word and how many wrote it; or a team, its share of the points in percent and how many are in it."""

    text: str
    n: int
    people: int = 0


class Board(Struct, frozen=True):
    """A board of `rows`, the largest first; texts are untrusted."""

    kind: Literal["words", "teams"]
    heading: str
    rows: tuple[BoardRow, ...]


def bounded(board: Board) -> Board:
    """Return the part of a board that is told: so many rows, so long."""
    rows = tuple(
        BoardRow(row.text[:MOST_WORDS], max(0, row.n), max(0, row.people)) for row in board.rows[:MOST_ROWS]
    )
    return Board(board.kind, board.heading[:200], rows)
