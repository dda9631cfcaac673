"""Pixels as cells: two colours and one glyph a cell, whichever come nearest to its pixels.

A cell of 2 x 3 pixels is a sextant, 2 x 2 a quadrant, 1 x 2 a half block. Where a cell has more than two
colours, its pixels are parted along the direction in which they differ most. Either part has its mean, or in
a flat picture a colour that is there: a mixture would be one that no legend names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from slides.drawing.large.block_glyphs import QUADRANTS, SEXTANTS
from slides.scenes.painting.colours import RGB

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

Surface = Literal["sextants", "quadrants", "halves", "characters"]

PIXELS: dict[Surface, tuple[int, int]] = {
    "sextants": (2, 3),
    "quadrants": (2, 2),
    "halves": (1, 2),
    "characters": (1, 1),
}
"""Pixels across and down a cell."""

GLYPHS: dict[Surface, str] = {
    "sextants": SEXTANTS,
    "quadrants": QUADRANTS,
    "halves": " ▀▄█",
    "characters": " █",
}
"""The glyph of each set of pixels; a pixel's bit is 1 << its number, from left to right and down."""

_STEP = 6  # of 255: colours that differ by less are one, which saves most of the bytes of a moving picture


class Cells(NamedTuple):
    """Arrays of rows x columns: the number of the glyph, and ink and ground as 0xRRGGBB."""

    glyph: NDArray[np.uint8]
    ink: NDArray[np.uint32]
    ground: NDArray[np.uint32]


def fit(
    picture: Image.Image, columns: int, rows: int, surface: Surface, background: RGB, *, blend: bool = True
) -> Cells:
    """Return the cells of a picture of exactly as many pixels as `columns` x `rows` cells have.

    `blend`: its colours go over into each other, as shades of a room do. Those of a flat picture are the same
    as by pixels: a dark panel in steps would be of another colour.
    """
    import numpy as np

    global _last
    across, down = PIXELS[surface]
    count = across * down
    pixels = np.asarray(picture, np.uint8)
    wide = pixels.astype(np.uint32)
    packed = np.asarray(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2], np.uint32)
    # One row for each pixel of a cell: what is done to all cells is done along rows.
    packed = packed.reshape(rows, down, columns, across).transpose(1, 3, 0, 2).reshape(count, -1)
    key, last = (columns, rows, surface, background, blend), _last
    if last is not None and last[0] == key:
        other = np.flatnonzero((packed != last[1]).any(0))
        cells = Cells(last[2].glyph.copy(), last[2].ink.copy(), last[2].ground.copy())
        found = _fitted(packed[:, other], background, blend)
        cells.glyph[other], cells.ink[other], cells.ground[other] = found
    else:
        cells = _fitted(packed, background, blend)
    _last = key, packed, cells
    shape = rows, columns
    return Cells(cells.glyph.reshape(shape), cells.ink.reshape(shape), cells.ground.reshape(shape))


# The picture that was fitted last: most cells of a moving one are as they were in the frame before.
_last: tuple[tuple[object, ...], NDArray[np.uint32], Cells] | None = None


def _fitted(packed: NDArray[np.uint32], background: RGB, blend: bool) -> Cells:
    """Return cells of `packed` pixels, without rows and columns."""
    import numpy as np

    count, size = packed.shape
    if not size:
        return Cells(np.zeros(0, np.uint8), np.zeros(0, np.uint32), np.zeros(0, np.uint32))
    glyph = np.zeros(size, np.uint8)
    ground = packed[0].copy()
    ink = ground.copy()
    bare = np.uint32(background[0] << 16 | background[1] << 8 | background[2])
    mixed = np.flatnonzero((packed != packed[0]).any(0))
    found = packed[:, mixed]
    if count == 2:  # either pixel is a colour; a ground that is the background is one
        below = found[0] == bare
        glyph[mixed] = np.where(below, 2, 1)
        ink[mixed], ground[mixed] = np.where(below, found[::-1], found)
    elif len(mixed):
        glyph[mixed], ink[mixed], ground[mixed] = _parted(found, bare, blend)
    if blend:
        ink, ground = _coarse(ink, background), _coarse(ground, background)
    return Cells(glyph, ink, ground)


def _parted(
    packed: NDArray[np.uint32], bare: np.uint32, blend: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
    """Glyph, ink and ground of cells of several colours: `packed` has a row for each pixel of a cell."""
    import numpy as np

    count = len(packed)
    colours = np.stack([packed >> 16 & 255, packed >> 8 & 255, packed & 255]).astype(np.float32)
    away = colours - colours.mean(1, keepdims=True)
    # The direction of the largest difference: one step of the power method from the furthest pixel.
    furthest = (away**2).sum(0).argmax(0)
    way = away[:, furthest, np.arange(packed.shape[1])]
    way = ((away * way[:, None]).sum(0) * away).sum(1)
    over = (away * way[:, None]).sum(0) > 0
    # A ground that is the background is one: then the terminal's own shows through.
    clear = packed == bare
    over ^= (clear & over).sum(0) > (clear & ~over).sum(0)
    bits = (1 << np.arange(count))[:, None]
    glyph = (over * bits).sum(0).astype(np.uint8)
    if not blend:
        cells = np.arange(packed.shape[1])
        return glyph, packed[over.argmax(0), cells], packed[(~over).argmax(0), cells]
    more = over.sum(0)
    upper = (colours * over).sum(1)
    lower = (colours.sum(1) - upper) / np.maximum(count - more, 1)
    upper /= np.maximum(more, 1)
    ground = _packed(lower)
    ground[(clear | over).all(0)] = bare
    return glyph, _packed(upper), ground


def _packed(colours: NDArray[np.float32]) -> NDArray[np.uint32]:
    import numpy as np

    red, green, blue = colours.round().astype(np.uint32)
    return np.asarray(red << 16 | green << 8 | blue, np.uint32)


def _coarse(colours: NDArray[np.uint32], background: RGB) -> NDArray[np.uint32]:
    """Colours in steps, the background as it is."""
    red, green, blue = _steps(background)
    found: NDArray[np.uint32] = red[colours >> 16] | green[colours >> 8 & 255] | blue[colours & 255]
    return found


@lru_cache(16)
def _steps(background: RGB) -> list[NDArray[np.uint32]]:
    """What becomes of each value of red, green and blue, where it stands in a colour."""
    import numpy as np

    values = np.arange(256)
    found = []
    for own, place in zip(background, (16, 8, 0), strict=True):
        steps = (own + ((values - own) / _STEP).round().astype(int) * _STEP).clip(0, 255)
        found.append((steps << place).astype(np.uint32))
    return found
