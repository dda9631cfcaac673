"""A chart in cells: bars as filled cells with their numbers in them, lines and points in braille dots.

It is as wide and as high as its room. Colours are meanings: a series called parameters has the colour that
parameters have in the whole course.
"""

from __future__ import annotations

from slides import deck
from slides.drawing.blocks import chart_bars, chart_curves
from slides.drawing.blocks.chart_parts import DIM, HEADING, TEXT, inks, with_unit
from slides.drawing.cells import clean, clip, width, wrap
from slides.drawing.text import Line, Span, Style

ROWS, LEAST_ROWS, MOST_ROWS = 16, 8, 44  # where the height is not known; and at least and most


def lines(chart: deck.Chart, columns: int, rows: int, *, large: bool = False) -> list[Line]:
    """Return a chart in `columns` cells and about `rows` rows, 0 where the height is not known. `large`: what
    its bars come to is in letters where there is room.

    Raises:
        ValueError: The room is too small for it.
    """
    rows = min(max(rows or ROWS, LEAST_ROWS), MOST_ROWS)
    above = _head(chart, columns)
    room = max(rows - len(above), 5)
    drawn = chart_curves.curves(chart, columns, room) if chart.xs else None
    return [*above, *(drawn or chart_bars.bars(chart, columns, room, large=large))]


def _head(chart: deck.Chart, columns: int) -> list[Line]:
    """The title, and which colour is which series."""
    above: list[Line] = []
    unit: tuple[Span, ...] = (Span(f"  {clean(chart.unit)}", DIM),) if chart.unit else ()
    if chart.title:
        above += wrap([Span(clean(chart.title), HEADING), *unit], columns)[:2]
    ends = chart.kind == "line" and len(chart.series) > 1  # each line ends in its name
    if not ends and (len(chart.series) > 1 or not above):
        above += _legend(chart, columns)[:2]
    if chart.log:
        above = [
            *above[:-1],
            (*(above[-1] if above else ()), Span("   " * bool(above) + _logarithmic(chart), DIM)),
        ]
    return [*(clip(line, columns) for line in above), ()] if above else []


def _logarithmic(chart: deck.Chart) -> str:
    return "both axes logarithmic" if chart.log == "xy" else f"{chart.log} logarithmic"


def _legend(chart: deck.Chart, columns: int) -> list[Line]:
    named = [(ink, mark, clean(name)) for (ink, mark), name in zip(inks(chart), chart.series, strict=True)]
    drawn: list[Line] = [()]
    for ink, mark, name in named:
        gap = 3 if drawn[-1] else 0
        entry = (Span(mark * 2, Style(ink, ink)), Span(f" {name}", TEXT))
        used = sum(width(span.text) for span in drawn[-1])
        if used and used + gap + 3 + width(name) > columns:
            drawn.append(entry)
        else:
            drawn[-1] = (*drawn[-1], Span(" " * gap), *entry) if gap else entry
    return [clip(line, columns) for line in drawn]


def told(chart: deck.Chart) -> list[str]:
    """A chart in words, a line a row: what a screen reader reads and a pipe gets."""
    unit = clean(chart.unit)
    name = {"bars": "bars", "stacked": "stacked bars"}.get(chart.kind, f"{chart.kind} chart")
    of = f" of {clean(chart.title)}" if chart.title else ""
    found = [f"{name}{of}, {len(chart.labels)} {'row' if len(chart.labels) == 1 else 'rows'}:"]
    numbers = bool(chart.xs)
    for label, row in zip(chart.labels, chart.values, strict=True):
        cells = [
            f"{clean(name)}: {with_unit(value, unit) if value is not None else 'none'}"
            for name, value in zip(chart.series, row, strict=True)
        ]
        if chart.kind == "stacked" and len(row) > 1:
            cells.append(f"together {with_unit(sum(value or 0 for value in row), unit)}")
        first = f"{clean(chart.x)} {clean(label)}" if numbers and chart.x else clean(label)
        found.append(f"  {first}: {'; '.join(cells)}")
    if chart.limit is not None:
        what = f", {clean(chart.limit_label)}" if chart.limit_label else ""
        found.append(f"  limit: {with_unit(chart.limit, unit)}{what}")
    return found
