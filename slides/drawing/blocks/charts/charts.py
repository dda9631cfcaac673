"""A chart in cells: bars as filled cells with their numbers in them, lines and points in braille dots.

It is as wide and as high as its room. Colours are meanings: a series called parameters has the colour that
parameters have in the whole course.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from slides import deck
from slides.drawing.blocks.charts import chart_bars, chart_curves
from slides.drawing.blocks.charts.chart_letters import large_entries
from slides.drawing.blocks.charts.chart_parts import (
    DIM,
    HEADING,
    RULE,
    TEXT,
    fills,
    letter,
    lettered,
    with_unit,
)
from slides.drawing.blocks.charts.chart_scale import known
from slides.drawing.cells import clean, clip, line_width, wrap
from slides.drawing.text import Line, Span, Style

if TYPE_CHECKING:
    from slides.drawing.blocks.charts.chart_pixels import Plots

MOST_TOLD = 64  # rows that are read out
ROWS, LEAST_ROWS, MOST_ROWS = 16, 8, 44  # where the height is not known; and at least and most
LARGE_HEAD = 18  # rows of a chart from which on the names of its series are in letters


def lines(
    chart: deck.Chart, columns: int, rows: int, *, large: bool = False, plots: Plots | None = None
) -> list[Line]:
    """Return a chart in `columns` cells and about `rows` rows, 0 where the height is not known. `large`:
    names and figures are in letters where there is room. `plots` takes what lies between its axes as pixels.

    Raises:
        ValueError: The room is too small for it.
    """
    rows = min(max(rows or ROWS, LEAST_ROWS), MOST_ROWS)
    if not chart.labels:
        return _empty(chart, columns, rows)
    above = _head(chart, columns, large and rows >= LARGE_HEAD)
    if chart.source:
        bare = replace(chart, source="")
        said: list[Line] = [()] if rows > 12 else []
        said += wrap([Span(clean(chart.source), DIM)], columns)[:2]
        rows = max(rows - len(said), LEAST_ROWS)
        return [*lines(bare, columns, rows, large=large, plots=plots), *said]
    room = max(rows - len(above), 5)
    drawn = (
        chart_curves.curves(chart, columns, room, plots, large=large and rows >= LARGE_HEAD)
        if chart.xs
        else None
    )
    return [*above, *(drawn or chart_bars.bars(chart, columns, room, large=large, plots=plots))]


def _empty(chart: deck.Chart, columns: int, rows: int) -> list[Line]:
    """Axes that wait for a run, with what will be between them."""
    plot = max(1, columns - 2)
    said = wrap([Span(clean(chart.source or "no run yet"), DIM)], max(1, plot - 4))
    high = max(len(said), rows - 3)
    first = (high - len(said)) // 2
    inside: list[Line] = [()] * high
    for n, words in enumerate(said, first):
        inside[n] = (Span(" " * max(0, (plot - line_width(words)) // 2)), *words)
    return [
        clip((Span(clean(chart.title), HEADING),), columns),
        (),
        *((Span(" │", RULE), *words) for words in inside),
        (Span(" └" + "─" * plot, RULE),),
    ]


def _head(chart: deck.Chart, columns: int, large: bool = False) -> list[Line]:
    """The title, what the bars are of (the corner of their table), which colour is which series, and the unit
    where no figure says it; `large`: in letters where they have room on one line."""
    above: list[Line] = []
    unit: tuple[Span, ...] = (Span(f"  {clean(chart.unit)}", DIM),) if chart.unit else ()
    if chart.title:
        above += wrap([Span(clean(chart.title), HEADING), *unit], columns)[:2]
    # Each line ends in its name.
    ends = chart.kind == "line" and len(chart.series) > 1 and not lettered(chart)
    if not ends and (len(chart.series) > 1 or not above or _corner(chart)):
        entries = _entries(chart)
        above += (large_entries(entries, columns) if large else None) or _joined(entries, columns)
    elif ends and chart.unit and not above:
        above.append((Span(f"in {clean(chart.unit)}", DIM),))
    if chart.log:
        above = [
            *above[:-1],
            (*(above[-1] if above else ()), Span("   " * bool(above) + _logarithmic(chart), DIM)),
        ]
    return [*(clip(line, columns) for line in above), ()] if above else []


def _logarithmic(chart: deck.Chart) -> str:
    return "both axes logarithmic" if chart.log == "xy" else f"{chart.log} logarithmic"


def _corner(chart: deck.Chart) -> str:
    """What the bars are of, as the corner of their table says it; an axis has its name beside it."""
    return "" if chart.xs else clean(chart.x).strip()


def _entries(chart: deck.Chart) -> list[Line]:
    """What the bars are of, a colour and its name for each series, and the unit where no figure has it."""
    corner = _corner(chart)
    entries: list[Line] = [(Span(corner, TEXT),)] if corner else []
    # Each figure has its unit, which may name what one series is, as a title does.
    told = len(chart.series) == 1 and set(chart.series[0].split()) <= set(chart.unit.split())
    if len(chart.series) > 1 or not (chart.title or (corner and told)):
        for n, (fill, name) in enumerate(zip(fills(chart), chart.series, strict=True)):
            mark = Span(fill.glyph * 2, fill.style)
            if lettered(chart):
                mark = Span(letter(n), Style(fill.ink, bold=True))
            entries.append((mark, Span(f" {clean(name)}", TEXT)))
    # Bars side by side, and parts of a whole, have numbers without it.
    alone = chart.kind == "bars" or (chart.kind == "stacked" and chart.unit == "%")
    if len(chart.series) > 1 and alone and chart.unit and not chart.title:
        entries.append((Span(clean(chart.unit), DIM),))
    if chart.xs and chart.unit and not chart.title and not told:  # figures of an axis have none either
        entries.append((Span(f"in {clean(chart.unit)}", DIM),))
    return entries


def _joined(entries: list[Line], columns: int) -> list[Line]:
    drawn: list[Line] = [()]
    for entry in entries:
        gap = 3 if drawn[-1] else 0
        if gap and line_width(drawn[-1]) + gap + line_width(entry) > columns:
            drawn.append(entry)
        else:
            drawn[-1] = (*drawn[-1], Span(" " * gap), *entry) if gap else entry
    return [clip(line, columns) for line in drawn]


def told(chart: deck.Chart) -> list[str]:
    """A chart in words, a line a row: what a screen reader reads and a pipe gets."""
    unit = clean(chart.unit)
    name = {"bars": "bars", "stacked": "stacked bars"}.get(chart.kind, f"{chart.kind} chart")
    of = f" of {clean(chart.title)}" if chart.title else ""
    if not chart.labels:
        return [f"{name}{of}: {clean(chart.source or 'no run yet')}"]
    of += f", {corner}" if (corner := _corner(chart)) else ""
    found = [f"{name}{of}, {len(chart.labels):,} {'row' if len(chart.labels) == 1 else 'rows'}:"]
    numbers = bool(chart.xs)
    rows = list(zip(chart.labels, chart.values, strict=True))
    if len(rows) > MOST_TOLD:
        found += [_summary(chart, n) for n in range(len(chart.series))]
        rows = []
    for label, row in rows:
        cells = [
            f"{clean(name)}: {with_unit(value, unit) if value is not None else 'none'}"
            for name, value in zip(chart.series, row, strict=True)
        ]
        if chart.kind == "stacked" and len(row) > 1 and (total := known(row)) is not None:
            cells.append(f"together {with_unit(total, unit)}")
        first = f"{clean(chart.x)} {clean(label)}" if numbers and chart.x else clean(label)
        found.append(f"  {first}: {'; '.join(cells)}")
    if chart.limit is not None:
        what = f", {clean(chart.limit_label)}" if chart.limit_label else ""
        found.append(f"  limit: {with_unit(chart.limit, unit)}{what}")
    if chart.source:
        found.append(f"  {clean(chart.source)}")
    return found


def _summary(chart: deck.Chart, n: int) -> str:
    """A series of many rows in words: where it begins and ends, and its lowest and highest value."""
    unit = clean(chart.unit)
    at = f"{clean(chart.x)} " if chart.xs and chart.x else ""
    cells = [(row[n], clean(label)) for label, row in zip(chart.labels, chart.values, strict=True)]
    given = [(value, label) for value, label in cells if value is not None]
    if not given:
        return f"  {clean(chart.series[n])}: none"
    ends = {
        "first": given[0],
        "last": given[-1],
        "lowest": min(given, key=lambda cell: cell[0]),
        "highest": max(given, key=lambda cell: cell[0]),
    }
    said = [f"{word} {with_unit(value, unit)} at {at}{label}" for word, (value, label) in ends.items()]
    if missing := len(cells) - len(given):
        said.append(f"{missing:,} without a value")
    return f"  {clean(chart.series[n])}: {'; '.join(said)}"
