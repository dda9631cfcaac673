"""Bars of a chart: upright where their names have room under them, else lying, a row each; many of them
upright beside an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slides import deck
from slides.drawing.blocks.charts import chart_upright
from slides.drawing.blocks.charts.chart_parts import (
    HEADING,
    LIMIT,
    RULE,
    TEXT,
    Fill,
    fills,
    number,
    side,
    without_blank_end,
)
from slides.drawing.blocks.charts.chart_scale import Scale, above, below, total
from slides.drawing.cells import clean, clip_text, width
from slides.drawing.text import Line, Span

if TYPE_CHECKING:
    from slides.drawing.blocks.charts.chart_pixels import Plots

_MANY = 16  # bars; more are not lying where that takes more rows than there are
_Part = tuple[Fill, float | None, int]


def bars(
    chart: deck.Chart, columns: int, rows: int, *, large: bool = False, plots: Plots | None = None
) -> list[Line]:
    """The bars of a chart in `columns` cells and `rows` rows; lying ones may need more. `large`: names and
    figures of upright ones are in letters where these have room. `plots` takes upright ones as pixels."""
    scale = Scale(chart)
    upright = (large and chart_upright.named(scale, columns, rows, large=True, plots=plots)) or (
        chart_upright.named(scale, columns, rows, plots=plots)
    )
    if not upright and _needed(scale) > rows and len(chart.labels) > _MANY:
        upright = chart_upright.beside_an_axis(scale, columns, rows, plots)
    return upright or _lying(scale, columns, rows)


def _needed(scale: Scale) -> int:
    """Rows of all bars when they lie."""
    chart = scale.chart
    return len(chart.labels) * (1 if scale.stacked else len(chart.series)) + bool(chart.limit)


def _lying(scale: Scale, columns: int, rows: int) -> list[Line]:
    """A row a bar: its name, the bar, its number."""
    chart = scale.chart
    labels = [clean(label) for label in chart.labels]
    name = min(max(map(width, labels), default=0), max(columns // 3, 4))
    totals = scale.totals if scale.stacked else [value for row in chart.values for value in row]
    behind = max(len(total(value, chart.unit)) for value in totals) + 1
    room = max(3 if scale.low else 1, columns - name - 2 - behind)
    found: list[Line] = []
    airy = _needed(scale) + len(labels) - 1 <= rows
    drawing = _Row(scale, name, room)
    if drawing.limit is not None:
        mark = " ".join(side(chart, 1 << 10))
        at = min(name + 2 + drawing.limit, columns - width(mark))
        found.append((Span(" " * max(0, at)), Span(clip_text(mark, columns), LIMIT)))
    for place, (label, row) in enumerate(zip(labels, chart.values, strict=True)):
        if airy and place:
            found.append(())
        if scale.stacked:
            found.append(drawing.stack(label, row, scale.totals[place]))
        else:
            found += [drawing.bar(label if n == 0 else "", n, value) for n, value in enumerate(row)]
    return found


class _Row:
    """A row of lying bars: `name` cells for its name, and `room` for the bar on both sides of zero."""

    def __init__(self, scale: Scale, name: int, room: int) -> None:
        self.scale, self.name, self.room = scale, name, room
        self.fills = fills(scale.chart)
        self.up, self.over, self.under = scale.sides(room - bool(scale.low))
        self.zero = room - self.up  # where what is above zero begins
        self.limit: int | None = None
        if self.over.limit is not None:
            self.limit = self.zero + self.over.line(self.up)
        elif self.under.limit is not None:
            self.limit = self.zero - 2 - self.under.line(self.zero - 1)

    def stack(self, label: str, row: Sequence[float | None], sum_: float | None) -> Line:
        """A bar of parts, with their numbers in them."""
        up, down = above(row), below(row)
        over = list(zip(self.fills, up, self.over.parts(up, self.up), strict=True))
        under = (
            list(zip(self.fills, down, self.under.parts(down, self.zero - 1), strict=True))
            if self.zero
            else []
        )
        return self._line(label, over, under, sum_)

    def bar(self, label: str, n: int, value: float | None) -> Line:
        """The bar of series `n`, its number behind it."""
        size = value or 0.0
        over: list[_Part] = [(self.fills[n], None, self.over.cells(max(size, 0.0), self.up))]
        under: list[_Part] = (
            [(self.fills[n], None, self.under.cells(-size, self.zero - 1))] if size < 0 else []
        )
        return self._line(label, over, under, value)

    def _line(self, label: str, over: Sequence[_Part], under: Sequence[_Part], value: float | None) -> Line:
        grid: list[list[Span]] = [[Span(" ", TEXT)] * self.room]
        end = self.zero
        for of, part, count in over:
            if count:
                chart_upright.fill(grid, 0, end, count, of, "" if part is None else number(part))
            end += count
        begin = self.zero - 1
        for of, part, count in under:
            if count:
                chart_upright.fill(grid, 0, begin - count, count, of, "" if part is None else number(-part))
            begin -= count
        if self.zero:
            grid[0][self.zero - 1] = Span("│", RULE)
        if self.limit is not None:
            ground = grid[0][self.limit].style.ground
            grid[0][self.limit] = Span("┃", LIMIT.on(ground) if ground else LIMIT)
            end = max(end, self.limit + 1)
        shown = clip_text(label, self.name)
        return (
            Span(" " * (self.name - width(shown))),
            Span(f"{shown}  ", HEADING),
            *without_blank_end(grid[0][:end]),
            Span(f" {total(value, self.scale.chart.unit)}", TEXT),
        )
