"""A chart in cells: bars as filled cells with their numbers in them, lines and points in braille dots.

It is as wide and as high as its room. Colours are meanings: a series called parameters has the colour that
parameters have in the whole course.
"""

from __future__ import annotations

from collections.abc import Sequence

from slides import deck
from slides.drawing.cells import clean, clip, pad, width, wrap
from slides.drawing.text import Line, Span, Style

ROWS, LEAST_ROWS, MOST_ROWS = 16, 8, 44  # where the height is not known; and at least and most
DIM, TEXT, HEADING = Style("dim"), Style(), Style("heading", bold=True)
RULE, LIMIT = Style("line"), Style("bad", bold=True)
FILLS = "█▓▒░"  # seen where there is no colour
_MEANINGS = {
    "parameters": "rank0", "params": "rank0", "compute": "rank0", "forward": "rank0",
    "gradients": "rank1", "grads": "rank1",
    "optimizer": "rank2", "optimizer states": "rank2",
    "activations": "rank3", "backward": "rank3",
    "exposed": "exposed", "hidden": "hidden", "wait": "wait", "idle": "wait",
}  # fmt: skip


def lines(chart: deck.Chart, columns: int, rows: int) -> list[Line]:
    """Return a chart in `columns` cells and about `rows` rows, 0 where the height is not known.

    Raises:
        ValueError: The room is too small for it.
    """
    from slides.drawing.blocks import chart_bars, chart_curves

    rows = min(max(rows or ROWS, LEAST_ROWS), MOST_ROWS)
    above = _head(chart, columns)
    room = max(rows - len(above), 5)
    drawn = chart_curves.curves if chart.xs else chart_bars.bars
    return [*above, *drawn(chart, columns, room)]


def _head(chart: deck.Chart, columns: int) -> list[Line]:
    """The title, and which colour is which series."""
    above: list[Line] = []
    unit: tuple[Span, ...] = (Span(f"  {clean(chart.unit)}", DIM),) if chart.unit else ()
    if chart.title:
        above += wrap([Span(clean(chart.title), HEADING), *unit], columns)[:2]
    ends = chart.kind == "line" and len(chart.series) > 1  # each line ends in its name
    if not ends and (len(chart.series) > 1 or not above):
        above += _legend(chart, columns)[:2]
    return [*above, ()] if above else []


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


def inks(chart: deck.Chart) -> list[tuple[str, str]]:
    """The ink of each series, and the glyph that it has where there is no colour."""
    wanted = [_MEANINGS.get(name.strip().lower(), "") for name in chart.series]
    taken = set(filter(None, wanted))
    free = (ink for n in range(8) if (ink := f"rank{n}") not in taken)
    found: list[str] = []
    for ink in wanted:
        found.append(ink if ink and ink not in found else next(free, "dim"))
    return [(ink, FILLS[n % len(FILLS)]) for n, ink in enumerate(found)]


def number(value: float) -> str:
    """A number as people write it: at most four digits that matter, thousands parted."""
    if value and not 1e-3 <= abs(value) < 1e7:
        return f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def with_unit(value: float, unit: str) -> str:
    """`112 GB`."""
    return f"{number(value)} {clean(unit)}".rstrip()


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


Cell = tuple[str, Style]


def joined(cells: Sequence[Cell]) -> Line:
    """Cells of one row as spans, without the blank ones at its end."""
    spans: list[Span] = []
    for text, style in cells:
        if spans and spans[-1].style == style:
            spans[-1] = Span(spans[-1].text + text, style)
        else:
            spans.append(Span(text, style))
    while spans and not spans[-1].text.strip() and not spans[-1].style.ground:
        spans.pop()
    return tuple(spans)


def side(chart: deck.Chart, columns: int) -> list[str]:
    """The limit in words for the right side of a chart: its number, then what it is, a word a row at most."""
    if chart.limit is None:
        return []
    label = wrap([Span(clean(chart.limit_label))], max(6, columns // 6)) if chart.limit_label else []
    return [with_unit(chart.limit, chart.unit), *("".join(span.text for span in line) for line in label[:2])]


def under(texts: Sequence[str], cells: int, style: Style, most: int = 2) -> list[Line]:
    """Texts side by side, each in so many cells, as few rows as they need and at most `most`."""
    wrapped = [wrap([Span(clean(text), style)], max(1, cells - 1)) for text in texts]
    rows = min(most, max(map(len, wrapped), default=0))
    return [
        tuple(span for one in wrapped for span in pad(clip(one[n], cells - 1) if n < len(one) else (), cells))
        for n in range(rows)
    ]
