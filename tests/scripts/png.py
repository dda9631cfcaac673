"""Terminal cells to a PNG, for people who look at screens without a terminal at hand.

    tmux capture-pane -e -p > capture.ansi
    python tests/scripts/png.py capture.ansi out.png [--light]

`lines_to_png` draws `slides.text.Line`s the same way. Blocks, shades, braille and box lines are drawn from
their geometry, so they join up as they do in a terminal whatever font the machine has.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol
from unicodedata import combining, normalize

from PIL import Image, ImageDraw, ImageFont
from rich.cells import split_graphemes

from slides.text import Line

CELL_W, CELL_H, FONT_SIZE = 10, 20, 16
FONTS = Path("/usr/share/fonts/truetype/dejavu")
GROUND, INK = "#0e1116", "#d6dde8"

# fmt: off
_BASIC = ("#1c1f26", "#ff6b6b", "#6fd08c", "#ffb454", "#5aa9ff", "#c39bff", "#2f8f9d", "#d6dde8",
          "#475162", "#ff8a8a", "#8fe0a6", "#ffc97d", "#7cc4ff", "#d5baff", "#56b6c2", "#ffffff")
# Braille bits by (column, row) of the dot.
_DOTS = ((0, 0, 1), (0, 1, 2), (0, 2, 4), (1, 0, 8), (1, 1, 16), (1, 2, 32), (0, 3, 64), (1, 3, 128))
# Quadrants of U+2596..U+259F as (left, top) halves.
_QUADRANTS = {
    "▖": "01", "▗": "11", "▘": "00", "▙": "00 01 11", "▚": "00 11", "▛": "00 10 01", "▜": "00 10 11",
    "▝": "10", "▞": "10 01", "▟": "10 01 11",
}
# Arms of box lines: left, right, up, down; 1 light, 2 heavy.
_ARMS = {
    "─": "1100", "━": "2200", "│": "0011", "┃": "0022", "┌": "0101", "┐": "1001", "└": "0110", "┘": "1010",
    "╭": "0101", "╮": "1001", "╰": "0110", "╯": "1010", "├": "0111", "┤": "1011", "┬": "1101", "┴": "1110",
    "┼": "1111", "╴": "1000", "╶": "0100", "╵": "0010", "╷": "0001", "╸": "2000", "╺": "0200", "╹": "0020",
    "╻": "0002", "╾": "2100", "╼": "1200", "┝": "0211", "┥": "2011", "┠": "0122", "┨": "1022", "┏": "0202",
    "┓": "2002", "┗": "0220", "┛": "2020", "┿": "2211", "═": "2200", "║": "0022",
}
_SHADES = {"░": 4, "▒": 2, "▓": 1}
# fmt: on


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


class Attributes(Protocol):
    bold: bool
    italic: bool
    underline: bool
    reverse: bool


class Colours(Protocol):
    """A palette: `slides.palette.Palette` is one."""

    def colour(self, name: str) -> str: ...
    def attributes(self, name: str) -> Attributes: ...


def lines_to_png(lines: Sequence[Line], palette: Colours, path: str | Path, width: int, height: int) -> None:
    """Draw `lines` on a screen of `width` x `height` cells; more lines or cells than fit are cut off."""
    ground = palette.colour("background") or GROUND
    text = palette.colour("text") or INK
    rows = []
    for line in lines:
        row: list[Cell] = []
        for span in line:
            style = span.style
            ink = palette.colour(style.ink) or text
            under = (palette.colour(style.ground) or ground) if style.ground else ground
            marks = [palette.attributes(style.ink)]
            if style.ground:
                marks.append(palette.attributes(style.ground))
            if any(mark.reverse for mark in marks):
                ink, under = under, ink
            row += _cells(
                span.text,
                Cell(
                    "",
                    1,
                    ink,
                    under,
                    style.bold or any(mark.bold for mark in marks),
                    style.italic or any(mark.italic for mark in marks),
                    style.underline or any(mark.underline for mark in marks),
                    style.strike,
                ),
            )
        rows.append(row)
    draw(rows, path, width, height, ground)


def ansi_to_png(text: str, path: str | Path, ground: str = GROUND, ink: str = INK) -> None:
    """Draw an ANSI dump (lines with SGR sequences and nothing else, as tmux captures them)."""
    rows = [list(row) for row in parse_ansi(text, ground, ink)]
    width = max((sum(cell.width for cell in row) for row in rows), default=1)
    draw(rows, path, max(1, width), max(1, len(rows)), ground)


def parse_ansi(text: str, ground: str = GROUND, ink: str = INK) -> Iterable[list[Cell]]:
    """Rows of cells. Style carries over line ends; sequences other than SGR are dropped."""
    plain = Cell("", 1, ink, ground)
    style, reverse, dim = plain, False, False
    for line in text.rstrip("\n").split("\n"):
        row: list[Cell] = []
        for sgr, other, run in re.findall(
            r"\x1b\[([0-9;:]*)m|(\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
            r"|[\x00-\x1f])|([^\x00-\x1f]+)",
            line,
        ):
            if run:
                shown = style._replace(ink=_mix(style.ink, style.ground)) if dim else style
                shown = shown._replace(ink=shown.ground, ground=shown.ink) if reverse else shown
                row += _cells(run, shown)
                continue
            if other:
                continue
            codes = [int(code or 0) for code in re.split("[;:]", sgr)]
            while codes:
                code = codes.pop(0)
                match code:
                    case 0:
                        style, reverse, dim = plain, False, False
                    case 1:
                        style = style._replace(bold=True)
                    case 2:
                        dim = True
                    case 3 | 23:
                        style = style._replace(italic=code == 3)
                    case 4 | 24:
                        style = style._replace(underline=code == 4)
                    case 7 | 27:
                        reverse = code == 7
                    case 9 | 29:
                        style = style._replace(strike=code == 9)
                    case 22:
                        style, dim = style._replace(bold=False), False
                    case 38 | 48 if codes:
                        colour = _extended(codes)
                        style = style._replace(**{"ink" if code == 38 else "ground": colour})
                    case 39:
                        style = style._replace(ink=ink)
                    case 49:
                        style = style._replace(ground=ground)
                    case _ if code // 10 in (3, 9):
                        style = style._replace(ink=_BASIC[code % 10 + (8 if code >= 90 else 0)])
                    case _ if code // 10 in (4, 10):
                        style = style._replace(ground=_BASIC[code % 10 + (8 if code >= 100 else 0)])
        yield row


def draw(rows: Sequence[Sequence[Cell]], path: str | Path, width: int, height: int, ground: str) -> None:
    image = Image.new("RGB", (width * CELL_W, height * CELL_H), ground)
    pen = ImageDraw.Draw(image)
    for y, row in enumerate(rows[:height]):
        x = 0
        for cell in row:
            _cell(image, pen, x * CELL_W, y * CELL_H, cell)
            x += cell.width
    image.save(path)


def _cells(text: str, style: Cell) -> list[Cell]:
    spans, _ = split_graphemes(text)
    return [style._replace(text=text[start:end], width=width) for start, end, width in spans]


def _cell(image: Image.Image, pen: ImageDraw.ImageDraw, x: int, y: int, cell: Cell) -> None:
    right, bottom = x + cell.width * CELL_W - 1, y + CELL_H - 1
    if cell.width:
        pen.rectangle((x, y, right, bottom), fill=cell.ground)
    if not _geometry(pen, x, y, cell) and not cell.text.isspace():
        font = _font(cell.text[0], cell.bold, cell.italic)
        # A fallback font has its own advance: centre what is narrower than its cells.
        shift = (
            0
            if font is _own(cell.bold, cell.italic)
            else (cell.width * CELL_W - font.getlength(cell.text)) / 2
        )
        composed = normalize("NFC", cell.text)
        marks = composed[1:] if all(map(combining, composed[1:])) else ""
        pen.text((x + max(0, shift), y), composed.removesuffix(marks), font=font, fill=cell.ink)
        for mark in marks:
            # Not every font knows where a mark goes on this letter: centre it by its ink.
            path = _font(mark, cell.bold, cell.italic).path
            basic = ImageFont.truetype(path, FONT_SIZE, layout_engine=ImageFont.Layout.BASIC)
            start, _, end, _ = basic.getbbox(mark)
            pen.text((x + (CELL_W - start - end) / 2, y), mark, font=basic, fill=cell.ink)
    if cell.underline:
        pen.line((x, bottom - 1, right, bottom - 1), fill=cell.ink)
    if cell.strike:
        pen.line((x, y + CELL_H // 2, right, y + CELL_H // 2), fill=cell.ink)


def _geometry(pen: ImageDraw.ImageDraw, x: int, y: int, cell: Cell) -> bool:
    """Draw a glyph that is a shape rather than a letter. False when it is a letter."""
    glyph, ink, right, bottom = cell.text, cell.ink, x + CELL_W - 1, y + CELL_H - 1
    code = ord(glyph[0])
    if 0x2800 <= code <= 0x28FF:
        for column, row, bit in _DOTS:
            if (code - 0x2800) & bit:
                left, top = x + column * 5 + 1, y + row * 5 + 1
                pen.rectangle((left, top, left + 2, top + 2), fill=ink)
    elif glyph in _SHADES:
        step = _SHADES[glyph]
        for dy in range(0, CELL_H, 2):
            for dx in range(0, CELL_W, 2):
                if (dx + dy) // 2 % step == 0 or step == 1:
                    pen.point((x + dx, y + dy), fill=ink)
                    pen.point((x + dx + 1, y + dy + 1), fill=ink)
                if step == 1:
                    pen.point((x + dx + 1, y + dy), fill=ink)
    elif code == 0x2580:
        pen.rectangle((x, y, right, y + CELL_H // 2 - 1), fill=ink)
    elif 0x2581 <= code <= 0x2588:
        pen.rectangle((x, y + CELL_H - (code - 0x2580) * CELL_H // 8, right, bottom), fill=ink)
    elif 0x2589 <= code <= 0x258F:
        pen.rectangle((x, y, x + (0x2590 - code) * CELL_W / 8 - 1, bottom), fill=ink)
    elif code == 0x2590:
        pen.rectangle((x + CELL_W // 2, y, right, bottom), fill=ink)
    elif code == 0x2594:
        pen.rectangle((x, y, right, y + 2), fill=ink)
    elif code == 0x2595:
        pen.rectangle((right - 1, y, right, bottom), fill=ink)
    elif glyph in _QUADRANTS:
        for quadrant in _QUADRANTS[glyph].split():
            left, top = x + int(quadrant[0]) * CELL_W // 2, y + int(quadrant[1]) * CELL_H // 2
            pen.rectangle((left, top, left + CELL_W // 2 - 1, top + CELL_H // 2 - 1), fill=ink)
    elif glyph in _ARMS:
        middle_x, middle_y = x + CELL_W // 2, y + CELL_H // 2
        left, to_right, up, down = (int(arm) for arm in _ARMS[glyph])
        for weight, ends in (
            (left, (x, middle_y, middle_x, middle_y)),
            (to_right, (middle_x, middle_y, right, middle_y)),
            (up, (middle_x, y, middle_x, middle_y)),
            (down, (middle_x, middle_y, middle_x, bottom)),
        ):
            if weight:
                pen.line(ends, fill=ink, width=1 if weight == 1 else 3)
    else:
        return False
    return True


@lru_cache(maxsize=8)
def _own(bold: bool, italic: bool) -> ImageFont.FreeTypeFont:
    name = {(0, 0): "", (1, 0): "-Bold", (0, 1): "-Oblique", (1, 1): "-BoldOblique"}[bold, italic]
    path = FONTS / f"DejaVuSansMono{name}.ttf"
    return ImageFont.truetype(path if path.exists() else FONTS / "DejaVuSansMono.ttf", FONT_SIZE)


@lru_cache(maxsize=4096)
def _font(char: str, bold: bool, italic: bool) -> ImageFont.FreeTypeFont:
    """The monospace font, or any installed one that has `char`, or the monospace one's empty box."""
    own = _own(bold, italic)
    if ord(char) < 0x250 or own.getmask(char).getbbox() != own.getmask("\uffff").getbbox():
        return own
    try:
        listed = subprocess.run(
            ["fc-list", f":charset={ord(char):x}", "file"], capture_output=True, text=True, timeout=10
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return own
    for file in sorted(line.rstrip(": ") for line in listed.splitlines()):
        try:
            return ImageFont.truetype(file, FONT_SIZE - 1)
        except OSError:
            continue
    return own


def _extended(codes: list[int]) -> str:
    """The colour after 38 or 48; takes its numbers off `codes`."""
    if codes.pop(0) == 2:
        red, green, blue = (*codes[:3], 0, 0, 0)[:3]
        del codes[:3]
        return f"#{red:02x}{green:02x}{blue:02x}"
    index = codes.pop(0) if codes else 7
    if index < 16:
        return _BASIC[index]
    if index >= 232:
        return "#" + f"{8 + 10 * (index - 232):02x}" * 3
    index -= 16
    levels = (0, 95, 135, 175, 215, 255)
    return "#{:02x}{:02x}{:02x}".format(*(levels[index // base % 6] for base in (36, 6, 1)))


def _mix(ink: str, ground: str) -> str:
    halves = ((int(ink[i : i + 2], 16) + int(ground[i : i + 2], 16)) // 2 for i in (1, 3, 5))
    return "#{:02x}{:02x}{:02x}".format(*halves)


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw an ANSI dump of a screen as a PNG.")
    parser.add_argument("capture", help="file with the dump, - for standard input")
    parser.add_argument("png")
    parser.add_argument("--light", action="store_true", help="default colours of a light terminal")
    args = parser.parse_args()
    text = sys.stdin.read() if args.capture == "-" else Path(args.capture).read_text(errors="replace")
    ground, ink = ("#ffffff", "#20252d") if args.light else (GROUND, INK)
    ansi_to_png(text, args.png, ground, ink)
    return 0


if __name__ == "__main__":
    sys.exit(main())
