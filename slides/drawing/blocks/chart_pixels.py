"""The plot of a chart as a flat picture, in units of cells, for terminals that have pixels.

Its axes and names stay the cells that they are: only what lies between them is painted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from slides import deck
from slides.drawing.blocks.chart_parts import inks, number
from slides.drawing.text import Line
from slides.scenes.shapes import AnyShape, Box, Label, Path, Point, State

Plots = Callable[[State, "list[Line]"], "list[Line]"]
"""What stands where a plot is: the state as pixels, or these rows of as many cells."""

_THICK, _LIMIT, _DOT = 0.16, 0.1, 0.36  # rows of cells: a line, the limit, a point


def curves(
    chart: deck.Chart,
    columns: int,
    rows: int,
    points: Sequence[Sequence[Point]],
    ticks: Sequence[float],
    limit: float,
) -> State:
    """Lines or points. `points`, a row a series, `ticks` and `limit` (nan: none) are in dots of braille, of
    which a cell has 2 across and 4 down."""
    shapes: list[AnyShape] = [
        Path(id=f"tick{n}", points=((0.0, y / 4), (float(columns), y / 4)), ink="line", alpha=0.5, layer=-1)
        for n, y in enumerate(ticks)
    ]
    if not math.isnan(limit):
        shapes.append(_limit(limit / 4, columns))
    for n, (ink, _) in enumerate(inks(chart)):
        placed = [((x + 0.5) / 2, (y + 0.5) / 4) for x, y in points[n]]
        if chart.kind == "line":
            for part, run in enumerate(_unbroken(placed)):
                shapes.append(Path(id=f"line{n}.{part}", points=tuple(run), ink=ink, width=_THICK))
        if chart.kind == "scatter" or len(placed) <= columns // 4:
            for k, (x, y) in enumerate(placed):
                if not math.isnan(y):
                    at = (x - _DOT, y - _DOT / 2)  # a cell is twice as high as it is wide
                    shapes.append(Box(id=f"dot{n}.{k}", at=at, size=(2 * _DOT, _DOT), ink=ink))
    return State(tuple(shapes), size=(float(columns), float(rows)))


def bars(
    chart: deck.Chart,
    columns: int,
    rows: int,
    top: float,
    places: Sequence[tuple[int, int]],
    said: Sequence[str],
) -> State:
    """Upright bars, of which one of `top` has the height of `rows`. `places`: the left cell and the width of
    each, in the order of its values; of a stacked one they have one together. `said`: what the limit is."""
    shapes: list[AnyShape] = []
    stacked = chart.kind == "stacked"
    for place, row in enumerate(chart.values):
        below = 0.0
        for n, ((ink, _), value) in enumerate(zip(inks(chart), row, strict=True)):
            left, thick = places[place if stacked else place * len(row) + n]
            if not value:
                continue
            high = rows * value / top
            floor = rows * (1 - below / top)
            shapes.append(
                Box(id=f"bar{place}.{n}", at=(float(left), floor - high), size=(float(thick), high), ink=ink)
            )
            text = number(value)
            if (stacked or len(row) > 1) and high >= 1.2 and len(text) <= thick:
                middle = (left + thick / 2, floor - high / 2 if stacked else floor - high + 0.6)
                shapes.append(Label(id=f"number{place}.{n}", at=middle, text=text, ink="", bold=True))
            below += value if stacked else 0.0
    if chart.limit is not None and 0 < chart.limit <= top:
        y = rows * (1 - chart.limit / top)
        shapes.append(_limit(y, columns))
        for n, words in enumerate(said):
            at = (float(columns), y - 0.5 if n == 0 else y + n - 0.5)
            shapes.append(
                Label(
                    id=f"limit{n}", at=at, text=words, ink="dim" if n else "bad", bold=not n, anchor="right"
                )
            )
    return State(tuple(shapes), size=(float(columns), float(rows)))


def _limit(y: float, columns: int) -> Path:
    return Path(id="limit", points=((0.0, y), (float(columns), y)), ink="bad", width=_LIMIT, layer=1)


def _unbroken(points: Sequence[Point]) -> Iterator[list[Point]]:
    """The stretches of a line between what is no number."""
    run: list[Point] = []
    for point in points:
        if math.isnan(point[1]):
            if len(run) > 1:
                yield run
            run = []
        else:
            run.append(point)
    if len(run) > 1:
        yield run
