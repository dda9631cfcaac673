"""Pixels for terminals that keep none: with every row of cells that is painted go those that belong to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from tui.graphics.placeholder import SAVE, Piece, back

MOST_PIXELS = 2_500_000  # more than a second of work, and a megabyte for every repaint


class Sliced(Protocol):
    """What `Slices` needs of a picture: its rows, encoded."""

    @property
    def rows(self) -> list[str]:
        """Each row of cells over the whole width, encoded."""

    @property
    def parts(self) -> dict[tuple[int, int, int], str]:
        """Stretches (row, first, cells) that are shown alone, encoded."""


S = TypeVar("S", bound=Sliced)


class Slices(ABC, Generic[S]):
    """Picture protocol without numbers: pixels are sent again wherever a row is drawn."""

    remembers = False

    @abstractmethod
    def cells(self, sliced: S, row: int, first: int, count: int) -> str:
        """Some cells of a row of them, encoded."""

    def begin(self, number: int, columns: int, rows: int, payload: S) -> str:
        """Nothing: a picture is sent with each of its rows."""
        return ""

    def draw(self, piece: Piece, columns: int, payload: S) -> str:
        """A piece of a row: the whole row as it was prepared, or the cells of it that are seen."""
        if piece.first == 0 and piece.width == columns:
            cells = payload.rows[piece.row]
        elif (known := payload.parts.get(piece[1:])) is not None:
            cells = known
        else:
            cells = self.cells(payload, piece.row, piece.first, piece.width)
        # What was there is wiped out; the cursor ends behind the cells, as after text.
        return f"\x1b[{piece.width}X{SAVE}{cells}{back(piece.width)}"

    def cut(self, payload: S, parts: Iterable[tuple[int, int, int]]) -> None:
        """Encode stretches that are shown alone. In a thread."""
        for part in parts:
            payload.parts[part] = self.cells(payload, *part)

    def end(self, number: int) -> str:
        """Nothing: the terminal keeps none of it."""
        return ""
