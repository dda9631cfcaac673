"""Sixel graphics, a row of cells at a time: painting a row anew paints its pixels anew, and nothing else.

DEC STD 070, https://vt100.net/docs/vt3xx-gp/chapter14.html -- a sixel is six pixels above each other, one
character a column; each colour of a band of six rows is written over the same band.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tui.graphics.row_slices import MOST_PIXELS, Slices

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    Indices = np.ndarray[tuple[int, int], np.dtype[np.int16]]

COLOURS = 256
DRAWN = 4096  # colours: what has more is no drawing
WIDEST = 800  # pixels of one sequence: xterm cuts what is wider than 1000
_REPEATED = re.compile(rb"(.)\1{3,}", re.DOTALL)


class Sliced(NamedTuple):
    """Indices into `shades` (percent of red, green, blue), -1 for clear; and each row of cells encoded."""

    pixels: Indices
    shades: list[tuple[int, int, int]]
    rows: list[str]
    cell: tuple[int, int]
    parts: dict[tuple[int, int, int], str]


class Sixel(Slices[Sliced]):
    """Pictures as sixels, a row of cells at a time."""

    def __init__(self, registers: int = 256) -> None:
        """`registers`: how many colours the terminal has at once."""
        self._colours = max(2, min(COLOURS, registers))

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: tuple[int, int]) -> Sliced | None:
        """None where it would take too long. Slow: for a thread."""
        import numpy as np
        from PIL import Image

        if image.width * image.height > MOST_PIXELS:
            return None
        solid = image.convert("RGB")
        if solid.getcolors(DRAWN) is None:  # a photograph, the steps of which would be seen
            some = solid.resize((max(1, image.width // 4), max(1, image.height // 4)))
            chosen = some.quantize(self._colours)  # of all its pixels it takes a second
            flat = solid.quantize(palette=chosen, dither=Image.Dither.FLOYDSTEINBERG)
        else:
            flat = solid.quantize(self._colours)
        pixels = np.asarray(flat, dtype=np.int16).copy()
        pixels[np.asarray(image.getchannel("A")) < 128] = -1
        raw = flat.getpalette() or []
        shades = [
            (round(r / 2.55), round(g / 2.55), round(b / 2.55))
            for r, g, b in zip(raw[::3], raw[1::3], raw[2::3], strict=True)
        ]
        sliced = Sliced(pixels, shades, [], cell, {})
        sliced.rows.extend(self.cells(sliced, n, 0, columns) for n in range(rows))
        return sliced

    def cells(self, sliced: Sliced, row: int, first: int, count: int) -> str:
        """Some cells of a row of them, in sequences no wider than terminals take; the cursor moves along."""
        width, height = sliced.cell
        each = max(1, WIDEST // width)
        parts = []
        for at in range(first, first + count, each):
            cells = min(each, first + count - at)
            part = sliced.pixels[row * height : (row + 1) * height, at * width : (at + cells) * width]
            move = f"\x1b8\x1b[{at - first}C" if at > first else ""
            parts.append(move + encoded(part, sliced.shades))
        return "".join(parts)


def encoded(pixels: Indices, shades: list[tuple[int, int, int]]) -> str:
    """`pixels` (rows x columns of indices, -1 clear) as one sixel sequence; clear ones stay as they are."""
    import numpy as np

    height, width = pixels.shape
    bands = []
    for top in range(0, height, 6):
        band = pixels[top : top + 6]
        used = [n for n in np.unique(band) if n >= 0]
        bits = np.full((len(used), width), 63, dtype=np.uint8)
        for n, row in enumerate(band):
            bits += (row == np.array(used)[:, None]).astype(np.uint8) << n
        lines = (
            b"#%d%s" % (n, _REPEATED.sub(_counted, line.tobytes().rstrip(b"?")))
            for n, line in zip(used, bits, strict=True)
        )
        bands.append(b"$".join(lines))
    body = b"-".join(bands).rstrip(b"-")
    used = [n for n in np.unique(pixels) if n >= 0]
    registers = "".join(f"#{n};2;{shades[n][0]};{shades[n][1]};{shades[n][2]}" for n in used)
    return f'\x1bP0;1;0q"1;1;{width};{height}{registers}{body.decode()}\x1b\\'


def _counted(match: re.Match[bytes]) -> bytes:
    return b"!%d%s" % (len(match[0]), match[1])
