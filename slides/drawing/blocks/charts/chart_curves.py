"""Lines and points of a chart, in braille dots on axes with round numbers; each line ends in its name."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from slides import deck
from slides.drawing.blocks.charts import chart_many_points as many
from slides.drawing.blocks.charts.chart_axes import Axis, fitted
from slides.drawing.blocks.charts.chart_letters import HIGH, in_one_size
from slides.drawing.blocks.charts.chart_parts import DIM, LIMIT, RULE, fills, letter, lettered, side
from slides.drawing.canvas import Braille
from slides.drawing.cells import clean, clip_text, width
from slides.drawing.text import Line, Span, Style, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from slides.drawing.blocks.charts.chart_pixels import Plots

_LEAST = 12  # cells of a plot
_COLOUR = "a cell has the colour of the most in it"
_LETTER = f"{_COLOUR}, and a run of cells begins with its letter"
_TICK_ROWS = 4  # rows a tick of y, about


def curves(
    chart: deck.Chart, columns: int, rows: int, plots: Plots | None = None, *, large: bool = False
) -> list[Line]:
    """The lines or points of a chart in `columns` cells and `rows` rows; `plots` takes them as pixels.
    `large`: names and figures are in letters where they have room.

    Raises:
        ValueError: The room is too small for axes.
    """
    note = _note(chart, columns)
    height = max(3, rows - (1 + HIGH * (1 + bool(chart.x)) if large else 2 + bool(chart.x)) - len(note))
    values = [value for row in chart.values for value in row if value is not None]
    upward = fitted([*values, *([] if chart.limit is None else [chart.limit])], "y" in chart.log)
    marks = upward.marks(max(2, height // (2 * HIGH if large else _TICK_ROWS)))
    figures = (in_one_size([text for _, text in marks], columns // 6) if large else None) or [
        [text] for _, text in marks
    ]
    before = max((width(row) for text in figures for row in text), default=0) + 2
    named = chart.kind == "line" and len(chart.series) > 1 and not lettered(chart)
    words = [clean(name) for name in chart.series] if named else []
    said = side(chart, columns)
    names = (in_one_size(words, columns // 3 - 2) if large and not said else None) or [
        [name] for name in words
    ]
    gutter = max((width(text) for text in (*(row for name in names for row in name), *said)), default=-1) + 1
    gutter = min(gutter, columns // 3)
    plot = columns - before - gutter
    if plot < _LEAST:
        gutter, plot = 0, columns - before
    if plot < _LEAST:
        raise ValueError(f"a {chart.kind} chart needs {_LEAST + before} cells, and has {columns}")
    along = Axis(min(chart.xs), max(chart.xs), "x" in chart.log)

    def x_of(value: float) -> float:
        """The dot along x."""
        return along.share(value) * (2 * plot - 2)

    def y_of(value: float) -> float:
        """The dot along y, down from the top."""
        return (1 - upward.share(value)) * (4 * height - 2)

    limit_row = -1
    if chart.limit is not None:
        limit_row = min(height - 1, max(0, int(y_of(chart.limit) // 4)))
    import numpy as np

    values_ = np.array([[math.nan if v is None else y_of(v) for v in row] for row in chart.values], float)
    xs = np.array([x_of(x) for x in chart.xs])
    placed = [np.column_stack([xs, values_[:, n]]) for n in range(len(chart.series))]
    ends = [
        (float(last[-1]) if len(last := y[np.isfinite(y)]) else math.nan, n) for n, y in enumerate(values_.T)
    ]
    crowd = None
    if chart.kind == "scatter":
        marks_of = "".join(map(letter, range(len(placed)))) if lettered(chart) else ""
        inks = [fill.ink for fill in fills(chart)]
        crowd = many.density(list(zip(inks, placed, strict=True)), plot, height, marks_of)
    letters = {} if crowd else _letters(chart, placed, plot, height)
    inside = crowd.lines if crowd else _dotted(chart, placed, plot, height, letters)
    if crowd:
        note[0] = crowd.legend
    else:
        note = [words for words in note if words not in (_COLOUR, _LETTER)]
    at_right = _names(chart, ends, height, limit_row, said, names) if gutter else {}
    ticks_at = [min(height - 1, int(y_of(mark) // 4)) for mark, _ in marks]
    at_left: dict[int, str] = {}
    for tick, drawn in zip(ticks_at, figures, strict=True):
        rows_ = _free_rows(tick, len(drawn), height, at_left)
        if rows_ and abs(rows_[len(drawn) // 2] - tick) <= len(drawn) // 2:  # else it would be another's
            at_left |= dict(zip(rows_, drawn, strict=True))
    found: list[Line] = []
    inside = [_limited(line) if row == limit_row else line for row, line in enumerate(inside)]
    if plots is not None and crowd is None:
        from slides.drawing.blocks.charts import chart_pixels

        limit = math.nan if chart.limit is None else y_of(chart.limit)
        ticks = [y_of(mark) for mark, _ in marks]
        inside = plots(chart_pixels.curves(chart, plot, height, placed, ticks, limit, letters), inside)
    for row, shown in enumerate(inside):
        text, style = at_right.get(row, ("", DIM))
        found.append(
            (
                Span(at_left.get(row, "").rjust(before - 2) + " ", DIM),
                Span("┤" if row in ticks_at else "│", RULE),
                *shown,
                Span(f" {clip_text(text, gutter - 1)}" if text else "", style),
            )
        )
    found.append((Span(" " * (before - 1)), Span("└" + "─" * plot, RULE)))
    found += [(Span(" " * before), *line) for line in _x_ticks(chart, along, plot, large)]
    if chart.x:
        name = (in_one_size([chart.x], plot) if large else None) or [[clip_text(clean(chart.x), plot)]]
        lead = Span(" " * (before + plot - max(map(width, name[0]))))
        found += [(lead, Span(row, DIM)) for row in name[0]]
    return [*found, *((Span(clip_text(words, columns), DIM),) for words in note)]


def _note(chart: deck.Chart, columns: int) -> list[str]:
    """What cannot be seen of the points, a row each: that each column of many has their range, how many
    points there are (of a crowd what its shades and colours are), and what has no place."""
    said = []
    count = sum(value is not None for row in chart.values for value in row)
    if chart.kind == "line" and len(chart.xs) > 4 * columns:
        said.append(f"{len(chart.xs):,} points: each column from its lowest to its highest")
    elif chart.kind == "scatter" and count >= many.CROWD:
        how = _LETTER if lettered(chart) else _COLOUR
        said += [f"{count:,} points", *([how] if len(chart.series) > 1 else [])]
    if gone := len(chart.unplaced):
        said.append(f"{gone:,} {'value is' if gone == 1 else 'values are'} nan or infinite, and not drawn")
    return said


def _dotted(
    chart: deck.Chart,
    placed: Sequence[NDArray[np.float64]],
    plot: int,
    height: int,
    letters: dict[tuple[int, int], int],
) -> list[Line]:
    """Lines and points as dots of braille, and letters over them."""
    import numpy as np

    drawing = Braille(plot, height)
    for fill, points in zip(fills(chart), placed, strict=True):
        if chart.kind == "line":
            thin = many.same_look(points)
            drawing.lines(thin, fill.ink)
            drawing.lines(thin + np.array([0, 1]), fill.ink)  # a line of one dot is too thin for a room
        single = chart.kind == "scatter" or len(points) <= plot // 4
        dots = points if single else many.alone(points)
        if not (single and lettered(chart)):
            for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
                drawing.points(dots[:, 0] + dx, dots[:, 1] + dy, fill.ink)
    rows = drawing.render()
    for row in {row for row, _ in letters}:
        cells = [Span(sign, span.style) for span in rows[row] for sign in span.text]
        for (at, column), n in letters.items():
            if at == row:
                cells[column] = Span(letter(n), Style(fills(chart)[n].ink, bold=True))
        rows[row] = joined(cells)
    return rows


def _letters(
    chart: deck.Chart, placed: Sequence[NDArray[np.float64]], plot: int, height: int
) -> dict[tuple[int, int], int]:
    """Which series has its letter in which cell (row, column), where colours alone do not tell them apart:
    each point of a scatter, and of each line one at every so many columns, where it has no other's."""
    import numpy as np

    found: dict[tuple[int, int], int] = {}
    if not lettered(chart):
        return found
    count = len(chart.series)
    for n, points in enumerate(placed):
        points = points[np.isfinite(points).all(1)]
        columns = np.clip(points[:, 0] // 2, 0, plot - 1).astype(int).tolist()
        rows = np.clip(points[:, 1] // 4, 0, height - 1).astype(int).tolist()
        if chart.kind == "scatter":
            found |= dict.fromkeys(zip(rows, columns, strict=True), n)
            continue
        by_column = dict(zip(columns, rows, strict=True))
        every = 2 * count
        for start in range(0, plot, every):
            wanted = sorted(range(start, min(start + every, plot)), key=lambda c: abs(c - start - 2 * n))
            cells = ((by_column[column], column) for column in wanted if column in by_column)
            cell = next((cell for cell in cells if cell not in found), None)
            if cell is not None:
                found[cell] = n
    return found


def _free_rows(middle: int, high: int, height: int, taken: Container[int]) -> list[int]:
    """The rows for words that are `high`, as near to `middle` as others leave them; empty: there are none."""
    starts = sorted(range(height - high + 1), key=lambda first: (abs(first + high // 2 - middle), -first))
    each = (list(range(first, first + high)) for first in starts)
    return next((rows for rows in each if not any(row in taken for row in rows)), [])


def _limited(line: Line) -> Line:
    """A row with the line of the limit where it is free."""
    spans: list[Span] = []
    for text, style in line:
        spans.append(Span("".join("━" if sign == " " else sign for sign in text), style))
    return tuple(Span(span.text, LIMIT) if set(span.text) == {"━"} else span for span in spans)


def _names(
    chart: deck.Chart,
    ends: list[tuple[float, int]],
    height: int,
    limit: int,
    said: list[str],
    names: list[list[str]],
) -> dict[int, tuple[str, Style]]:
    """What stands at the right of a row: the limit, and the name of the line that ends there or near."""
    found: dict[int, tuple[str, Style]] = {}
    if limit >= 0:
        found[limit] = (said[0], LIMIT)
        for row, words in enumerate(said[1:], limit + 1):
            found[row] = (words, DIM)
    if chart.kind == "scatter" or len(chart.series) < 2 or lettered(chart):
        return found
    colours = fills(chart)
    ended = sorted(end for end in ends if not math.isnan(end[0]))
    # Those that end together have the names in their order: away from the edge that is near.
    if ended and sum(y for y, _ in ended) / len(ended) > 2 * height:
        ended.reverse()
    for y, n in ended:
        rows = _free_rows(min(height - 1, int(y // 4)), len(names[n]), height, found)
        for row, text in zip(rows, names[n], strict=False):
            found[row] = (text, Style(colours[n].ink, bold=True))
    return found


def _figure(text: str) -> bool:
    """Whether a label is the number that its point stands at: rows of a table of steps, not words."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _x_ticks(chart: deck.Chart, along: Axis, plot: int, large: bool) -> list[Line]:
    """Round numbers under the axis; under a line of words the words. `large`: in letters."""
    counted = chart.kind == "line" and list(chart.xs) == [float(n) for n in range(len(chart.xs))]
    if counted and not all(map(_figure, chart.labels)):
        texts = [clean(label) for label in chart.labels]
        of_letters = 3 if large else 1
        every = max(1, math.ceil(sum(of_letters * len(text) + 2 for text in texts) / plot)) if texts else 1
        marks = list(enumerate(texts))[::every]
        placed = [(float(n), text) for n, text in marks]
    else:
        placed = along.marks(max(2, plot // (20 if large else 12)))
    drawn = (in_one_size([text for _, text in placed], plot) if large else None) or [
        [text] for _, text in placed
    ]
    grid = [[" "] * plot for _ in range(max(map(len, drawn), default=1))]
    end = -1
    for (mark, _), rows in zip(placed, drawn, strict=True):
        wide = max(map(len, rows))
        at = max(0, min(round(along.share(mark) * (plot - 1)) - wide // 2, plot - wide))
        if at > end and wide <= plot:
            for row, text in zip(grid, rows, strict=True):
                row[at : at + wide] = list(text.ljust(wide))
            end = at + wide
    return [(Span("".join(row), DIM),) for row in grid]
