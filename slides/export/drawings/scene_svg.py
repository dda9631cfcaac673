"""A state of a scene as SVG: the shapes of the screen in the colours of the page, which may be light or dark.

Faces are polygons whose colour is mixed by the browser from the page's own, so that a picture follows the
reader; words stand in cells as on the screen, with the ground of the page around their letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from slides.drawing.cells import width
from slides.export.drawings.svg import CELL_H, CELL_W, name
from slides.scenes.painting import marks_of
from slides.scenes.painting.pixels import apart
from slides.scenes.painting.strokes import XY, Face, Mark, Stroke
from slides.scenes.painting.word_over_picture import Glyph
from slides.scenes.painting.words_in_cells import Written
from slides.scenes.shapes import State

MOST_MARKS = 3000  # of one picture: more are too large for a page, and hardly seen
PALE = (
    "background",
    "panel",
    "select",
    "added",
    "removed",
    "line",
    "wait",
    "faint",
)  # words stand out of these
_BASELINE = 12


def picture(state: State, columns: int, rows: int, label: str) -> str:
    """Return an `<svg>` of `columns` x `rows` cells; "" where it would have too many parts."""
    marks, words = marks_of(state, columns, rows)
    if len(marks) > MOST_MARKS:
        return ""
    drawn, rest = apart(marks, words)
    text = Written(columns, rows, large=False)
    text.add((), rest)
    size = columns * CELL_W, rows * CELL_H
    faces = [mark for mark in drawn if isinstance(mark, Face) and mark.alpha >= 0.5]
    parts = [*(_mark(mark, size) for mark in drawn), *_words(text, faces)]
    return (
        f'<svg class="scene" role="img" viewBox="0 0 {size[0]} {size[1]}"><title>{escape(label)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _mark(mark: Mark, size: tuple[int, int]) -> str:
    points = " ".join(f"{x * size[0]:.1f},{y * size[1]:.1f}" for x, y in _near(mark.points))
    alpha = f' opacity="{mark.alpha:.2f}"' if mark.alpha < 1 else ""
    if isinstance(mark, Face):
        colour = _lit(mark.ink, mark.light, mark.glow, mark.fog)
        edge = _lit(mark.edge, 1, 0, mark.fog) if mark.edge else "none"
        return f'<polygon points="{points}"{alpha} style="fill:{colour};stroke:{edge}"/>'
    thick = max(mark.width * size[1], 1.0)
    look = f"fill:none;stroke:{_lit(mark.ink, 1, 0, mark.fog)};stroke-width:{thick:.1f}"
    dashes = ";stroke-dasharray:6 5" if mark.dashed else ""
    line = f'<polyline points="{points}"{alpha} style="{look}{dashes}"/>'
    return line + (_head(mark, thick, size) if mark.head else "")


def _near(points: Iterable[XY]) -> Iterator[XY]:
    return ((min(max(x, -4.0), 5.0), min(max(y, -4.0), 5.0)) for x, y in points)


def _head(stroke: Stroke, thick: float, size: tuple[int, int]) -> str:
    if len(stroke.points) < 2:
        return ""
    (x0, y0), (x, y) = ((px * size[0], py * size[1]) for px, py in list(_near(stroke.points))[-2:])
    length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
    if not length:
        return ""
    reach = max(2.2 * thick, 9.0)
    ux, uy = (x - x0) / length * reach, (y - y0) / length * reach
    corners = ((x, y), (x - ux - uy * 0.6, y - uy + ux * 0.6), (x - ux + uy * 0.6, y - uy - ux * 0.6))
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    alpha = f' opacity="{stroke.alpha:.2f}"' if stroke.alpha < 1 else ""
    return f'<polygon points="{points}"{alpha} style="fill:{_lit(stroke.ink, 1, 0, stroke.fog)}"/>'


def _lit(ink: str, light: float, glow: float, fog: float) -> str:
    """A colour of the page in this light, as `slides.scenes.painting.colours.lit` has it on a screen."""
    colour = f"var(--{name(ink)})"
    glow = min(max(glow, 0.0), 1.0)
    if light < 1:
        colour = _mixed(colour, "black", 1 - (light + (1 - light) * glow / 2))
    if glow:
        colour = _mixed(colour, "white", 0.35 * glow)
    return _mixed(colour, "var(--background)", fog) if fog else colour


def _mixed(colour: str, other: str, share: float) -> str:
    return f"color-mix(in srgb,{colour},{other} {100 * min(max(share, 0), 1):.0f}%)"


def _words(text: Written, faces: list[Face]) -> Iterator[str]:
    """Runs of letters in one style, each as wide as its cells. Those of a box have the colour of the ground,
    from which that of the box stands out in every theme."""

    def style(item: tuple[tuple[int, int], Glyph]) -> tuple[int, int, str, bool, float]:
        (row, column), glyph = item
        ink = glyph.ink or _on(faces, (column + 0.5) / text.columns, (row + 0.5) / text.rows)
        return row, column - order[row, column], ink, glyph.bold, glyph.alpha

    places = sorted(text.cells.items())
    order: dict[tuple[int, int], int] = {}
    count, before = 0, (-1, -1)
    for place, _ in places:
        count = count + 1 if place == (before[0], before[1] + 1) else 0
        order[place], before = count, place
    for (row, _, ink, bold, alpha), some in groupby(places, style):
        glyphs = list(some)
        letters = "".join(glyph.text for _, glyph in glyphs)
        start = glyphs[0][0][1]
        if not letters.strip():
            continue
        kind = f"i-{name(ink)}" + (" b" if bold else "") + (" on" if ink == "background" else "")
        faint = f' opacity="{alpha:.2f}"' if alpha < 1 else ""
        yield (
            f'<text class="{kind}"{faint} x="{start * CELL_W}" y="{row * CELL_H + _BASELINE}" '
            f'textLength="{max(1, width(letters)) * CELL_W}">{escape(letters)}</text>'
        )


def _on(faces: list[Face], x: float, y: float) -> str:
    """The ink that is read on whichever face is uppermost there."""
    for face in reversed(faces):
        xs, ys = [point[0] for point in face.points], [point[1] for point in face.points]
        if min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys):
            return "text" if face.ink in PALE else "background"
    return "text"
