"""A terminal's screen as a PNG, for people who look at screens without a terminal at hand.

    tmux capture-pane -e -p > capture.ansi
    python tests/scripts/png.py capture.ansi out.png [--light]

`lines_to_png` draws `slides.drawing.text.Line`s the same way; `slides.export.drawings.png` draws the cells.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from slides.drawing.text import Line
from slides.export.drawings.png import CELL_H, CELL_W, GROUND, INK, Cell, cells, draw, mixed, save
from slides.palette import Palette

__all__ = ["CELL_H", "CELL_W", "GROUND", "INK", "Cell", "ansi_to_png", "draw", "lines_to_png", "parse_ansi"]

# fmt: off
_BASIC = ("#1c1f26", "#ff6b6b", "#6fd08c", "#ffb454", "#5aa9ff", "#c39bff", "#2f8f9d", "#d6dde8",
          "#475162", "#ff8a8a", "#8fe0a6", "#ffc97d", "#7cc4ff", "#d5baff", "#56b6c2", "#ffffff")
# fmt: on


def lines_to_png(lines: Sequence[Line], palette: Palette, path: str | Path, width: int, height: int) -> None:
    """Draw `lines` on a screen of `width` x `height` cells; more lines or cells than fit are cut off."""
    save(lines, palette, Path(path), width, height)


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
                shown = style._replace(ink=mixed(style.ink, style.ground, 0.5)) if dim else style
                shown = shown._replace(ink=shown.ground, ground=shown.ink) if reverse else shown
                row += cells(run, shown)
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
