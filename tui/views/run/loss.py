"""Loss by step: a curve per rank (or lowest, median and highest of many) with axes.

Earlier runs of the same demo lie under it in broken strokes, each with a letter and what it had different.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

from msgspec.structs import replace

from runtime.protocol.figures import Curve, Earlier
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.canvas import Braille, tick_label, ticks
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.run.table import notable

DIM, AXIS, EARLIER = Style("dim"), Style("line"), Style("dim", bold=True)
# Ranks below zero stand for all of many: the store's lowest, median and highest.
MOST = 1e300  # beyond it the difference of two losses is not a number
# Of an earlier run: dots drawn and dots left out in turn, the newest run first.
STROKES = ((8, 4), (3, 3), (1, 3))
_STROKE_SIGNS = ("╌╌", "┄┄", "··")
_BANDS = {-1: ("lowest", "rank0"), -2: ("median", "rank3"), -3: ("highest", "rank1")}


def loss(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells; an empty frame says what it waits for."""
    if width < 1 or height < 1:
        return [()] * max(0, height)
    curves = [curve for curve in (_finite(curve) for curve in snapshot.curves) if curve.steps]
    earlier = _earlier(snapshot)
    points = max((len(curve.steps) for curve in curves), default=0)
    plot_h = height - 3
    if plot_h < 2 or width < 20:
        newest = _mean_newest(curves)
        lines: list[Line] = [(Span("loss ", DIM), Span(numbers.loss(newest)))]
    elif points < 2 and not earlier:
        lines = _empty(snapshot, width, plot_h)
    else:
        lines = _plot(snapshot, _in_order(snapshot, curves), earlier, width, plot_h)
    lines = lines[:height]
    return [cells.fit(line, width) for line in (*lines, *[()] * (height - len(lines)))]


def _plot(
    snapshot: Snapshot, curves: Sequence[Curve], earlier: Sequence[Earlier], width: int, plot_h: int
) -> list[Line]:
    every = [*curves, *(run.curve for run in earlier)]
    low = min(min(curve.losses) for curve in every)
    high = max(max(curve.losses) for curve in every)
    if curves and (top := max(max(curve.losses) for curve in curves)) > low:
        high = min(high, 2 * top - low)  # an earlier run that fell apart must not flatten this one
    if high - low < 1e-9 * max(1.0, abs(high)):
        margin = max(0.5, 1e-9 * abs(high))  # a half is nothing to a loss of 1e16
        low, high = low - margin, high + margin
    # At least three figures on the axis where it has room for five.
    tried = [ticks(low, high, count) for count in ((4, 6, 8) if plot_h >= 6 else (max(2, plot_h - 1),))]
    y_ticks = next((found for found in tried if len(found) >= 3), tried[-1])
    y_step = y_ticks[1] - y_ticks[0] if len(y_ticks) > 1 else high - low
    labels = [tick_label(value, y_step) for value in y_ticks]
    gutter = min(max(map(len, labels), default=1), 8)
    ends = len(curves) + 1 if all(curve.rank >= 0 for curve in curves) else 0
    ends += len(earlier) + (not ends and bool(earlier))
    plot_w = max(4, width - gutter - 2 - ends)
    first, last = 0, _right_edge(snapshot, every)

    canvas = Braille(plot_w, plot_h)
    x_scale, y_scale = (plot_w * 2 - 1) / max(1, last - first), (plot_h * 4 - 1) / (high - low)
    names: dict[int, list[_End]] = {}

    def dots_of(curve: Curve) -> list[tuple[float, float]]:
        return [
            ((step - first) * x_scale, (high - value) * y_scale)
            for step, value in zip(curve.steps, curve.losses, strict=True)
        ]

    for n, run in reversed(list(enumerate(earlier))):
        dots = dots_of(run.curve)
        _broken(canvas, [(x, y if y >= 0 else nan) for x, y in dots], STROKES[n])
        end_row = int(max(0.0, dots[-1][1]) + 0.5) // 4
        names.setdefault(end_row, []).append(_End(dots[-1][0], _letter(n), EARLIER))
    for curve in curves:
        dots = dots_of(curve)
        canvas.lines(dots, _ink(curve.rank))
        end = _End(dots[-1][0], str(curve.rank), Style(_ink(curve.rank)))
        names.setdefault(int(dots[-1][1] + 0.5) // 4, []).append(end)
    # Where a curve ends stands its rank: curves must not differ by colour alone.
    drawn = canvas.render()
    if ends:
        _mark(drawn, [(curve, dots_of(curve)) for curve in curves], plot_w)
    rows = [_named(row, names.get(y, ()), plot_w + ends) if ends else row for y, row in enumerate(drawn)]

    at_row = {
        min(plot_h - 1, int((high - value) * y_scale) // 4): label
        for value, label in zip(y_ticks, labels, strict=True)
    }
    lines: list[Line] = [_title(curves, width, earlier)]
    for y, row in enumerate(rows):
        label = at_row.get(y, "")
        tick = "┤" if label else "│"
        lines.append(
            (
                Span(f"{label[:gutter]:>{gutter}} ", DIM),
                Span(tick, AXIS),
                *row,
            )
        )
    return [*lines, *_x_axis(first, last, gutter, plot_w, width)]


def _x_axis(first: int, last: int, gutter: int, plot_w: int, width: int) -> list[Line]:
    marks = [int(value) for value in ticks(first, last, max(2, min(6, plot_w // 12))) if value == int(value)]
    line, text = list("─" * plot_w), [" "] * width
    end = 0
    for value in marks:
        x = round((value - first) / max(1, last - first) * (plot_w - 1))
        label = f"{value} steps" if value == marks[-1] and len(marks) > 1 else str(value)
        start = max(0, min(gutter + 2 + x - len(str(value)) // 2, width - len(label)))
        if start < end:
            continue
        line[x] = "┬"
        text[start : start + len(label)] = label
        end = start + len(label) + 1
    return [
        (Span(" " * (gutter + 1)), Span("└" + "".join(line), AXIS)),
        (Span("".join(text), DIM),),
    ]


def _empty(snapshot: Snapshot, width: int, plot_h: int) -> list[Line]:
    waits = snapshot.state in ("launching", "running")
    words = "the curve begins with the second step" if waits else "no second step came from any rank"
    if any(curve.steps for curve in snapshot.curves):
        words = next((r for r in snapshot.remarks if r.startswith("loss")), words)
    lines: list[Line] = [(Span("loss", DIM),)]
    for y in range(plot_h):
        inside = cells.fit((Span(words, DIM),), width - 3, align="center") if y == plot_h // 2 else ()
        lines.append((Span("  "), Span("│", AXIS), *inside))
    return [*lines, (Span("  "), Span("└" + "─" * (width - 3), AXIS)), ()]


def _title(curves: Sequence[Curve], width: int, earlier: Sequence[Earlier] = ()) -> Line:
    chips: list[Span] = []
    for curve in sorted(curves, key=lambda curve: curve.rank % 1000):
        name = _BANDS[curve.rank][0] if curve.rank in _BANDS else str(curve.rank)
        chips += [Span("■ ", Style(_ink(curve.rank))), Span(f"{name}  ", DIM)]
    line: Line = (Span("loss   ", DIM), *chips)
    if earlier:
        # What was different then is what the curves are laid over each other for.
        before: Line = (Span("  earlier  " if chips else "earlier  ", DIM),)
        for n, word in enumerate(_names(earlier)):
            before += (Span(f"{_letter(n)} {_STROKE_SIGNS[n]} ", EARLIER), Span(f"{word}   ", DIM))
        both = (*line, *before)
        line = both if cells.line_width(both) <= width else cells.clip((Span("loss   ", DIM), *before), width)
    return line if cells.line_width(line) <= width else (Span("loss", DIM),)


def _names(earlier: Sequence[Earlier]) -> list[str]:
    """What earlier runs had different; which of them came when, where that is the same of several."""
    words = [cells.clean(run.label) or "the same" for run in earlier]
    ages = ("newer", "older") if len(words) == 2 else ("newest", "before that", "oldest")
    return [f"{word}, {ages[n]}" if words.count(word) > 1 else word for n, word in enumerate(words)]


def _mark(
    rows: list[Line], curves: Sequence[tuple[Curve, Sequence[tuple[float, float]]]], width: int
) -> None:
    """Put each rank's number onto its curve, at a place of its own: curves that overlap hide each other.

    A cell has one ink only, and not everybody tells all inks apart.
    """
    for n, (curve, dots) in enumerate(sorted(curves, key=lambda pair: pair[0].rank)):
        column = int((n + 1) * dots[-1][0] / 2 / (len(curves) + 1))
        near = [(abs(x / 2 - column), int(x) // 2, int(y + 0.5) // 4) for x, y in dots]
        far, at, y = min(near)
        if far > 1:  # between two points far from each other
            continue
        if 0 < at < width - 1 and 0 <= y < len(rows):
            row = rows[y]
            rows[y] = (
                *_until(row, at),
                Span(str(curve.rank % 10), Style(_ink(curve.rank))),
                *_from(row, at + 1),
            )


class _End(NamedTuple):
    """Where a curve ends (in dots), and what it is called."""

    x: float
    name: str
    style: Style


def _named(row: Line, ends: Sequence[_End], width: int) -> Line:
    """The row of dots with the names of the curves that end in it written behind the last of them."""
    for group in _together(ends):
        x = int(group[-1].x) // 2 + 2
        names = tuple(Span(end.name, end.style) for end in sorted(group, key=lambda end: end.name))
        # What lies under the names is a curve that goes on: it keeps its dots, cut where they stand.
        row = (*_until(row, x), *names, *_from(row, x + sum(len(end.name) for end in group)))
    return cells.fit(row, width)


def _together(ends: Sequence[_End]) -> list[list[_End]]:
    """Ends that lie too close for names of their own, from the left."""
    groups: list[list[_End]] = []
    for end in sorted(ends, key=lambda end: end.x):
        if groups and end.x - groups[-1][-1].x < 2 * (len(groups[-1]) + 3):
            groups[-1].append(end)
        else:
            groups.append([end])
    return groups


def _until(row: Line, column: int) -> Line:
    out, seen = [], 0
    for text, style in row:
        out.append(Span(text[: max(0, column - seen)], style))
        seen += len(text)
    return cells.pad(tuple(out), column)


def _from(row: Line, column: int) -> Line:
    out, seen = [], 0
    for text, style in row:
        rest = text[max(0, column - seen) :]
        seen += len(text)
        if rest and seen > column:
            out.append(Span(rest, style))
    return tuple(out)


def _earlier(snapshot: Snapshot) -> list[Earlier]:
    """Those that can be drawn, as many as there are strokes, the newest first."""
    found = [replace(run, curve=_finite(run.curve)) for run in snapshot.earlier]
    return [run for run in found if len(run.curve.steps) > 1][: len(STROKES)]


def _broken(canvas: Braille, dots: Sequence[tuple[float, float]], stroke: tuple[int, int]) -> None:
    """A curve in strokes of so many dots of its width, with so many between."""
    import numpy as np

    on, off = stroke
    x, y = np.array(dots).T
    at = np.arange(int(x[0]), int(x[-1]) + 1)
    drawn = np.where(at % (on + off) < on, np.interp(at, x, y), np.nan)
    canvas.points(at, drawn, EARLIER.ink)
    # A steep piece is more than a dot high: its dots are joined where the stroke goes on.
    canvas.segments(np.stack((at[:-1], drawn[:-1]), 1), np.stack((at[1:], drawn[1:]), 1), EARLIER.ink)


def _letter(n: int) -> str:
    return chr(ord("a") + n)


def _ink(rank: int) -> str:
    return _BANDS[rank][1] if rank in _BANDS else f"rank{rank % 8}"


def _in_order(snapshot: Snapshot, curves: Sequence[Curve]) -> list[Curve]:
    """What matters is drawn last: the slowest rank when it stands out, else rank 0; the median of many."""
    last = snapshot.slowest if notable(snapshot) else 0
    return sorted(curves, key=lambda curve: (curve.rank in (last, -2), -curve.rank))


def _right_edge(snapshot: Snapshot, curves: Sequence[Curve]) -> int:
    """The steps asked for, once a tenth of them is done; before that a round number the curve grows into."""
    newest = max(curve.steps[-1] for curve in curves)
    if snapshot.steps is not None and newest * 10 >= snapshot.steps:
        return max(newest, snapshot.steps, 1)
    power: int = 10 ** max(1, len(str(newest)) - 1)
    edge = next(m * power for m in (1, 2, 5, 10) if m * power > newest)
    return min(edge, snapshot.steps) if snapshot.steps else edge


def _finite(curve: Curve) -> Curve:
    """The points that can be drawn; a loss that blew up is said in the table."""
    pairs = [(s, v) for s, v in zip(curve.steps, curve.losses, strict=False) if abs(v) < MOST]
    return Curve(curve.rank, [s for s, _ in pairs], [v for _, v in pairs])


def _mean_newest(curves: Sequence[Curve]) -> float | None:
    values = [curve.losses[-1] for curve in curves]
    return sum(values) / len(values) if values else None
