"""Bars of a chart: upright where their names have room under them, else lying, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slides import deck
from slides.drawing.blocks import chart_letters
from slides.drawing.blocks.chart_parts import (
    DIM,
    HEADING,
    LIMIT,
    RULE,
    TEXT,
    inks,
    number,
    side,
    under,
    with_unit,
    without_blank_end,
)
from slides.drawing.cells import clean, clip_text, width
from slides.drawing.text import Line, Span, Style, indented

if TYPE_CHECKING:
    from slides.drawing.blocks.chart_pixels import Plots

_BLANK = Span(" ", TEXT)
_EIGHTHS = " ▁▂▃▄▅▆▇"  # of a row, at the top of a bar
_WIDEST, _WIDEST_LARGE = 16, 24  # cells of an upright bar
_LEAST_PLOT, _LEAST_OF_PARTS = 7, 12  # rows of upright bars, and of those of parts under which letters stand


class _Frame:
    """What all bars of a chart share: its scale, and the cells for it."""

    def __init__(self, chart: deck.Chart) -> None:
        self.chart = chart
        self.stacked = chart.kind == "stacked"
        self.totals = [known(row) for row in chart.values]
        highest = max(value or 0.0 for row in chart.values for value in row)
        self.top = max((total or 0.0 for total in self.totals), default=0.0) if self.stacked else highest
        self.limit = chart.limit if chart.limit is not None and chart.limit > 0 else None
        if self.limit is not None:
            self.top = max(self.top, self.limit * 1.12)
        self.top = self.top or 1.0

    def cells(self, value: float, room: int) -> int:
        """Cells of a value: none that is not 0 is none, and one is above the line of the limit only if it
        is above the limit."""
        count = min(room, round(value / self.top * room))
        count = max(count, 1) if value > 0 else 0
        if self.limit is None:
            return count
        at = self.line(room)
        return max(count, min(room, at + 1)) if value > self.limit else min(count, max(at, 1))

    def line(self, room: int) -> int:
        """The cell, from 0, in which the limit is drawn."""
        return min(room - 1, round((self.limit or 0.0) / self.top * room))

    def parts(self, row: Sequence[float | None], room: int) -> list[int]:
        """Cells of each part of a stacked bar: together as many as their sum has, one at least for each."""
        sizes = [value or 0.0 for value in row]
        whole = sum(sizes)
        count = self.cells(whole, room)
        least = [1 if size > 0 else 0 for size in sizes]
        if sum(least) > count:  # the largest speaks for all
            most = sizes.index(max(sizes))
            return [count if n == most else 0 for n in range(len(sizes))]
        if sum(least) == count:
            return least
        exact = [size / whole * count for size in sizes]
        found = [max(low, int(part)) for low, part in zip(least, exact, strict=True)]
        while sum(found) > count:
            most = max(range(len(found)), key=lambda n: found[n] - exact[n] if found[n] > least[n] else -9.0)
            found[most] -= 1
        while sum(found) < count:
            found[max(range(len(found)), key=lambda n: exact[n] - found[n])] += 1
        return found


def bars(
    chart: deck.Chart, columns: int, rows: int, *, large: bool = False, plots: Plots | None = None
) -> list[Line]:
    """The bars of a chart in `columns` cells and `rows` rows; lying ones may need more. `large`: names and
    figures of upright ones are in letters where these have room. `plots` takes upright ones as pixels."""
    frame = _Frame(chart)
    upright = (large and _upright(frame, columns, rows, large=True, plots=plots)) or _upright(
        frame, columns, rows, plots=plots
    )
    return upright or _lying(frame, columns, rows)


# -- upright -------------------------------------------------------------------------------------------------


def _upright(
    frame: _Frame, columns: int, rows: int, *, large: bool = False, plots: Plots | None = None
) -> list[Line] | None:
    chart = frame.chart
    said = side(chart, columns)
    gutter = max((width(text) for text in said), default=-2) + 2
    each = 1 if frame.stacked else len(chart.series)
    widest_bar = _WIDEST_LARGE if large else _WIDEST
    slot = min((columns - gutter - 1) // len(chart.labels), each * widest_bar + 12)
    thick = min(widest_bar, (slot - 2) // each - (each > 1 and slot - 2 >= each * 6))
    words = [max((width(word) for word in clean(label).split()), default=0) for label in chart.labels]
    values = [number(value) for row in chart.values for value in row if value is not None]
    widest = max(map(len, values))
    if max(words) >= slot or thick < (3 if frame.stacked else min(widest, 9)):
        return None
    names = under(chart.labels, slot, HEADING)
    # What parts of a whole come to says nothing: 100 %.
    sums = each == 1 and not (frame.stacked and _of_hundred(chart, frame.totals))
    below = under([_sum(total, chart.unit) for total in frame.totals], slot, DIM, 1) if sums else []
    if large:
        below = _in_letters(chart, frame.totals, slot) if sums else []
        named = chart_letters.side_by_side(chart.labels, slot, HEADING)
        if rows - 1 - len(named) - len(below) >= _LEAST_PLOT:
            names = named or names
        if not below and names != named:
            return None
        if frame.stacked and len(chart.series) > 1 and rows - 1 - len(names) - len(below) < _LEAST_OF_PARTS:
            return None  # a part of a lower bar is not seen
    height = rows - 1 - len(names) - len(below)
    if height < _LEAST_PLOT or any(len(clean(label)) > 2 * (slot - 1) for label in chart.labels):
        return None
    plot = columns - gutter
    grid: list[list[Span]] = [[_BLANK] * columns for _ in range(height)]
    before = 1
    places: list[tuple[int, int]] = []  # the left cell and the width of each bar
    for place, row in enumerate(chart.values):
        left = before + place * slot
        if frame.stacked:
            places.append((left, thick))
            _stack(grid, frame, row, left, thick, large=large)
            continue
        gap = 1 if (thick + 1) * each <= slot - 1 else 0
        for n, value in enumerate(row):
            places.append((left + n * (thick + gap), thick))
            if value is not None:
                at = left + n * (thick + gap)
                _bar(grid, frame, value, n, at, thick, alone=each == 1, large=large)
    if frame.limit is not None:
        _across(grid, frame, said, plot)
    drawn = [without_blank_end(line) for line in grid]
    if plots is not None:
        from slides.drawing.blocks import chart_pixels

        drawn = plots(chart_pixels.bars(chart, columns, height, frame.top, places, said), drawn)
    lead = Span(" " * before)
    return [
        *drawn,
        (Span("─" * plot, RULE),),
        *indented([*names, *below], lead, lead),
    ]


def _in_letters(chart: deck.Chart, totals: Sequence[float | None], slot: int) -> list[Line]:
    """What each bar comes to, side by side in letters, its unit among them or in a row below; empty where
    they have no room."""
    whole = [_sum(total, chart.unit) for total in totals]
    parted = [text.partition(" ") for text in whole]
    units = under([unit for _, _, unit in parted], slot, DIM, 1)
    for said, below in ((whole, []), ([figure for figure, _, _ in parted], units)):
        if rows := chart_letters.side_by_side(said, slot, TEXT):
            return [*rows, *below]
    return []


def known(row: Sequence[float | None]) -> float | None:
    """What the cells of a bar come to; None where all of them are empty, for that is no 0."""
    given = [value for value in row if value is not None]
    return sum(given) if given else None


def _sum(total: float | None, unit: str) -> str:
    """What stands at a bar for what it comes to: nothing where that is not known."""
    return "" if total is None else with_unit(total, unit)


def _of_hundred(chart: deck.Chart, totals: Sequence[float | None]) -> bool:
    """Whether all stacks are shares of a whole: that each comes to 100 % says nothing."""
    return clean(chart.unit) == "%" and all(total is None or abs(total - 100) < 1 for total in totals)


def _fill(grid: list[list[Span]], row: int, left: int, thick: int, ink: str, glyph: str, text: str) -> None:
    """A run of cells, with a text in its middle where that fits."""
    cells: list[Span] = [Span(glyph, Style(ink, ink))] * thick
    if text and len(text) <= thick - (thick > 4):
        blank = thick > len(text) + 1
        shown = f" {text} " if blank else text
        at = (thick - len(shown)) // 2
        cells[at : at + len(shown)] = [Span(sign, Style("background", ink, bold=True)) for sign in shown]
    grid[row][left : left + thick] = cells


def _stack(
    grid: list[list[Span]],
    frame: _Frame,
    row: Sequence[float | None],
    left: int,
    thick: int,
    *,
    large: bool,
) -> None:
    bottom = len(grid)
    counts = frame.parts(row, bottom)
    whole = all(bool(value) == bool(count) for value, count in zip(row, counts, strict=True))
    for (ink, glyph), value, count in zip(inks(frame.chart), row, counts, strict=True):
        if not count:
            continue
        middle = _free(frame, bottom - 1 - count // 2, bottom - count, bottom, len(grid))
        text = number(value or 0.0) if whole else ""
        for at in range(bottom - count, bottom):
            _fill(grid, at, left, thick, ink, glyph, "")
        first = bottom - count + (count - chart_letters.HIGH + 1) // 2
        style = Style("background", ink, bold=True)
        lined = (
            frame.limit is not None
            and 0 <= len(grid) - 1 - frame.line(len(grid)) - first < chart_letters.HIGH
        )
        if not (
            large
            and text
            and count >= chart_letters.HIGH
            and not lined
            and chart_letters.write(grid, first, left, thick, text, style)
        ):
            _fill(grid, middle, left, thick, ink, glyph, text)
        bottom -= count


def _free(frame: _Frame, row: int, first: int, end: int, height: int) -> int:
    """The row of a part's number: not the one that the limit goes through, where there is another."""
    if frame.limit is None or row != height - 1 - frame.line(height):
        return row
    return next((other for other in (row + 1, row - 1) if first <= other < end), row)


def _bar(
    grid: list[list[Span]],
    frame: _Frame,
    value: float,
    n: int,
    left: int,
    thick: int,
    *,
    alone: bool,
    large: bool,
) -> None:
    ink, glyph = inks(frame.chart)[n]
    height = len(grid)
    if alone and frame.limit is None and value > 0:  # 142 and 148 of 163 are not equal, though whole rows are
        eighths = max(1, round(min(1.0, value / frame.top) * height * 8))
        for at in range(height - eighths // 8, height):
            _fill(grid, at, left, thick, ink, glyph, "")
        if eighths % 8:
            top = height - 1 - eighths // 8
            grid[top][left : left + thick] = [Span(_EIGHTHS[eighths % 8], Style(ink))] * thick
        return
    count = frame.cells(value, height)
    text = "" if alone else number(value)
    middle = _free(frame, height - count, height - count, height, height)
    if large and text and _figure_in_letters(grid, frame, count, left, thick, ink, glyph, text):
        return
    for at in range(height - count, height):
        _fill(grid, at, left, thick, ink, glyph, text if at == middle else "")
    if not count and text:
        for k, sign in enumerate(text[:thick]):
            grid[-1][left + k] = Span(sign, DIM)


def _figure_in_letters(
    grid: list[list[Span]], frame: _Frame, count: int, left: int, thick: int, ink: str, glyph: str, text: str
) -> bool:
    """A bar with its figure in letters at its top, or over one that is too low for them."""
    height = len(grid)
    inside = count > chart_letters.HIGH
    first = height - count if inside else height - count - chart_letters.HIGH
    if _crossed(frame, first, height):
        return False
    for at in range(height - count, height):
        _fill(grid, at, left, thick, ink, glyph, "")
    style = Style("background", ink, bold=True) if inside else TEXT
    return chart_letters.write(grid, first, left, thick, text, style)


def _crossed(frame: _Frame, first: int, height: int) -> bool:
    """Whether the line of the limit goes through letters from row `first` on."""
    return frame.limit is not None and first <= height - 1 - frame.line(height) < first + chart_letters.HIGH


def _across(grid: list[list[Span]], frame: _Frame, said: Sequence[str], plot: int) -> None:
    """The line of the limit, and what it is at its right end: its number over the line, the rest under it."""
    height, columns = len(grid), len(grid[0])
    row = height - 1 - frame.line(height)
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


# -- lying ---------------------------------------------------------------------------------------------------


def _lying(frame: _Frame, columns: int, rows: int) -> list[Line]:
    """A row a bar: its name, the bar, its number."""
    chart = frame.chart
    labels = [clean(label) for label in chart.labels]
    name = min(max(map(width, labels), default=0), max(columns // 3, 4))
    totals = frame.totals if frame.stacked else [value for row in chart.values for value in row]
    behind = max(len(_sum(total, chart.unit)) for total in totals) + 1
    room = max(1, columns - name - 2 - behind)
    found: list[Line] = []
    each = 1 if frame.stacked else len(chart.series)
    needed = len(labels) * each + (frame.limit is not None)
    airy = needed + len(labels) - 1 <= rows
    colours = inks(chart)
    if frame.limit is not None:
        mark = " ".join(side(chart, 1 << 10))
        at = min(name + 2 + frame.line(room), columns - width(mark))
        found.append((Span(" " * max(0, at)), Span(clip_text(mark, columns), LIMIT)))
    for place, (label, row) in enumerate(zip(labels, chart.values, strict=True)):
        if airy and place:
            found.append(())
        if frame.stacked:
            parts = list(zip(colours, row, frame.parts(row, room), strict=True))
            found.append(_row(frame, label, name, room, parts, frame.totals[place]))
            continue
        for n, value in enumerate(row):
            count = frame.cells(value or 0.0, room)
            shown = label if n == 0 else ""
            found.append(_row(frame, shown, name, room, [(colours[n], None, count)], value))
    return found


def _row(
    frame: _Frame,
    label: str,
    name: int,
    room: int,
    parts: Sequence[tuple[tuple[str, str], float | None, int]],
    value: float | None,
) -> Line:
    grid: list[list[Span]] = [[_BLANK] * room]
    left = 0
    for (ink, glyph), part, count in parts:
        if count:
            _fill(grid, 0, left, count, ink, glyph, "" if part is None else number(part))
        left += count
    if frame.limit is not None:
        at = frame.line(room)
        ground = grid[0][at].style.ground
        grid[0][at] = Span("┃", LIMIT.on(ground) if ground else LIMIT)
        left = max(left, at + 1)
    shown = clip_text(label, name)
    text = _sum(value, frame.chart.unit)
    return (
        Span(" " * (name - width(shown))),
        Span(f"{shown}  ", HEADING),
        *without_blank_end(grid[0][:left]),
        Span(f" {text}", TEXT),
    )
