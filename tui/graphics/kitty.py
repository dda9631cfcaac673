"""Kitty's graphics protocol: a picture is sent once, and shown wherever cells name it.

https://sw.kovidgoyal.net/kitty/graphics-protocol/ -- the colour of the cells is the lower part of the id. It
is one of the 256 of the palette, not of 16 million: what tmux makes of those is not always the same number.
"""

from __future__ import annotations

import io
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from slides.pixel_cells import SIGN
from tui.graphics.placeholder import SAVE, Piece, back, row

if TYPE_CHECKING:
    from PIL import Image

CHUNK = 4096  # the most base64 in one sequence
MOST_PIXELS = 1_200_000  # more are not sent: the terminal enlarges
MOST_PIXELS_AWAY = 300_000  # over a line


class Quick(list[str]):
    """RGB packed by zlib, as base64 in pieces."""

    def __init__(self, pieces: list[str], width: int, height: int) -> None:
        super().__init__(pieces)
        self.width, self.height = width, height


def _chunks(data: bytes) -> list[str]:
    text = b64encode(data).decode()
    return [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]


class Kitty:
    """`colour` is 16 … 255; another screen in the same terminal should have another one."""

    remembers = True

    def __init__(self, colour: int, wrap: Callable[[str], str] = str, most_pixels: int = MOST_PIXELS) -> None:
        self._colour, self._wrap, self._most = colour, wrap, most_pixels

    @property
    def near(self) -> bool:
        """Whether the terminal is on this machine and nothing lies between: pixels reach it in no time."""
        return self._most >= MOST_PIXELS and self._wrap is str

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: tuple[int, int]) -> list[str]:
        """The picture as base64 of a PNG in pieces. Slow: for a thread."""
        scale = min(1.0, (self._most / (image.width * image.height)) ** 0.5)
        if scale < 1:
            image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
        if image.getchannel("A").getextrema() == (255, 255):  # nothing is transparent
            image = image.convert("RGB")
        out = io.BytesIO()
        image.save(out, "PNG")
        return _chunks(out.getvalue())

    def quick(self, image: Image.Image) -> Quick:
        """A picture that is gone in a moment, as RGB that is hardly packed: a PNG takes ten times as long."""
        packed = zlib.compress(image.convert("RGB").tobytes(), 1)
        return Quick(_chunks(packed), image.width, image.height)

    def cut(self, payload: list[str], parts: object) -> None:
        """Nothing: the terminal cuts it."""

    def begin(self, number: int, columns: int, rows: int, payload: list[str]) -> str:
        """What is sent before the first cell of it."""
        parts = self._parts(number, columns, rows, payload)
        return "".join(self._wrap(f"\x1b_G{part}\x1b\\") for part in parts)

    def _parts(self, number: int, columns: int, rows: int, payload: list[str]) -> Iterator[str]:
        form = f"f=24,o=z,s={payload.width},v={payload.height}" if isinstance(payload, Quick) else "f=100"
        keys = f"a=T,U=1,q=2,{form},i={self._id(number)},c={columns},r={rows},"
        for n, data in enumerate(payload):
            yield f"{keys if n == 0 else 'q=2,'}m={int(n + 1 < len(payload))};{data}"

    def _id(self, number: int) -> int:
        return number << 24 | self._colour

    def draw(self, piece: Piece, columns: int, payload: list[str]) -> str:
        """The placeholder cells of a piece of a row, in the colour that names our pictures."""
        cells = row(piece.number, piece.row, columns)[4 * piece.first : 4 * (piece.first + piece.width)]
        if isinstance(payload, Quick):  # the cells behind the first follow it, as its neighbours do
            cells = cells[:4] + SIGN * (piece.width - 1)
        return f"{SAVE}\x1b[38;5;{self._colour}m{cells}{back(piece.width)}"

    def end(self, number: int) -> str:
        """Have the terminal forget it."""
        return self._wrap(f"\x1b_Ga=d,d=I,q=2,i={self._id(number)}\x1b\\")


def through_tmux(sequence: str) -> str:
    """As tmux hands it on to its terminal, where `allow-passthrough` is on."""
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
