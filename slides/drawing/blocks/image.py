"""Pictures in cells: a half block is two square pixels, its ink the upper and its ground the lower one.

Without colours a picture is braille dots, 2 x 4 a cell, as dark and light as dithering makes them. Decoding
needs Pillow.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from slides.drawing.canvas import DOTS
from slides.drawing.text import Line, Span, Style, joined
from slides.palette import Palette
from teachrun import install

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM")
MOST_BYTES = 32 << 20
MOST_PIXELS = 50_000_000
ICON = 96  # pixels: what is no larger is drawn pixel by pixel
FAINTEST = 20  # of 255: what is no less transparent is clear
COLOURS = 192  # more are not seen in so few pixels, and each costs the terminal a dozen bytes


class Unreadable(Exception):
    """Why there is no picture, in words for the frame in its place."""


def available() -> bool:
    """Whether pictures can be decoded here; nothing is imported for it."""
    from importlib.util import find_spec

    return find_spec("PIL") is not None


def no_pillow() -> str:
    """Why there are no pictures where Pillow is missing, and the command that installs it."""
    return f"pictures need Pillow: {install('pillow')}"


def picture(
    source: Path | bytes, columns: int, rows: int, palette: Palette, *, grow: bool = False
) -> list[Line]:
    """The picture in at most `columns` x `rows` cells as it is proportioned; a cell is twice as high as wide.

    It is enlarged only where it may `grow`. What is transparent has the background of the theme.

    Raises:
        Unreadable: Pillow is not there, or the bytes are no picture that it knows, or too large a one.
    """
    mono = not palette.colours
    across, down = (2, 4) if mono else (1, 2)  # pixels in a cell
    image = _opened(source)
    with _decoding():
        wide, high = _cells(image, columns, rows, grow)
        image = _resized(image, wide * across, high * down)
        return _dots(image, palette) if mono else _halves(image, palette)


def pixels(
    source: Path | bytes,
    columns: int,
    rows: int,
    cell: tuple[int, int],
    palette: Palette,
    *,
    grow: bool = False,
) -> Image.Image:
    """The same picture for the same cells, of `cell` (width, height) pixels each, as RGBA.

    Cells are never quite twice as high as wide: the picture keeps its proportions, and what is left beside it
    is clear. What is half transparent lies on the background of the theme.

    Raises:
        Unreadable: as by `picture`.
    """
    from PIL import Image

    image = _opened(source, 2048)
    with _decoding():
        wide, high = _cells(image, columns, rows, grow)
        room = wide * cell[0], high * cell[1]
        scale = min(room[0] / image.width, room[1] / image.height)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        # Enlarged pixels stay square where there are so few that each was meant.
        drawn = max(image.size) <= ICON
        image = image.convert("RGBA")
        how = Image.Resampling.NEAREST if drawn and scale > 1 else Image.Resampling.LANCZOS
        image = image.resize(size, how, reducing_gap=3.0)
        clear = image.getchannel("A").point(lambda alpha: 255 if alpha > FAINTEST else 0)
        image = _flat(image, palette.colour("background") or "#000000").convert("RGBA")
        image.putalpha(clear)
        box = Image.new("RGBA", room)
        box.paste(image, ((room[0] - size[0]) // 2, (room[1] - size[1]) // 2))
        return box


def reduced(source: Path | bytes, widest: int, most: int) -> bytes:
    """The same picture as WebP, at most `widest` pixels wide and `most` bytes large; what is transparent is
    white, and nothing that a camera wrote beside the pixels is left.

    Raises:
        Unreadable: as by `picture`, or it cannot be made so small.
    """
    image = _opened(source, 2 * widest)
    with _decoding():
        for width, quality in ((widest, 82), (widest, 60), (2 * widest // 3, 60), (widest // 2, 40)):
            scale = min(1.0, width / image.width, 2 * width / image.height)
            size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
            file = io.BytesIO()
            _flat(_resized(image, *size), "#ffffff").save(file, "WEBP", quality=quality)
            if file.tell() <= most:
                return file.getvalue()
    raise Unreadable("this picture cannot be made small enough")


def read(source: Path | bytes) -> bytes:
    """The bytes of a picture's file.

    Raises:
        Unreadable: it is not there, may not be read or is too large.
    """
    try:
        if isinstance(source, Path):
            with source.open("rb") as file:
                source = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"this picture cannot be read: {error}") from None
    if len(source) > MOST_BYTES:
        raise Unreadable(f"this file is larger than {MOST_BYTES >> 20} MiB")
    return source


@contextmanager
def _decoding() -> Iterator[None]:
    try:
        yield
    except Unreadable:
        raise
    except Exception as error:  # a decoder that fails in the middle of a file says so in many ways
        raise Unreadable(f"this picture cannot be decoded: {error}") from None


def _cells(image: Image.Image, columns: int, rows: int, grow: bool) -> tuple[int, int]:
    """Columns and rows that the picture takes of those there are."""
    # Two pixels a column and four a row are square in either case.
    scale = min(columns / image.width, 2 * rows / image.height)
    scale = scale if grow else min(1.0, scale)
    return (
        max(1, min(columns, round(image.width * scale))),
        max(1, min(rows, round(image.height * scale / 2))),
    )


def _opened(source: Path | bytes, least: int = 1024) -> Image.Image:
    """A JPEG is decoded no larger than its `least` pixels need."""
    if not available():
        raise Unreadable(no_pillow())
    from PIL import Image, ImageOps

    source = read(source)
    try:
        image = Image.open(io.BytesIO(source), formats=FORMATS)
        if image.width * image.height > MOST_PIXELS:
            raise Unreadable(f"{image.width} x {image.height} pixels are too many: make it smaller")
        image.draft("RGB", (least, least))
        return ImageOps.exif_transpose(image)
    except Unreadable:
        raise
    except OSError as error:
        reason = "it is not a PNG, JPEG, GIF, WebP or BMP" if "identify" in str(error) else str(error)
        raise Unreadable(f"this picture cannot be read: {reason}") from None
    except Exception as error:
        raise Unreadable(f"this picture cannot be decoded: {error}") from None


def _resized(image: Image.Image, width: int, height: int) -> Image.Image:
    from PIL import Image

    image = image.convert("RGBA")
    # Enlarged pixels stay square: what is small is a drawing of pixels more often than a photograph.
    grown = width >= 2 * image.width
    how = Image.Resampling.NEAREST if grown else Image.Resampling.LANCZOS
    return image.resize((width, height), how, reducing_gap=3.0)


def _flat(image: Image.Image, ground: str) -> Image.Image:
    from PIL import Image

    behind = Image.new("RGBA", image.size, ground)
    return Image.alpha_composite(behind, image).convert("RGB")


def _halves(image: Image.Image, palette: Palette) -> list[Line]:
    ground = palette.colour("background")
    flat = _flat(image, ground).quantize(COLOURS)
    shades = flat.getpalette() or []
    names = [
        f"#{r:02x}{g:02x}{b:02x}" for r, g, b in zip(shades[::3], shades[1::3], shades[2::3], strict=True)
    ]
    width, height = flat.size
    # What is left of an edge by resizing would be seen as a shadow around it.
    pixels, clear = flat.tobytes(), image.getchannel("A").point(lambda alpha: alpha > FAINTEST).tobytes()
    lines: list[Line] = []
    for y in range(0, height, 2):
        row = []
        for x in range(width):
            above, below = y * width + x, (y + 1) * width + x
            if not clear[above] and not clear[below]:
                row.append(Span(" "))
            elif names[pixels[above]] == names[pixels[below]]:
                row.append(Span("█", Style(names[pixels[above]], names[pixels[above]])))
            else:
                row.append(Span("▀", Style(names[pixels[above]], names[pixels[below]])))
        lines.append(joined(row))
    return lines


def _dots(image: Image.Image, palette: Palette) -> list[Line]:
    flat = _flat(image, "#000000" if palette.dark else "#ffffff").convert("1")
    width, height = flat.size
    light = flat.load()
    assert light is not None
    lines: list[Line] = []
    for y in range(0, height, 4):
        text = ""
        for x in range(0, width, 2):
            bits = sum(
                DOTS[dy][dx]
                for dy in range(4)
                for dx in range(2)
                if (bool(light[x + dx, y + dy]) == palette.dark)
            )
            text += chr(0x2800 + bits) if bits else " "
        lines.append((Span(text),))
    return lines
