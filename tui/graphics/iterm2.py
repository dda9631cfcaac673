"""iTerm2's inline images (WezTerm and mintty have them too), a row of cells at a time as with sixels.

https://iterm2.com/documentation-images.html -- each slice is a PNG that is told to fill so many cells.
"""

from __future__ import annotations

import io
from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple

from tui.graphics.row_slices import MOST_PIXELS, Slices

if TYPE_CHECKING:
    from PIL import Image


class Sliced(NamedTuple):
    """Picture cut into rows of cells, each an inline image; `cell` is its pixels, width and height."""

    image: Image.Image
    rows: list[str]  # each a sequence over the whole width
    cell: tuple[int, int]
    parts: dict[tuple[int, int, int], str]


class Inline(Slices[Sliced]):
    """Pictures by iTerm2's inline image protocol, a PNG for each row of cells."""

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: tuple[int, int]) -> Sliced | None:
        """None where it would be too much. Slow: for a thread."""
        if image.width * image.height > MOST_PIXELS:
            return None
        sliced = Sliced(image, [], cell, {})
        sliced.rows.extend(self.cells(sliced, n, 0, columns) for n in range(rows))
        return sliced

    def cells(self, sliced: Sliced, row: int, first: int, count: int) -> str:
        """The sequence that draws `count` cells of a row as an inline PNG; "" where they are transparent."""
        width, height = sliced.cell
        part = sliced.image.crop((first * width, row * height, (first + count) * width, (row + 1) * height))
        if not part.getchannel("A").getextrema()[1]:
            return ""  # nothing of it is here
        out = io.BytesIO()
        part.save(out, "PNG")
        data = out.getvalue()
        place = f"width={count};height=1;preserveAspectRatio=0;doNotMoveCursor=1"
        return f"\x1b]1337;File=inline=1;size={len(data)};{place}:{b64encode(data).decode()}\x07"
