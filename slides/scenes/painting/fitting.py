"""Pixels as cells: two colours and one glyph a cell, whichever come nearest to its pixels.

A cell of 2 x 3 pixels is a sextant, 2 x 2 a quadrant, 1 x 2 a half block. Where a cell has more than two
colours, its pixels are parted along the direction in which they differ most, and either part has its mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

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

_SEXTANTS = "".join(
    " " if n == 0 else "▌" if n == 21 else "▐" if n == 42 else "█" if n == 63
    else chr(0x1FB00 + n - 1 - (n > 21) - (n > 42))
    for n in range(64)
)  # fmt: skip
_QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
GLYPHS: dict[Surface, str] = {
    "sextants": _SEXTANTS,
    "quadrants": _QUADRANTS,
    "halves": " ▀▄█",
    "characters": " █",
}
"""The glyph of each set of pixels; a pixel's bit is 1 << its number, from left to right and down."""

_STEP = 6  # of 255: colours that differ by less are one, which saves most of the bytes of a moving picture


class Cells(NamedTuple):
    """Arrays of rows x columns: the number of the glyph, and ink and ground as rows x columns x 3."""

    glyph: NDArray[np.uint8]
    ink: NDArray[np.uint8]
    ground: NDArray[np.uint8]


def fit(picture: Image.Image, columns: int, rows: int, surface: Surface, background: RGB) -> Cells:
    """Return the cells of a picture of exactly as many pixels as `columns` x `rows` cells have."""
    import numpy as np

    across, down = PIXELS[surface]
    pixels = np.asarray(picture, np.uint8)
    cells = pixels.reshape(rows, down, columns, across, 3).transpose(0, 2, 1, 3, 4)
    cells = cells.reshape(rows * columns, down * across, 3)
    first = cells[:, :1]
    glyph = np.zeros(rows * columns, np.uint8)
    ground = cells[:, 0].copy()
    ink = ground.copy()
    mixed = np.flatnonzero((cells != first).any((1, 2)))
    if len(mixed):
        found = cells[mixed].astype(np.float32)
        away = found - found.mean(1, keepdims=True)
        # The direction of the largest difference: one step of the power method from the furthest pixel.
        furthest = (away**2).sum(-1).argmax(-1)
        way = away[np.arange(len(mixed)), furthest][:, None]
        way = ((away * way).sum(-1, keepdims=True) * away).sum(1, keepdims=True)
        over = (away * way).sum(-1) > 0
        # A ground that is the background is one: then the terminal's own shows through.
        bare = (cells[mixed] == np.array(background, np.uint8)).all(-1)
        swap = (bare & over).sum(-1) > (bare & ~over).sum(-1)
        over ^= swap[:, None]
        count = np.maximum(over.sum(-1, keepdims=True), 1)
        rest = np.maximum((~over).sum(-1, keepdims=True), 1)
        upper = (found * over[..., None]).sum(1) / count
        lower = (found * ~over[..., None]).sum(1) / rest
        lower[(bare | over).all(-1)] = background
        ink[mixed], ground[mixed] = upper.round().astype(np.uint8), lower.round().astype(np.uint8)
        glyph[mixed] = (over * (1 << np.arange(over.shape[1]))).sum(-1)
    shape = rows, columns, 3
    return Cells(
        glyph.reshape(rows, columns),
        _coarse(ink, background).reshape(shape),
        _coarse(ground, background).reshape(shape),
    )


def _coarse(colours: NDArray[np.uint8], background: RGB) -> NDArray[np.uint8]:
    """Colours in steps, the background as it is."""
    import numpy as np

    base = np.array(background, np.int16)
    steps = ((colours.astype(np.int16) - base) / _STEP).round().astype(np.int16) * _STEP
    return (base + steps).clip(0, 255).astype(np.uint8)
