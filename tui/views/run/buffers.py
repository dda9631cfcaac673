"""What every rank holds, chunk by chunk, while a ring passes the chunks around.

Drawn from figures a script gives of itself: "buffer" (a number a chunk), and where it says them "summed" (of
how many ranks each chunk holds the sum), "sent" (the chunk that went to the right neighbour last), "transfer"
(round, and transfer in it, both from 0; -1: none yet) and "difference" (from what it should be, at the end).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from runtime.protocol.figures import Named
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.parts import cell_grid
from tui.views.parts.frame import framed
from tui.views.parts.ranks.rank_strip import merged
from tui.views.run import exchange

TEXT, DIM, HEAD = Style(), Style("dim"), Style("heading", bold=True)
COMPLETE, ARRIVED, SENT = Style("good"), Style("accent", bold=True), Style("accent", bold=True)
_WIDEST = 14  # of a chunk's column: numbers far apart are hard to compare
_LARGEST = 26  # the same, where chunks are coloured cells
_LABEL = 6  # of a row: the rank
_AROUND = 3  # cells of a column beside its number: a gap, the mark of sending, the mark of being complete
# The share of the ranks that is in a chunk, from which on a cell looks so where numbers have no room.
_LEVELS = ((1.0, "█", "good"), (0.67, "▓", "text"), (0.34, "▒", "text"), (0.0, "░", "dim"))


class _Row(NamedTuple):
    """One rank's chunks; empty where the rank did not say."""

    rank: int
    numbers: tuple[float, ...]
    summed: tuple[float, ...]
    sent: int | None
    arrived: int | None


def wanted(snapshot: Snapshot) -> bool:
    """Whether a run shows buffers, and has no loss that would want the place."""
    said = snapshot.value("buffer") is not None or exchange.wanted(snapshot)
    return said and all(row.loss is None for row in snapshot.rows)


def rows_of(snapshot: Snapshot) -> int:
    """Lines it takes to show every rank."""
    if exchange.wanted(snapshot):
        return exchange.rows_of(snapshot)
    named = snapshot.value("buffer")
    if named is None:
        from tui.views.run.values import rows_of as rows_of_values

        return rows_of_values(snapshot)
    return 2 + len(named.ranks)


def buffers(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    if width < 1 or height < 1:
        return [()] * max(0, height)
    if exchange.wanted(snapshot):
        return exchange.exchange(snapshot, width, height)
    rows = _rows(snapshot)
    if not rows:
        from tui.views.run.values import values

        return values(snapshot, width, height)
    chunks = max((len(row.numbers) for row in rows), default=0)
    room = max(0, height - 2)
    shown = rows if len(rows) <= room else rows[: max(0, room - 1)]
    longest = max((len(numbers.in_full(value)) for row in rows for value in row.numbers), default=1)
    column = min(_WIDEST, (width - _LABEL) // max(1, chunks))
    large = cell_grid.size(len(rows), height - 3)
    roomy = min(_LARGEST, (width - _LABEL) // max(1, chunks))
    if chunks and large is not None and roomy >= longest + _AROUND + 2:
        tail = width - _LABEL - chunks * min(roomy, _LARGEST) >= 20
        roomy = min(_LARGEST, (width - _LABEL - 20 * tail) // chunks)
        return framed(
            [_title(snapshot, rows, width), (), *_cells(rows, chunks, roomy, large, tail)], width, height
        )
    draw = _numbers if column >= longest + _AROUND else _blocks
    lines = [_title(snapshot, rows, width), *draw(shown, chunks, column, len(rows), width)]
    if len(shown) < len(rows) and room > 0:
        lines.append((Span(f"{'':{_LABEL}}and {len(rows) - len(shown)} more ranks", DIM),))
    lines = lines[:height]
    return [cells.fit(line, width) for line in (*lines, *[()] * (height - len(lines)))]


# --- three ways of drawing a chunk ----------------------------------------------------------------------


def _cells(rows: Sequence[_Row], chunks: int, column: int, large: tuple[int, int], tail: bool) -> list[Line]:
    """A coloured cell a chunk, its number inside: what has just arrived, and what is the sum of all ranks."""
    high, apart = large
    head = [Span(f"{'rank':<{_LABEL}}", DIM)]
    head += [Span(f"{f'chunk {chunk}':^{column - 1}} ", DIM) for chunk in range(chunks)]
    lines: list[Line] = [tuple(head)]
    for n, row in enumerate(rows):
        held = []
        for chunk, value in enumerate(row.numbers):
            complete = _complete(row, chunk, len(rows))
            look = cell_grid.NEW if chunk == row.arrived else cell_grid.WHOLE if complete else cell_grid.QUIET
            marks = "▸ " * (chunk == row.sent), " ✓" * complete
            held.append(cell_grid.Cell(numbers.in_full(value).join(marks), *look))
        held = held or [cell_grid.Cell(numbers.DASH, "")]
        to = f"   ▸ {row.sent} to rank {(row.rank + 1) % len(rows)}" if tail and row.sent is not None else ""
        lines += [()] * (apart if n else 0)
        label = Span(f"{row.rank:<{_LABEL}}", HEAD)
        lines += cell_grid.row(label, held, column, high, (Span(to, DIM),) if to else ())
    return lines


def _numbers(rows: Sequence[_Row], chunks: int, column: int, world: int, width: int) -> list[Line]:
    spans = [Span(f"{'rank':<{_LABEL}}", DIM)]
    word = "chunk " if column >= 11 else ""
    spans += [Span(f"{word + str(chunk):>{column - 1}} ", DIM) for chunk in range(chunks)]
    lines: list[Line] = [tuple(spans)]
    tail = width - _LABEL - chunks * column >= 18
    for row in rows:
        spans = [Span(f"{row.rank:<{_LABEL}}", HEAD)]
        for chunk, value in enumerate(row.numbers):
            sent, complete = chunk == row.sent, _complete(row, chunk, world)
            style = COMPLETE if complete else TEXT
            if chunk == row.arrived:
                style = Style(style.ink, bold=True) if complete else ARRIVED
            number = numbers.in_full(value)
            spans += [
                Span(" " * (column - len(number) - 2)),
                Span("▸" if sent else " ", SENT),
                Span(number, style),
                Span("✓" if complete else " ", COMPLETE),
            ]
        if not row.numbers:
            spans.append(Span(numbers.DASH, DIM))
        if tail and row.sent is not None:
            spans.append(Span(f"   ▸ {row.sent} to rank {(row.rank + 1) % world}", DIM))
        lines.append(merged(spans))
    return lines


def _blocks(rows: Sequence[_Row], chunks: int, column: int, world: int, width: int) -> list[Line]:
    """A cell a chunk, fuller the more ranks are summed in it; a dash where that is not known."""
    per = 2 if _LABEL + 2 * chunks <= width else 1
    head = f"{'rank':<{_LABEL}}{chunks} chunks, the first at the left"
    lines: list[Line] = [(Span(head, DIM),)]
    for row in rows:
        spans = [Span(f"{row.rank:<{_LABEL}}", HEAD)]
        for chunk in range(len(row.numbers)):
            part = row.summed[chunk] / max(1, world) if chunk < len(row.summed) else math.nan
            glyph, ink = next(((g, i) for least, g, i in _LEVELS if part >= least), (numbers.DASH, "dim"))
            if chunk == row.sent:
                glyph, ink = "▸", "accent"
            spans.append(Span(glyph + " " * (per - 1), Style(ink, bold=ink == "accent")))
        lines.append(merged(spans))
    return lines


# --- words ----------------------------------------------------------------------------------------------


def _title(snapshot: Snapshot, rows: Sequence[_Row], width: int) -> Line:
    """Where the ring is, how the last round ended, what the marks mean: the last of them give way first."""
    left = [Span("buffers", DIM), *(Span("  " + word, TEXT) for word in _where(snapshot, len(rows)))]
    checked = _checked(snapshot)
    legend = [
        Span("▸", SENT),
        Span(" sent right", DIM),
        Span("  ✓", COMPLETE),
        Span(" sum of all ranks", DIM),
    ]
    line: list[Span] = left
    for part in (checked, legend):
        longer = [*line, Span("   "), *part]
        if part and cells.line_width(longer) <= width:
            line = longer
    return tuple(line)


def _where(snapshot: Snapshot, world: int) -> list[str]:
    named = snapshot.value("transfer")
    said = [values for values in (named.ranks if named else ()) if len(values) == 2]
    if not said or not all(math.isfinite(value) for values in said for value in values):
        return []
    turn, k = (int(value) for value in min(said))  # of the rank that is furthest behind
    of = world - 1
    if k < 0:
        return [f"round {turn}, before the first transfer"]
    phase, n = ("reduce-scatter", k + 1) if k < of else ("all-gather", k + 1 - of)
    return [f"round {turn}, {phase} {n} of {of}"]


def _checked(snapshot: Snapshot) -> list[Span]:
    """How far the last round that was checked was from what it should have been, on any rank."""
    named = snapshot.value("difference")
    said = [values[0] for values in (named.ranks if named else ()) if values]
    if not said:
        return []
    if all(value == 0 for value in said):
        return [Span("last check: equal ✓", COMPLETE)]
    worst = max(said, key=lambda value: math.inf if math.isnan(value) else value)
    return [Span(f"last check: off by {numbers.figure(worst)}", Style("bad", bold=True))]


# --- figures --------------------------------------------------------------------------------------------


def _rows(snapshot: Snapshot) -> list[_Row]:
    buffer, summed, sent = (snapshot.value(name) for name in ("buffer", "summed", "sent"))
    if buffer is None:
        return []
    world = len(buffer.ranks)
    went = [_index(_of(sent, rank)) for rank in range(world)]
    # What the left neighbour has sent has arrived here.
    return [
        _Row(rank, chunks, _of(summed, rank), went[rank], went[rank - 1])
        for rank, chunks in enumerate(buffer.ranks)
    ]


def _of(named: Named | None, rank: int) -> tuple[float, ...]:
    return named.ranks[rank] if named is not None and rank < len(named.ranks) else ()


def _index(values: tuple[float, ...]) -> int | None:
    return int(values[0]) if values and math.isfinite(values[0]) else None


def _complete(row: _Row, chunk: int, world: int) -> bool:
    return chunk < len(row.summed) and row.summed[chunk] >= world > 0
