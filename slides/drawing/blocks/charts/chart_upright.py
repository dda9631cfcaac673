"""Upright bars of a chart: with their names and figures under them, or many of them beside an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slides import deck
from slides.drawing.blocks.charts import chart_letters
from slides.drawing.blocks.charts.chart_axes import Axis
from slides.drawing.blocks.charts.chart_parts import (
    DIM,
    HEADING,
    LIMIT,
    RULE,
    TEXT,
    Fill,
    fills,
    number,
    side,
    under,
    without_blank_end,
)
from slides.drawing.blocks.charts.chart_scale import Scale, Side, above, below, of_hundred, total
from slides.drawing.cells import clean, clip_text, width
from slides.drawing.text import Line, Span, Style, indented

if TYPE_CHECKING:
    from slides.drawing.blocks.charts.chart_pixels import Plots

_BLANK = Span(" ", TEXT)
_EIGHTHS = " ▁▂▃▄▅▆▇"  # of a row, at the top of a bar
_WIDEST, _WIDEST_LARGE = 16, 24  # cells of an upright bar
_LEAST_PLOT, _LEAST_OF_PARTS = 7, 12  # rows of upright bars, and of those of parts under which letters stand
_TICK_ROWS = 4  # rows a mark of an axis, about

_Grid = list[list[Span]]


def named(
    scale: Scale, columns: int, rows: int, *, large: bool = False, plots: Plots | None = None
) -> list[Line] | None:
    """Bars over their names and what they come to; None where these have no room."""
    chart = scale.chart
    said = side(chart, columns)
    gutter = max((width(text) for text in said), default=-2) + 2
    each = 1 if scale.stacked else len(chart.series)
    widest_bar = _WIDEST_LARGE if large else _WIDEST
    slot = min((columns - gutter - 1) // len(chart.labels), each * widest_bar + 12)
    thick = min(widest_bar, (slot - 2) // each - (each > 1 and slot - 2 >= each * 6))
    words = [max((width(word) for word in clean(label).split()), default=0) for label in chart.labels]
    values = [number(value) for row in chart.values for value in row if value is not None]
    widest = max(map(len, values))
    if max(words) >= slot or thick < (3 if scale.stacked else min(widest, 9)):
        return None
    names = under(chart.labels, slot, HEADING)
    # What parts of a whole come to says nothing: 100 %.
    sums = each == 1 and not (scale.stacked and of_hundred(chart, scale.totals))
    totals = under([total(value, chart.unit) for value in scale.totals], slot, DIM, 1) if sums else []
    if large:
        totals = _in_letters(chart, scale.totals, slot) if sums else []
        named = chart_letters.side_by_side(chart.labels, slot, HEADING)
        if rows - 1 - len(named) - len(totals) >= _LEAST_PLOT:
            names = named or names
        if not totals and names != named:
            return None
        if scale.stacked and len(chart.series) > 1 and rows - 1 - len(names) - len(totals) < _LEAST_OF_PARTS:
            return None  # a part of a lower bar is not seen
    height = rows - 1 - len(names) - len(totals)
    if height < _LEAST_PLOT or any(len(clean(label)) > 2 * (slot - 1) for label in chart.labels):
        return None
    gap = 1 if (thick + 1) * each <= slot - 1 else 0
    places = [
        [(1 + place * slot + n * (thick + gap), thick) for n in range(each)]
        for place in range(len(chart.labels))
    ]
    drawn = _plot(scale, columns, height, places, columns - gutter, plots, figures=True, large=large)
    lead = Span(" ")
    return [*drawn, *indented([*names, *totals], lead, lead)]


def beside_an_axis(scale: Scale, columns: int, rows: int, plots: Plots | None = None) -> list[Line] | None:
    """Many bars as thin as they must be beside an axis of values, every so many of them named; None where
    they have no room."""
    chart = scale.chart
    said = side(chart, columns)
    gutter = max((width(text) for text in said), default=-2) + 2
    height = rows - 2
    if height < _LEAST_PLOT:
        return None
    marks = Axis(scale.low, scale.top).marks(max(2, height // _TICK_ROWS))
    before = max(len(text) for _, text in marks) + 2
    each = 1 if scale.stacked else len(chart.series)
    slot = (columns - before - gutter) // len(chart.labels)
    if slot < each + (each > 1):
        return None
    thick = max(1, min(_WIDEST, (slot - 1) // each))
    places = [[(place * slot + n * thick, thick) for n in range(each)] for place in range(len(chart.labels))]
    plot = len(chart.labels) * slot
    drawn = _plot(scale, plot + gutter, height, places, plot, plots, figures=False)
    up, over, under_zero = scale.sides(height)
    rows_of = {}
    for value, text in marks:
        row = up - over.cells(value, up) if value >= 0 else up + under_zero.cells(-value, height - up)
        rows_of[row] = text
    found = [
        (
            Span(rows_of.get(row, "").rjust(before - 2) + " ", DIM),
            Span("┼" if row == up else "┤" if row in rows_of else "│", RULE),
            *line,
        )
        for row, line in enumerate(drawn)
    ]
    return [*found, _some_names(chart, before, slot, columns, each * thick)]


def _some_names(chart: deck.Chart, before: int, slot: int, columns: int, thick: int) -> Line:
    """The name of every so many bars, under its middle: as many as have room on one line."""
    names = [clip_text(clean(label), columns // 3) for label in chart.labels]
    every = max(1, -(-(max(map(width, names)) + 2) // slot))
    line = ""
    for place in range(0, len(names), every):
        name = names[place]
        at = max(0, before + place * slot + (thick - width(name)) // 2)
        if (not line or at > width(line) + 1) and at + width(name) <= columns:
            line += " " * (at - width(line)) + name
    return (Span(line, DIM),)


def _plot(
    scale: Scale,
    columns: int,
    height: int,
    places: Sequence[Sequence[tuple[int, int]]],
    plot: int,
    plots: Plots | None,
    *,
    figures: bool,
    large: bool = False,
) -> list[Line]:
    """The bars of `height` rows and the line of zero, the first `plot` of `columns` cells long; what the
    limit is stands behind it. `places`: the left cell and the width of the bars of each name."""
    chart = scale.chart
    said = side(chart, columns)
    up, over, under_zero = scale.sides(height)
    raised: _Grid = [[_BLANK] * columns for _ in range(up)]
    hanging: _Grid = [[_BLANK] * columns for _ in range(height - up)]
    for row, at in zip(chart.values, places, strict=True):
        for grid, bars, sizes in ((raised, over, above(row)), (hanging[::-1], under_zero, below(row))):
            if not grid:
                continue
            down = bars is under_zero
            draw = _Bars(grid, bars, chart, down=down, figures=figures, large=large and not down)
            if scale.stacked:
                draw.stack(sizes, *at[0])
                continue
            for n, (left, thick) in enumerate(at):
                if row[n] is not None and (sizes[n] or not (down or (row[n] or 0.0) < 0)):
                    draw.bar(sizes[n], n, left, thick, alone=len(at) == 1)
    if over.limit is not None:
        _across(raised, up - 1 - over.line(up), said, plot)
    if under_zero.limit is not None:
        _across(hanging, under_zero.line(height - up), said, plot)
    zero: Line = (Span("─" * plot, RULE),)
    drawn = [without_blank_end(line) for line in raised]
    axis = bool(hanging) or not figures  # then zero is a row among those of the bars
    if axis:
        drawn += [zero, *(without_blank_end(line) for line in hanging)]
    if plots is not None and not any(fill.seen for fill in fills(chart)):  # patterns are cells
        from slides.drawing.blocks.charts import chart_pixels

        flat = [place for at in places for place in at]
        # Rows of an axis stand for what these cells do, and zero is in the middle of its own.
        each = (under_zero.end / len(hanging) if hanging else over.end / up) if axis else 0.0
        ends = (-each * (len(hanging) + 0.5), each * (up + 0.5)) if each else (0.0, scale.top)
        state = chart_pixels.bars(chart, columns, len(drawn), ends, flat, said, figures=figures)
        drawn = plots(state, drawn)
    return drawn if axis else [*drawn, zero]


def _in_letters(chart: deck.Chart, totals: Sequence[float | None], slot: int) -> list[Line]:
    """What each bar comes to, side by side in letters, its unit among them or in a row below; empty where
    they have no room."""
    whole = [total(value, chart.unit) for value in totals]
    parted = [text.partition(" ") for text in whole]
    units = under([unit for _, _, unit in parted], slot, DIM, 1)
    for said, below_them in ((whole, []), ([figure for figure, _, _ in parted], units)):
        if rows := chart_letters.side_by_side(said, slot, TEXT):
            return [*rows, *below_them]
    return []


def fill(grid: _Grid, row: int, left: int, thick: int, of: Fill, text: str) -> None:
    """A run of cells, with a text in its middle where that fits."""
    cells: list[Span] = [Span(of.glyph, of.style)] * thick
    if text and len(text) <= thick - (thick > 4):
        blank = thick > len(text) + 1
        if of.seen and not blank:  # a glyph at a figure would be read as one of its own
            cells = [Span(" ", of.words)] * thick
        shown = f" {text} " if blank else text
        at = (thick - len(shown)) // 2
        cells[at : at + len(shown)] = [Span(sign, of.words) for sign in shown]
    grid[row][left : left + thick] = cells


class _Bars:
    """Bars on one side of zero in a grid whose last row is beside it: `down` has been turned over."""

    def __init__(
        self, grid: _Grid, bars: Side, chart: deck.Chart, *, down: bool, figures: bool, large: bool
    ) -> None:
        self.grid, self.side, self.fills = grid, bars, fills(chart)
        self.down, self.figures, self.large = down, figures, large

    def stack(self, sizes: Sequence[float], left: int, thick: int) -> None:
        """Parts on each other, with their figures where these fit."""
        grid, bottom = self.grid, len(self.grid)
        counts = self.side.parts(sizes, bottom)
        whole = all(bool(value) == bool(count) for value, count in zip(sizes, counts, strict=True))
        for of, value, count in zip(self.fills, sizes, counts, strict=True):
            if not count:
                continue
            middle = self._free(bottom - 1 - count // 2, bottom - count, bottom)
            text = self._figure(value) if whole else ""
            for at in range(bottom - count, bottom):
                fill(grid, at, left, thick, of, "")
            first = bottom - count + (count - chart_letters.HIGH + 1) // 2
            if not (
                self.large
                and text
                and count >= chart_letters.HIGH
                and not self._crossed(first)
                and chart_letters.write(grid, first, left, thick, text, of.words)
            ):
                fill(grid, middle, left, thick, of, text)
            bottom -= count

    def bar(self, value: float, n: int, left: int, thick: int, *, alone: bool) -> None:
        """One bar; one that is not `alone` has its figure in it."""
        grid, of, height = self.grid, self.fills[n], len(self.grid)
        eighths = alone or not self.figures
        if (
            eighths and self.side.limit is None and value > 0
        ):  # 142 and 148 of 163 are not equal, though whole rows are
            self._to_an_eighth(value, of, left, thick)
            return
        count = self.side.cells(value, height)
        text = "" if alone else self._figure(value)
        middle = self._free(height - count, height - count, height)
        if self.large and text and self._figure_in_letters(count, left, thick, of, text):
            return
        for at in range(height - count, height):
            fill(grid, at, left, thick, of, text if at == middle else "")
        if not count and text:
            for k, sign in enumerate(text[:thick]):
                grid[-1][left + k] = Span(sign, DIM)

    def _to_an_eighth(self, value: float, of: Fill, left: int, thick: int) -> None:
        height = len(self.grid)
        eighths = max(1, round(min(1.0, value / self.side.end) * height * 8))
        for at in range(height - eighths // 8, height):
            fill(self.grid, at, left, thick, of, "")
        if part := eighths % 8:
            # Blocks grow from the foot of a cell: what hangs is what a block of the background leaves.
            cell = (
                Span(_EIGHTHS[8 - part], Style("background", of.ink))
                if self.down
                else Span(_EIGHTHS[part], Style(of.ink))
            )
            self.grid[height - 1 - eighths // 8][left : left + thick] = [cell] * thick

    def _figure(self, size: float) -> str:
        if not self.figures:
            return ""
        return number(-size if self.down else size)

    def _figure_in_letters(self, count: int, left: int, thick: int, of: Fill, text: str) -> bool:
        """A bar with its figure in letters at its top, or over one that is too low for them."""
        height = len(self.grid)
        inside = count > chart_letters.HIGH
        first = height - count if inside else height - count - chart_letters.HIGH
        if self._crossed(first):
            return False
        for at in range(height - count, height):
            fill(self.grid, at, left, thick, of, "")
        style = of.words if inside else TEXT
        return chart_letters.write(self.grid, first, left, thick, text, style)

    def _limit_row(self) -> int:
        return len(self.grid) - 1 - self.side.line(len(self.grid)) if self.side.limit is not None else -1

    def _free(self, row: int, first: int, end: int) -> int:
        """The row of a figure: not the one that the limit goes through, where there is another."""
        if row != self._limit_row():
            return row
        return next((other for other in (row + 1, row - 1) if first <= other < end), row)

    def _crossed(self, first: int) -> bool:
        """Whether the line of the limit goes through letters from row `first` on."""
        return self.side.limit is not None and first <= self._limit_row() < first + chart_letters.HIGH


def _across(grid: _Grid, row: int, said: Sequence[str], plot: int) -> None:
    """The line of the limit, and what it is at its right end: its number over the line, the rest under it."""
    height, columns = len(grid), len(grid[0])
    for x in range(columns):
        ground = grid[row][x].style.ground
        grid[row][x] = Span("━", LIMIT.on(ground) if ground else LIMIT)
    if row + len(said) > height:  # nothing is below the line: all of it stands over it
        places: Sequence[int] = range(row - len(said), row)
    else:
        places = [row - 1, *range(row + 1, row + len(said))] if row else range(1, 1 + len(said))
    for place, text in zip(places, said, strict=True):
        if 0 <= place < height:
            style = LIMIT if place == places[0] else DIM
            for k, sign in enumerate(text[: columns - plot]):
                if columns - len(text) + k < columns:
                    grid[place][columns - len(text) + k] = Span(sign, style)
