"""The pictures that can be shown by pixels, and what goes to the terminal in place of their cells."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from slides.drawing.text import Line, Span
from slides.pixel_cells import MOST, RUN, SIGN
from tui.graphics import placeholder
from tui.graphics.placeholder import SAVE, Piece, back

if TYPE_CHECKING:
    from PIL import Image

_MOVED = re.compile(r"\x1b\[(\d+);\d+H")
CUT = 2  # parts of rows, as under the marks of what is above and below
HELD = 40  # pictures that a terminal which remembers them is left with
Cell = tuple[int, int]
"""Pixels of a cell: width, height."""


class Way(Protocol):
    """How one kind of terminal is told of pixels. A payload is whatever `prepare` made of a picture."""

    remembers: bool  # the terminal keeps what was sent, and must be told when it may go

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: Cell) -> Any:
        """Encode a picture of `columns` x `rows` cells, RGBA. In a thread. None: it is too large."""

    def begin(self, number: int, columns: int, rows: int, payload: Any) -> str:
        """What is sent before the first of its cells."""

    def draw(self, piece: Piece, columns: int, payload: Any) -> str:
        """What is sent in place of some of its cells; the cursor ends behind them."""

    def cut(self, payload: Any, parts: Iterable[tuple[int, int, int]]) -> None:
        """Encode stretches (row, first, cells) that are shown alone. In a thread."""

    def end(self, number: int) -> str:
        """What is sent when it may be forgotten."""


class PixelPicture(NamedTuple):
    """A picture ready to be shown; `blocks` is the same in half blocks."""

    columns: int
    rows: int
    payload: Any
    blocks: Sequence[Line]
    parts: frozenset[tuple[int, int, int]] = frozenset()
    """Stretches (row, first, cells) that are shown alone, for words stand between them."""


class PixelPictures:
    """Hung by a thread, shown by the screen."""

    def __init__(self, way: Way, height: Callable[[], int] = int) -> None:
        """`height()` is that of the terminal, in rows; 0 where it is not known."""
        self.way, self._height = way, height
        self._hung: dict[int, PixelPicture] = {}
        self._next = 0
        self._sent: OrderedDict[int, None] = OrderedDict()
        self._gone: list[int] = []
        self._lock = threading.Lock()

    def hang(self, plate: PixelPicture) -> int | None:
        """Its number from now on; None where there is no room, or it has more cells than can be named."""
        if max(plate.columns, plate.rows) > MOST:
            return None
        with self._lock:
            # A number is used again as late as can be: something may still show what had it.
            for n in range(self._next, self._next + MOST):
                if (number := n % MOST) and number not in self._hung:
                    self._hung[number] = plate
                    self._next = number + 1
                    return number
        return None

    def hang_again(self, number: int, plate: PixelPicture) -> None:
        """Show another picture under the same number: the terminal is sent it with its first cells."""
        with self._lock:
            self._hung[number] = plate
            self._sent.pop(number, None)

    def plate(self, number: int) -> PixelPicture | None:
        """Return the picture of this number, None once it has been taken down."""
        return self._hung.get(number)

    def take_down(self, number: int) -> None:
        """Forget a picture; the terminal is told with the next write. Safe from any thread."""
        with self._lock:
            if self._hung.pop(number, None) is not None:
                self._gone.append(number)

    def lines(self, number: int) -> list[Line]:
        """The cells of a picture, as lines of a slide; none where it was just taken down."""
        plate = self._hung.get(number)
        if plate is None:
            return []
        return [(Span(placeholder.row(number, y, plate.columns)),) for y in range(plate.rows)]

    # --- on the way to the terminal ---------------------------------------------------------------------

    def shown(self, data: str) -> str:
        """What is written to the terminal, with pixels in place of the cells of pictures."""
        if SIGN not in data:
            return data
        begun: list[str] = []
        cut = 0

        def draw(match: re.Match[str]) -> str:
            nonlocal cut
            parts = []
            for piece in placeholder.pieces(match[0]):
                plate = self._hung.get(piece.number)
                if plate is None or not _inside(piece, plate):
                    parts.append(" " * piece.width)
                    continue
                if not self.way.remembers:
                    # A part of a row is encoded now: while slides move, each of their rows would be.
                    whole = piece.width == plate.columns or piece[1:] in plate.parts
                    cut += not whole
                    moves = not whole and cut > CUT
                    if moves or self._scrolls(data, match.start()):
                        parts.append(self._blocks(piece))
                        continue
                begun.append(self._begin(piece.number, plate))
                parts.append(self.way.draw(piece, plate.columns, plate.payload))
            return "".join(parts)

        drawn = RUN.sub(draw, data)
        return "".join(begun) + drawn + self._forgotten()

    def _scrolls(self, data: str, at: int) -> bool:
        """Whether pixels there would scroll the terminal: on its last row, for their bands are higher."""
        moved = None
        while moved is None and at > 0:
            at = data.rfind("\x1b[", 0, at)
            moved = _MOVED.match(data, max(0, at))
        return moved is not None and int(moved[1]) == self._height()

    def _begin(self, number: int, plate: PixelPicture) -> str:
        if not self.way.remembers:
            return ""
        known = number in self._sent
        self._sent[number] = None
        self._sent.move_to_end(number)
        if known:
            return ""
        told = self.way.begin(number, plate.columns, plate.rows, plate.payload)
        if len(self._sent) > HELD:
            told = self.way.end(self._sent.popitem(last=False)[0]) + told
        return told

    def _forgotten(self) -> str:
        """Have the terminal forget what was taken down."""
        if not self._gone:
            return ""
        with self._lock:
            gone, self._gone = self._gone, []
        return "".join(self.way.end(n) for n in gone if self._sent.pop(n, 0) is None)

    def clear(self) -> str:
        """What has the terminal forget everything."""
        sent, self._sent = self._sent, OrderedDict()
        return "".join(map(self.way.end, sent))

    def lost(self) -> None:
        """The terminal has forgotten everything, or is another one."""
        self._sent.clear()

    def as_blocks(self, data: str) -> str:
        """The same by half blocks: for a recording, which has no pixels."""
        if SIGN not in data:
            return data

        def draw(match: re.Match[str]) -> str:
            return "".join(map(self._blocks, placeholder.pieces(match[0])))

        return RUN.sub(draw, data)

    def _blocks(self, piece: Piece) -> str:
        plate = self._hung.get(piece.number)
        if plate is None or not _inside(piece, plate):
            return " " * piece.width
        spans = plate.blocks[piece.row]
        cells = [(span.style, letter) for span in spans for letter in span.text]
        drawn = ""
        for style, some in groupby(cells[piece.first : piece.first + piece.width], itemgetter(0)):
            text = "".join(letter for _, letter in some)
            colours = _sgr("38", style.ink) + _sgr("48", style.ground)
            # What is clear has the colours around, and those are as they were behind each stretch.
            drawn += f"{SAVE}{colours}{text}{back(len(text))}" if colours else text
        return drawn


def _inside(piece: Piece, plate: PixelPicture) -> bool:
    return piece.row < plate.rows and piece.first + piece.width <= plate.columns


def _sgr(what: str, colour: str) -> str:
    """A colour of half blocks, "" where it is clear."""
    if not colour.startswith("#"):
        return ""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"\x1b[{what};2;{red};{green};{blue}m"
