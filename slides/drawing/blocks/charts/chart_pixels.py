"""The plot of a chart as a flat picture, in units of cells, for terminals that have pixels.

Its axes and names stay the cells that they are: only what lies between them is painted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from slides import deck
from slides.drawing.blocks.charts import chart_many_points as many
from slides.drawing.blocks.charts.chart_parts import fills, letter, lettered, number
from slides.drawing.text import Line
from slides.scenes.shapes import AnyShape, Box, Label, Path, Point, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Plots = Callable[[State, "list[Line]"], "list[Line]"]
"""What stands where a plot is: the state as pixels, or these rows of as many cells."""

_THICK, _LIMIT, _DOT = 0.16, 0.1, 0.36  # rows of cells: a line, the limit, a point
_FINER = 8  # columns of pixels a dot of braille, about


def curves(
    chart: deck.Chart,
    columns: int,
    rows: int,
    points: Sequence[NDArray[np.float64]],
    ticks: Sequence[float],
    limit: float,
    letters: Mapping[tuple[int, int], int],
) -> State:
    """Lines or points. `points`, an array a series, `ticks` and `limit` (nan: none) are in dots of braille,
    of which a cell has 2 across and 4 down. `letters`: the series of each cell (row, column) that has one."""
    shapes: list[AnyShape] = [
        Path(id=f"tick{n}", points=((0.0, y / 4), (float(columns), y / 4)), ink="line", alpha=0.5, layer=-1)
        for n, y in enumerate(ticks)
    ]
    if not math.isnan(limit):
        shapes.append(_across("limit", limit / 4, columns, "bad"))
    for n, fill in enumerate(fills(chart)):
        single = chart.kind == "scatter" or len(points[n]) <= columns // 4
        if chart.kind == "line":
            placed = [((x + 0.5) / 2, (y + 0.5) / 4) for x, y in many.same_look(points[n], _FINER).tolist()]
            for part, run in enumerate(_unbroken(placed)):
                shapes.append(Path(id=f"line{n}.{part}", points=tuple(run), ink=fill.ink, width=_THICK))
        if single and lettered(chart):
            continue
        for k, (x, y) in enumerate((points[n] if single else many.alone(points[n])).tolist()):
            if not math.isnan(y):
                at = ((x + 0.5) / 2 - _DOT, (y + 0.5) / 4 - _DOT / 2)  # a cell is twice as high as it is wide
                shapes.append(Box(id=f"dot{n}.{k}", at=at, size=(2 * _DOT, _DOT), ink=fill.ink))
    for (row, column), n in letters.items():
        at = (column + 0.5, row + 0.5)
        ink = fills(chart)[n].ink
        shapes.append(Label(id=f"letter{row}.{column}", at=at, text=letter(n), ink=ink, bold=True))
    return State(tuple(shapes), size=(float(columns), float(rows)))


def bars(
    chart: deck.Chart,
    columns: int,
    rows: int,
    ends: tuple[float, float],
    places: Sequence[tuple[int, int]],
    said: Sequence[str],
    *,
    figures: bool,
) -> State:
    """Upright bars between the values `ends`, of which the first is 0 at most, in the height of `rows`.

    `places`: the left cell and the width of each, in the order of its values; of a stacked one they have one
    together. `said`: what the limit is. `figures`: bars have theirs in them.
    """
    shapes: list[AnyShape] = []
    stacked = chart.kind == "stacked"
    low, top = ends
    whole = top - low  # divided by first: of the least number a row would be infinitely many
    zero = top / whole * rows
    for place, row in enumerate(chart.values):
        over = under = zero  # where the next part of a stack begins
        for n, (fill, value) in enumerate(zip(fills(chart), row, strict=True)):
            left, thick = places[place if stacked else place * len(row) + n]
            if not value:
                continue
            high = abs(value) / whole * rows
            start = (over if value > 0 else under) if stacked else zero
            first, middle = (start - high, start - high / 2) if value > 0 else (start, start + high / 2)
            at, size = (float(left), first), (float(thick), high)
            shapes.append(Box(id=f"bar{place}.{n}", at=at, size=size, ink=fill.ink))
            text = number(value)
            if figures and (stacked or len(row) > 1) and high >= 1.2 and len(text) <= thick:
                y = middle if stacked else first + 0.6 if value > 0 else first + high - 0.6
                where = (left + thick / 2, y)
                shapes.append(Label(id=f"number{place}.{n}", at=where, text=text, ink="", bold=True))
            over, under = (over - high, under) if value > 0 else (over, under + high)
    if low:
        shapes.append(_across("zero", zero, columns, "line"))
    if chart.limit and low <= chart.limit <= top:
        y = zero - chart.limit / whole * rows
        shapes.append(_across("limit", y, columns, "bad"))
        for n, words in enumerate(said):
            at = (float(columns), y - 0.5 if n == 0 else y + n - 0.5)
            shapes.append(
                Label(
                    id=f"limit{n}", at=at, text=words, ink="dim" if n else "bad", bold=not n, anchor="right"
                )
            )
    return State(tuple(shapes), size=(float(columns), float(rows)))


def _across(name: str, y: float, columns: int, ink: str) -> Path:
    return Path(id=name, points=((0.0, y), (float(columns), y)), ink=ink, width=_LIMIT, layer=1)


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
