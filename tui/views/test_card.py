"""The test card: what a projector or a screen share must show before a class is held on it.

Marked corners and a ruler along the edges (is all of it on the wall?), the colours of the theme with their
contrasts, the grounds in steps (which of them can still be told apart?), every kind of character that slides
are made of, and lines to be read from the last row. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from slides.contrast import contrast
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style, plain
from slides.palette import Palette

TEXT, DIM = Style(), Style("dim")
HEAD = Style("heading", bold=True)
CORNER, EDGE = Style("accent", bold=True), Style("accent")
INKS = ("text", "heading", "dim", "faint", "accent", "good", "warning", "bad")
FILLS = ("compute", "hidden", "exposed", "wait", "params", "grads", "optimizer", "activations")
RANKS = tuple(f"rank{n}" for n in range(8))
GROUNDS = ("background", "panel", "select", "line", "faint", "dim", "text", "heading")
_MARGIN = 5  # cells of an edge with its numbers
_SHORT = {"background": "ground", "heading": "head"}
_SHORTER = {"background": "base", "select": "mark"}
_CURVE = (3, 9)  # rows of the wave, least and most
_READ = ("To be read from the last row: θₜ₊₁ = θₜ − η∇L", "  0O 1lI 5S 8B rn m .,;:")
_CHARACTERS = (
    ("blocks", "▁▂▃▄▅▆▇█ ▉▊▋▌▍▎▏ ░▒▓█ ▖▗▘▝▙▚▛▜"),
    ("braille", "⠁⠃⠇⡇⡏⡟⡿⣿ ⣀⣤⣶⣿ ⠉⠛⠿⣿ ⡇⢸ ⠤⠒⠉⠒⠤"),
    ("lines", "┌─┬─┐ ├─┼─┤ └─┴─┘ ╭─╮ ╰─╯ ━┃┏┓┗┛ ═║"),
    ("signs", "● ○ ▶ ■ ▲ ✓ ✗ → ← ↑ ↓ … · × ± ≈ ∑ θ"),
    ("wide", "漢字 かな 한글 １２ ＡＢ"),
    ("joined", "café क्षत्रिय 👩‍🔬"),
)


def card(palette: Palette, name: str, width: int, height: int, *, hints: bool = True) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells, at any size. `name` is the theme's."""
    if width < 24 or height < 8:
        return [cells.fit((Span("█", CORNER), Span(f" {width}x{height} ", TEXT)), width)] * max(0, height)
    inner, rows = width - 2 * _MARGIN, height - 4
    body = _body(palette, name, inner, rows, hints)
    lines = [_edge(width, top=True), _side((), 1, width)]
    lines += [_side(body[n] if n < len(body) else (), n + 2, width) for n in range(rows)]
    return [*lines, _side((), height - 2, width), _edge(width, top=False)]


# --- the edges --------------------------------------------------------------------------------------------


def _edge(width: int, *, top: bool) -> Line:
    """A ruler with a corner at each end: a number stands where its cell is."""
    rail = list("━" * width)
    for mark in range(10, width - 5, 10):
        number = str(mark)
        rail[mark - len(number) : mark] = number
    left, right = ("█▀▀", "▀▀█") if top else ("█▄▄", "▄▄█")
    return (Span(left, CORNER), Span("".join(rail[3:-3]), EDGE), Span(right, CORNER))


def _side(line: Line, row: int, width: int) -> Line:
    number = str(row + 1) if (row + 1) % 5 == 0 else ""
    left, right = f"┃{number}".ljust(_MARGIN), f"{number}┃".rjust(_MARGIN)
    return (Span(left, EDGE), *cells.fit(line, width - 2 * _MARGIN), Span(right, EDGE))


# --- what is within ---------------------------------------------------------------------------------------


def _body(palette: Palette, name: str, width: int, rows: int, hints: bool) -> list[Line]:
    """The parts in the order in which they are missed; what has no room is left out, air comes last."""
    size = f"{width + 2 * _MARGIN} x {rows + 4}"
    words = (f"theme {name}", f"{size} cells"), (name, size)
    keys = ("T theme", "q close") if hints else ()
    said = [gap + gap.join((*few, *keys)) for few, gap in zip(words, ("   ", "  "), strict=True)]
    fits = next((words for words in said if 9 + cells.width(words) <= width), said[-1])
    title = (Span("Test card", HEAD), Span(fits, DIM))
    parts: list[list[Line]] = [[title], _inks(palette, width), _grounds(palette, width), _characters(width)]
    parts += [_reading(width), _fills(width), _curve(width, _CURVE[0]), _size(size, width, rows)]
    kept: list[int] = []
    for n in (0, 1, 2, 4, 3, 5, 6, 7):  # what is missed most comes first
        if parts[n] and sum(len(parts[k]) for k in (*kept, n)) <= rows:
            kept.append(n)
    kept.sort()
    spare = rows - sum(len(parts[n]) for n in kept)
    if 6 in kept:  # what the gaps leave is the wave's
        more = min(_CURVE[1] - _CURVE[0], max(0, spare - len(kept) + 1))
        parts[6], spare = _curve(width, _CURVE[0] + more), spare - more
    lines: list[Line] = []
    for n in kept:
        if lines and spare > 0:
            lines.append(())
            spare -= 1
        lines += parts[n]
    return lines


def _inks(palette: Palette, width: int) -> list[Line]:
    """Each meaning in its own ink, with its contrast on the background (WCAG 2: text needs 4.5)."""
    words = []
    for ink in INKS:
        ratio = readable(palette.colour(ink), palette.colour("background"))
        said = f"{ink} {ratio:.1f}" if ratio is not None else ink
        words.append((Span(said, Style(ink)),))
    return _packed(words, width, "   ")


def _grounds(palette: Palette, width: int) -> list[Line]:
    """Steps from the background to the brightest: each must be told from its neighbours."""
    share = width // len(GROUNDS)
    names = _SHORT if share > 6 else _SHORT | _SHORTER
    block, said = [], []
    for ground in GROUNDS:
        ratio = readable(palette.colour(ground), palette.colour("background"))
        block.append(
            Span(" " * share, Style("text", ground))
            if ratio is not None
            else Span("█" * share, Style(ground))
        )
        said.append(Span(names.get(ground, ground)[: share - 1].ljust(share), DIM))
    return [tuple(block), tuple(block), tuple(said)]


def _fills(width: int) -> list[Line]:
    words = [(Span("▇▇▇", Style(ink)), Span(f" {ink}", DIM)) for ink in FILLS]
    ranks = [(Span(f" {n} ", Style("background", ink, bold=True)), Span(" ")) for n, ink in enumerate(RANKS)]
    return [*_packed(words, width, "  "), *_packed([(Span("ranks ", DIM),), *ranks], width, "")]


def _characters(width: int) -> list[Line]:
    """The bar behind each must stand in one column, or some character has another width than it should."""
    most = max(cells.width(text) for _, text in _CHARACTERS)
    rows = []
    for name, text in _CHARACTERS:
        pad = " " * (most - cells.width(text))
        line = (Span(f"{name:<8}", DIM), Span(text), Span(f"{pad} ▏", Style("accent")))
        rows.append(cells.clip(line, width))
    return rows


def _reading(width: int) -> list[Line]:
    words = "".join(_READ)
    words = words if cells.width(words) <= width else _READ[0]
    return [cells.clip((Span(words, style),), width) for style in (TEXT, DIM)]


def _curve(width: int, rows: int) -> list[Line]:
    """A wave of dots: broken where the font has no braille, blurred where the picture is scaled."""
    from slides.drawing.canvas import Braille

    canvas, middle = Braille(width, rows), (4 * rows - 1) / 2
    dots = 2 * width
    points = [(x, middle - middle * math.sin(2 * math.pi * x / 60)) for x in range(dots)]
    canvas.lines(points, "compute")
    return canvas.render()


def _size(size: str, width: int, rows: int) -> list[Line]:
    """The size in letters that can be read from everywhere."""
    found = letters(size, width, ("double", "full", "narrow") if rows >= 38 else ("full", "narrow"), 1) or []
    wide = max(map(len, found), default=0)  # together to the middle: blank ends are not theirs
    return [cells.pad((Span(line.ljust(wide), HEAD),), width, align="center") for line in found]


def _packed(words: Sequence[Line], width: int, gap: str) -> list[Line]:
    """Words side by side, in as many rows as they need."""
    rows: list[Line] = []
    for word in words:
        last = rows[-1] if rows else ()
        longer = (*last, *((Span(gap),) if last and gap else ()), *word)
        if rows and cells.line_width(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(cells.clip(word, width))
    return rows


def readable(colour: str, ground: str) -> float | None:
    """The contrast of two colours `#rrggbb`, 1 to 21; None where the terminal chooses them."""
    return contrast(colour, ground) if colour and ground else None


def text(palette: Palette, name: str, width: int, height: int) -> str:
    """The card without colours, for a pipe."""
    return "\n".join(plain(line).rstrip() for line in card(palette, name, width, height, hints=False))
