"""A picture where there are no colours, or only a few letters: a texture for each meaning."""

from __future__ import annotations

from slides.drawing.text import Line, Span, Style, joined
from slides.palette import Palette
from slides.scenes.painting.strokes import Face, Mark, edges, level, standing
from slides.scenes.painting.words_in_cells import Written

TEXTURES = {
    "params": "█", "compute": "█", "forward": "█", "rank0": "█",
    "grads": "▓", "rank1": "▓", "backward": "░", "exposed": "╱",
    "optimizer": "▒", "hidden": "▒", "rank2": "▒", "weight": "▒",
    "activations": "░", "wait": "·", "rank3": "░",
    "rank4": "#", "rank5": "%", "rank6": "=", "rank7": "+",
    "panel": "·", "background": " ", "line": "·", "faint": "·", "select": " ",
}  # fmt: skip
"""What a box of this ink is filled with; another has █."""
_SHADES = "█▓▒░"
_OWN = 0.72  # of alpha: from here on a box has the texture of its ink, as the legend has it
_FAINTEST = 0.15  # of alpha: less is not there


def lines(marks: list[Mark], text: Written, palette: Palette) -> list[Line]:
    """Return boxes as textures in their ink, and `text` beside or on them."""
    columns, rows = text.columns, text.rows
    grid: list[list[Span]] = [[Span(" ")] * columns for _ in range(rows)]
    for mark in marks:
        if isinstance(mark, Face) and mark.alpha >= _FAINTEST:
            _fill(grid, mark, columns, rows)
    for (row, column), glyph in text.cells.items():
        under = grid[row][column].text
        # On a texture words are read only where they stand out of it.
        style = Style(
            glyph.ink or "heading", "select" if under not in " ·" else "", bold=glyph.bold or under != " "
        )
        grid[row][column] = Span(glyph.text, style)
    return [joined(row) for row in grid]


def _fill(grid: list[list[Span]], face: Face, columns: int, rows: int) -> None:
    """Fill the cells whose middle is in the polygon; one that has none has the nearest."""
    points = [(x * columns, y * rows) for x, y in face.points]
    texture = TEXTURES.get(face.ink, "█")
    if texture in _SHADES:  # a side in the shade is one darker
        texture = _SHADES[min(_SHADES.index(texture) + (face.light < 0.9) + (face.light < 0.6), 3)]
        if face.alpha < _OWN:  # what is there for a while, or on its way
            texture = _SHADES[min(_SHADES.index(texture) + 1, 3)] if face.alpha >= 0.5 else "░"
    ink = "line" if face.ink == "panel" else face.ink  # its own is that of the ground, nearly
    mark = Span(texture, Style(ink, bold=face.glow > 0))
    if level(face.points):
        (x0, y0), _, (x1, y1), _ = points
        start, end = edges(x0, x1)
        first, last = standing(y0, y1)
        start, end = min(max(start, 0), columns), min(max(end, 0), columns)
        for row in range(max(first, 0), min(last, rows)):
            grid[row][start:end] = [mark] * (end - start)
        return
    top = max(int(min(y for _, y in points)), 0)
    bottom = min(int(max(y for _, y in points)) + 1, rows)
    for row in range(top, bottom):
        crossed = _crossed(points, row + 0.5)
        for left, right in zip(crossed[::2], crossed[1::2], strict=False):
            begin, until = max(round(left), 0), min(round(right), columns)
            for column in range(begin, max(until, begin + 1)):
                if column < columns:
                    grid[row][column] = mark


def _crossed(points: list[tuple[float, float]], y: float) -> list[float]:
    """Where the outline crosses the height `y`, from left to right."""
    found = []
    for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
        if (y0 <= y) != (y1 <= y):
            found.append(x0 + (x1 - x0) * (y - y0) / (y1 - y0))
    return sorted(found)
