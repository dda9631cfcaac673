"""Styled lines as a picture, drawn straight from their cells.

Blocks, shades, braille and box lines come from their geometry (`glyphs`), letters from a monospace font, or
where that lacks one from any font of the machine that has it. Needs Pillow.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from unicodedata import combining, normalize

from slides.drawing.cells import graphemes, width
from slides.drawing.text import Line
from slides.export.drawings.glyphs import shapes
from slides.palette import Palette

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

CELL_W, CELL_H, FONT_SIZE = 10, 20, 16  # pixels at scale 1
GROUND, INK = "#0e1116", "#d6dde8"  # where a palette leaves them to the terminal
_FAMILIES = (
    ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSansMono-Oblique.ttf"),
    ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf", "LiberationMono-Italic.ttf"),
    ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf", "NotoSansMono-Regular.ttf"),
    ("Menlo.ttc", "Menlo.ttc", "Menlo.ttc"),
    ("FreeMono.ttf", "FreeMonoBold.ttf", "FreeMonoOblique.ttf"),
)


class Cell(NamedTuple):
    """One grapheme with its width in cells (a wide one is followed by no filler)."""

    text: str
    width: int = 1
    ink: str = INK
    ground: str = GROUND
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    link: str = ""


def save(
    lines: Sequence[Line],
    palette: Palette,
    path: str | Path | BinaryIO,
    columns: int,
    rows: int,
    scale: int = 1,
) -> None:
    """Draw `lines` on a screen of `columns` x `rows` cells; more lines or cells than fit are cut off.

    A cell has `CELL_W` x `CELL_H` pixels times `scale`.

    Raises:
        OSError: `path` cannot be written.
    """
    ground = palette.colour("background") or GROUND
    draw([row_of(line, palette) for line in lines], path, columns, rows, ground, scale)


def row_of(line: Line, palette: Palette) -> list[Cell]:
    """The cells of one line in the colours of a theme."""
    ground, text = palette.colour("background") or GROUND, palette.colour("text") or INK
    row: list[Cell] = []
    for span in line:
        style = span.style
        ink, under = palette.colour(style.ink) or text, palette.colour(style.ground) or ground
        marks = palette.attributes(style.ink, style.ground)
        if marks.dim:
            ink = mixed(ink, under, 0.5)
        if marks.reverse:
            ink, under = under, ink
        plain = Cell(
            "",
            1,
            ink,
            under,
            style.bold or marks.bold,
            style.italic or marks.italic,
            style.underline or marks.underline,
            style.strike,
            style.link,
        )
        row += cells(span.text, plain)
    return row


def cells(text: str, style: Cell) -> Iterator[Cell]:
    """The cells of `text`, all like `style`."""
    return (style._replace(text=piece, width=width(piece)) for piece in graphemes(text))


def draw(
    rows: Sequence[Sequence[Cell]],
    path: str | Path | BinaryIO,
    columns: int,
    height: int,
    ground: str,
    scale: int = 1,
) -> None:
    """Rows of cells as a PNG. Raises `OSError`."""
    painted(rows, columns, height, ground, scale).save(path, "PNG")


def painted(
    rows: Sequence[Sequence[Cell]], columns: int, height: int, ground: str, scale: int = 1
) -> Image.Image:
    """Rows of cells as a picture; where there are none it has the colour of the ground."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (columns * CELL_W * scale, height * CELL_H * scale), ground)
    pen = _Pen(ImageDraw.Draw(image), scale)
    for y, row in enumerate(rows[:height]):
        x = 0
        for cell in row:
            pen.cell(x * CELL_W * scale, y * CELL_H * scale, cell)
            x += cell.width
    return image


class _Pen:
    def __init__(self, pen: ImageDraw.ImageDraw, scale: int) -> None:
        self._pen, self._scale = pen, scale
        self._w, self._h, self._size = CELL_W * scale, CELL_H * scale, FONT_SIZE * scale

    def cell(self, x: int, y: int, cell: Cell) -> None:
        right, bottom = x + cell.width * self._w - 1, y + self._h - 1
        if cell.width:
            self._pen.rectangle((x, y, right, bottom), fill=cell.ground)
        parts = shapes(cell.text)
        if parts is None and not cell.text.isspace():
            self._letter(x, y, cell)
        for part in parts or ():
            ink = cell.ink if part.alpha == 1 else mixed(cell.ink, cell.ground, part.alpha)
            x0, y0 = x + round(part.x0 * self._w), y + round(part.y0 * self._h)
            x1, y1 = x + round(part.x1 * self._w), y + round(part.y1 * self._h)
            self._pen.rectangle((x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), fill=ink)
        for line, at in ((cell.underline, bottom - self._scale), (cell.strike, y + self._h // 2)):
            if line:
                self._pen.line((x, at, right, at), fill=cell.ink, width=self._scale)

    def _letter(self, x: int, y: int, cell: Cell) -> None:
        from PIL import ImageFont

        font = _font(cell.text[0], cell.bold, cell.italic, self._size)
        # A fallback font has its own advance: centre what is narrower than its cells.
        own = font is _own(cell.bold, cell.italic, self._size)
        shift = 0 if own else (cell.width * self._w - font.getlength(cell.text)) / 2
        composed = normalize("NFC", cell.text)
        marks = composed[1:] if all(map(combining, composed[1:])) else ""
        self._pen.text((x + max(0, shift), y), composed.removesuffix(marks), font=font, fill=cell.ink)
        for mark in marks:
            # Not every font knows where a mark goes on this letter: centre it by its ink.
            named = _font(mark, cell.bold, cell.italic, self._size).path
            if not isinstance(named, str):
                continue
            basic = ImageFont.truetype(named, self._size, layout_engine=ImageFont.Layout.BASIC)
            start, _, end, _ = basic.getbbox(mark)
            self._pen.text((x + (self._w - start - end) / 2, y), mark, font=basic, fill=cell.ink)


def mixed(ink: str, ground: str, share: float) -> str:
    """`share` of the ink on its ground."""
    pairs = ((int(ink[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@lru_cache(maxsize=16)
def _own(bold: bool, italic: bool, size: int) -> ImageFont.FreeTypeFont:
    """The first monospace font that is here; else Pillow's own, which is not one."""
    from PIL import ImageFont

    for regular, heavy, slanted in _FAMILIES:
        try:
            return ImageFont.truetype(heavy if bold else slanted if italic else regular, size)
        except OSError:
            continue
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


def own_file(bold: bool, italic: bool) -> str:
    """The file of the first monospace font that is here, "" where there is none."""
    found = _own(bold, italic, FONT_SIZE).path
    return found if isinstance(found, str) else ""


@lru_cache(maxsize=4096)
def _font(char: str, bold: bool, italic: bool, size: int) -> ImageFont.FreeTypeFont:
    """The monospace font, or any installed one that has `char`, or the monospace one's empty box."""
    from PIL import ImageFont

    own = _own(bold, italic, size)
    if ord(char) < 0x250 or own.getmask(char).getbbox() != own.getmask("\uffff").getbbox():
        return own
    for file in files_with(char):
        try:
            return ImageFont.truetype(file, size - 1)
        except OSError:
            continue
    return own


@lru_cache(maxsize=4096)
def files_with(char: str) -> list[str]:
    """Files of fonts with a character, as fontconfig knows them."""
    try:
        listed = subprocess.run(
            ["fc-list", f":charset={ord(char):x}", "file"],
            capture_output=True,
            text=True,
            timeout=10,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return sorted(line.rstrip(": ") for line in listed.splitlines())
