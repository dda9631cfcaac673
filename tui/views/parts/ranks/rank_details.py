"""The table of the ranks with all its room: the rank pointed at is set off, and more of it is said below."""

from __future__ import annotations

from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.parts import run_totals
from tui.views.parts.frame import DIM, Column, columned, dash, fitting, framed
from tui.views.parts.own_figures import result, words
from tui.views.run.loss import loss
from tui.views.run.table import MOST_ROWS, table

_CHART = 8  # rows from which on the loss stands below: lower it is no help
HEAD = Style("heading", bold=True)


def details(snapshot: Snapshot, width: int, height: int, rank: int | None = None) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    ranks = len(snapshot.rows)
    picked = next((row for row in snapshot.rows if row.rank == rank), None)
    if picked is not None:
        shorter = _said(picked, snapshot.within_s, width)
    else:
        shorter = [run_totals.summary(snapshot, width)]
    # A second table takes a head and a row a rank: it is not made where it has no room.
    roomy = ranks <= MOST_ROWS and height >= 2 * ranks + 4 + len(shorter)
    more = [*shorter, (), *_every(snapshot, width)] if roomy else shorter
    if ranks > MOST_ROWS or height < ranks + 2 + len(more):
        return table(snapshot, width, height, rank)
    room = height - len(more) - 1
    room = min(room, 2 * ranks + 1) if room >= 2 * ranks else ranks + 1
    lines = [*table(snapshot, width, room, rank), (), *more]
    left = height - len(lines) - 1
    if left >= _CHART and snapshot.curves:
        lines += [(), *loss(snapshot, width, left)]
    return framed(lines, width, height)


def _every(snapshot: Snapshot, width: int) -> list[Line]:
    """A row per rank of what the first table has no room for."""
    rows = snapshot.rows
    said = [_figures(row, snapshot.within_s) for row in rows]
    names = list(dict.fromkeys(name for figures in said for name, _ in figures))
    columns = [Column("rank", [Span(str(row.rank), HEAD) for row in rows], right=False)]
    for need, name in enumerate(names, start=1):
        texts = [cells.clip_text(cells.clean(dict(figures).get(name, numbers.DASH)), 28) for figures in said]
        columns.append(Column(cells.clean(name), [dash(text) for text in texts], need))
    return columned(fitting(columns, width))


def _said(row: RankRow, within_s: float | None, width: int) -> list[Line]:
    """What the columns have no room for, in as many lines as it takes; the last of it is its script's own."""
    lines: list[Line] = []
    line: Line = (Span(f"rank {row.rank}", HEAD),)
    for word, text in _figures(row, within_s):
        ink = "bad" if word == "harm" else "text"
        part = (Span(f"   {cells.clean(word)} ", DIM), Span(cells.clean(text), Style(ink)))
        if cells.line_width((*line, *part)) > width:
            lines.append(line)
            line = (Span(" " * 6),)
        line = (*line, *part)
    return [*lines, line]


def _figures(row: RankRow, within_s: float | None) -> list[tuple[str, str]]:
    found = [
        ("node", numbers.node(row.node)),
        ("entered last", row.last or numbers.DASH),
        ("collectives so far", numbers.whole(row.seq)),
        ("late by", numbers.known(row.late_s, within_s)),
        ("payload a step", numbers.size(row.payload)),
        ("on the wire", numbers.size(row.wire)),
        ("theory", numbers.size(row.theory)),
        ("sum of kinds", numbers.size(row.held_sum)),
        ("peak", numbers.size(row.peak)),
        ("silent", numbers.ms(row.silent_s)),
    ]
    if row.gpu is not None:
        degrees = numbers.DASH if row.gpu.celsius is None else f"{row.gpu.celsius:.0f} °C"
        watts = numbers.DASH if row.gpu.watt is None else f"{row.gpu.watt:.0f} W"
        found += [("gpu", f"{numbers.percent(row.gpu.util)} {watts} {degrees}")]
        found += [("its memory", numbers.size(row.gpu.memory))]
    found += [("events lost", str(row.drops))] if row.drops else []
    found += [("harm", row.harm)] if row.harm else []
    for name, value in (row.result or {}).items():
        told = numbers.loss(value) if name == "loss" and isinstance(value, float) else result(name, value)
        found.append((words(name), told))
    return found
