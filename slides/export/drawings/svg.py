"""Styled lines as a drawing in SVG, cell by cell: plots and panels look in a browser as on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from slides.drawing.cells import clean, graphemes, width
from slides.drawing.text import Line, Style
from slides.export.drawings.glyphs import shapes

CELL_W, CELL_H = 8, 16
_BASELINE = 12


def drawing(lines: Sequence[Line], label: str) -> str:
    """An `<svg>` that is as wide as its widest line; inks are classes, so that it has the page's colours."""
    columns = max((sum(width(span.text) for span in line) for line in lines), default=1) or 1
    parts: list[str] = []
    for y, line in enumerate(lines):
        x = 0
        for text, style in line:
            x += _run(parts, clean(text), style, x, y)
    box = f"0 0 {columns * CELL_W} {len(lines) * CELL_H}"
    return (
        f'<svg class="cells" role="img" viewBox="{box}" width="{columns * CELL_W}" '
        f'height="{len(lines) * CELL_H}"><title>{escape(label)}</title>{"".join(parts)}</svg>'
    )


def _run(parts: list[str], text: str, style: Style, x: int, y: int) -> int:
    """Draw one span from cell `x` on; returns its cells."""
    cells = width(text)
    if style.ground and cells:
        place = f'x="{x * CELL_W}" y="{y * CELL_H}" width="{cells * CELL_W}" height="{CELL_H}"'
        parts.append(f'<rect class="g-{name(style.ground)}" {place}/>')
    paths: dict[float, list[str]] = {}
    letters, from_x, at = "", x, x
    for piece in [*graphemes(text), ""]:
        shape = shapes(piece) if piece else ()
        if shape is None and piece.strip() and width(piece) == 1:
            letters += piece
            at += 1
            continue
        if letters:
            parts.append(_text(letters, style, from_x, y, at - from_x))
        if shape is None and piece.strip():  # a wide one has its own place: fonts differ in how wide
            parts.append(_text(piece, style, at, y, width(piece)))
        for part in shape or ():
            x0, y0 = (at + part.x0) * CELL_W, (y + part.y0) * CELL_H
            w, h = (part.x1 - part.x0) * CELL_W, (part.y1 - part.y0) * CELL_H
            paths.setdefault(part.alpha, []).append(f"M{x0:.4g} {y0:.5g}h{w:.3g}v{h:.3g}h-{w:.3g}z")
        at += width(piece)
        letters, from_x = "", at
    for alpha, found in paths.items():
        opacity = f' opacity="{alpha:g}"' if alpha < 1 else ""
        parts.append(f'<path class="i-{name(style.ink)}"{opacity} d="{"".join(found)}"/>')
    return cells


def _text(text: str, style: Style, x: int, y: int, cells: int) -> str:
    classes = f"i-{name(style.ink)}" + " b" * style.bold + " i" * style.italic
    classes += " u" * style.underline + " s" * style.strike
    place = f'x="{x * CELL_W}" y="{y * CELL_H + _BASELINE}" textLength="{cells * CELL_W}"'
    return f'<text class="{classes}" {place} lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'


def name(meaning: str) -> str:
    """A meaning of the palette as a name in CSS."""
    return meaning.replace(".", "-")
