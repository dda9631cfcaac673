"""One row per rank: what it does, its figures, where its step's time went, what its memory holds.

Which columns there are depends on the width, and each is as wide as its widest figure: nothing moves while a
run goes on. Where the rows do not fit (many ranks, a low pane) the ranks become a heat strip, and only the
outliers get rows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from runtime.metrics.checksums import agreement
from runtime.protocol.figures import STALE, RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import PLAIN, Line, Span, Style
from tui.figures import categories, numbers
from tui.figures.categories import Kind
from tui.views.parts.frame import framed
from tui.views.parts.ranks import rank_strip
from tui.views.parts.ranks.mean_row import MEAN, mean_row

MOST_ROWS = 40
NOTABLE = 0.05  # lateness worth a mark, as part of a step
SILENT_S = 2.0
_WIDE = 180  # cells from which on there are words for everything
_HELD = tuple(kind.field for kind in categories.MEMORY)
DIM, HEAD = Style("dim"), Style("heading", bold=True)
MARK = Style("warning", bold=True)
_STATES = {
    "forward": "compute",
    "backward": "compute",
    "all-reduce": "exposed",
    "optimizer": "optimizer",
    "wait": "dim",
    "done": "good",
    "train": "text",
}


def table(snapshot: Snapshot, width: int, height: int, rank: int | None = None) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells; `rank` is pointed at."""
    rows = snapshot.rows
    if len(rows) <= MOST_ROWS and len(rows) + 1 <= height:
        below = legend_below(snapshot, width)
        if below and len(rows) + 3 <= height:
            height -= 2
        else:
            below = []
        lines = rank_rows(snapshot, rows, width, legend=not below)
        if rank is not None:
            lines[1:] = [
                _pointed(line, width) if row.rank == rank else line
                for row, line in zip(rows, lines[1:], strict=True)
            ]
        if len(rows) * 2 <= height:  # room to set the rows apart
            spaced = [line for row in lines[1:] for line in (row, ())][:-1]
            lines = [lines[0], *[()] * (len(spaced) + 2 <= height), *spaced]
        if below:
            lines, height = [*framed(lines, width, min(height, len(lines))), *below], height + 2
    else:
        lines = _crowd(snapshot, width, height)
    return framed(lines, width, height)


def notable(snapshot: Snapshot) -> bool:
    """Whether the slowest rank is late enough to point at."""
    by, step_s = snapshot.slowest_by_s, typical_step(snapshot.rows)
    return by is not None and by > 0 and (step_s is None or by >= NOTABLE * step_s)


def typical_step(rows: Sequence[RankRow]) -> float | None:
    """The median step time of the ranks in seconds; None before any has one."""
    known = [row.step_s for row in rows if row.step_s is not None]
    return median(known) if known else None


def settled(snapshot: Snapshot) -> bool:
    """Whether what no rank has said by now is not going to come: the first step weighs and checks everything.

    From then on a column without a figure, or a view without anything in it, only takes room.
    """
    steps = [row.step for row in snapshot.rows]
    ended = snapshot.state in ("done", "failed", "stopped", "lost")
    return ended or (bool(steps) and all(step is not None and step >= 1 for step in steps))


def dead(row: RankRow) -> bool:
    """Whether a rank has ended by a fault."""
    return row.state.startswith("dead")


def legend_below(snapshot: Snapshot, width: int) -> list[Line]:
    """A blank line and what the parts of the bars are, where the head of their column has no room for all."""
    if len(snapshot.rows) > MOST_ROWS:
        return []
    kinds = _kinds(snapshot.rows)
    head = rank_rows(snapshot, snapshot.rows, width)[0]
    glyphs = {span.text for span in head}
    some = [kind for kind in kinds if kind.glyph in glyphs]
    return [(), categories.time_legend(width, kinds)] if 0 < len(some) < len(kinds) else []


def _crowd(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The heat strip, then the mean of all and the ranks that stand out, as far as the height allows."""
    step_s = typical_step(snapshot.rows)
    listed = 0 if height < 5 else min(16, max(1, height // 3))
    spare = 3 if listed else 0  # a blank line, the head and the row of all
    lines = rank_strip.strip(snapshot.rows, step_s, width, height - listed - spare)
    listed = min(listed + height - listed - spare - len(lines), 16) if listed else 0
    if listed:
        order = heapq.nsmallest(
            listed,
            snapshot.rows,
            key=lambda row: (not dead(row), -(row.late_s if row.late_s is not None else 0.0), row.rank),
        )
        lines += [(), *rank_rows(snapshot, (mean_row(snapshot.rows), *order), width)]
    return lines


# --- columns --------------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """A column of `width` cells; `head` and `cell` give what goes into it."""

    width: int
    head: Line
    cell: Callable[[RankRow], Line]
    right: bool = False


def rank_rows(snapshot: Snapshot, rows: Sequence[RankRow], width: int, *, legend: bool = True) -> list[Line]:
    """The head and a line per row, each at most `width` cells; without its `legend` a bar has a name."""
    columns = _columns(snapshot, rows, width, legend)
    lines = [_join([(column, column.head) for column in columns])]
    lines += [_join([(column, column.cell(row)) for column in columns]) for row in rows]
    return lines


def _join(parts: Sequence[tuple[_Column, Line]]) -> Line:
    spans: list[Span] = []
    for n, (column, line) in enumerate(parts):
        if n:
            spans.append(Span("  "))
        spans += cells.fit(line, column.width, PLAIN, "right" if column.right else "left")
    return tuple(spans)


def _pointed(line: Line, width: int) -> Line:
    """A row on the ground of what is chosen, its rank marked for where there is no colour."""
    row = tuple(
        Span(s.text, s.style if s.style.ground else s.style.on("select")) for s in cells.fit(line, width)
    )
    first = row[0]
    return (Span("▸" + first.text, first.style), *_without_first(row[1:]))


def _without_first(row: Line) -> Line:
    """The row less one blank, which the mark before it has taken."""
    for n, span in enumerate(row):
        if span.text.startswith(" "):
            return (*row[:n], Span(span.text[1:], span.style), *row[n + 1 :])
    return row


def _columns(snapshot: Snapshot, rows: Sequence[RankRow], width: int, legend: bool = True) -> list[_Column]:
    """What fits `width`: everything from 140 cells, the essentials down to 40, less below."""
    widest = max((row.step_s for row in rows if row.step_s and math.isfinite(row.step_s)), default=0.0)
    most = max((sum(_bytes(row)) for row in rows), default=0)
    full, middle, small = width >= 136, width >= 96, width >= 72
    nodes = len({row.node for row in snapshot.rows}) > 1
    step_digits = max(4, len(str(snapshot.steps or 0)), *(len(str(row.step or 0)) for row in rows), 0)
    mark_cells = 17 if full else 9 if middle else 1

    over = settled(snapshot)

    def kept(column: _Column, *fields: str) -> list[_Column]:
        """A column of these figures of a rank, once it is clear that there are any."""
        said = any(getattr(row, name) is not None for row in rows for name in fields)
        return [column] if said or not over else []

    rank = _column("rank", max(4, len(str(snapshot.world))), _rank)
    step = _column("step", step_digits, lambda row: _figure(row, numbers.whole(row.step)), right=True)
    # A narrow table gives a decimal of the loss for a legend that can be read.
    loss = _column("loss", 6, _loss, right=True) if middle else _column("loss", 5, _short_loss, right=True)
    left = [rank, step, *kept(loss, "loss")]
    right: list[_Column] = []
    if small:
        said = [cells.line_width((_state(snapshot, row),)) for row in rows]
        state_cells = max(10, min(17 if full else 12, max(said, default=0)))
        state = _column("state", state_cells, lambda row: _state(snapshot, row))
        word = "tokens/s" if full else "tok/s"
        tokens = _column(word, len(word), lambda row: _figure(row, numbers.rate(row.tokens_s)), right=True)
        time = _column("time", 6, lambda row: _figure(row, numbers.ms(row.step_s)), right=True)
        left = [rank, state, step, *kept(loss, "loss"), *kept(tokens, "tokens_s"), *kept(time, "step_s")]
        if full or (middle and nodes):
            left.insert(1, _column("node", 4, lambda row: _figure(row, _node(row), "dim")))
        agree = agreement(snapshot.rows, snapshot.equal)
        held = _memory(rows, middle)
        weighed = [column for column in held if kept(column, "peak", *_HELD)]
        same = "equal" if middle else "="
        ticks = _column(same, len(same), lambda row: _tick(agree.get(row.rank)))
        last = [*(kept(ticks, "checksum") if snapshot.world > 1 else [])]
        if full:
            norm = "gradient norm" if width >= _WIDE else "‖grad‖"
            figures = _column(
                norm, len(norm), lambda row: _figure(row, numbers.figure(row.grad_norm)), right=True
            )
            last += kept(figures, "grad_norm")
        right = [*weighed, *last]
    room = width - sum(column.width + 2 for column in (*left, *right)) - mark_cells - 1
    if middle and room >= 40 and weighed:
        shown = [
            k for k in categories.MEMORY if any(getattr(row, k.field) for row in rows)
        ] or categories.MEMORY[:4]
        wide = max(20, min(48, room // 4))
        right.insert(
            len(weighed),
            _Column(wide, categories.memory_legend(shown, wide), lambda row: _memory_bar(row, most, wide)),
        )
        room -= wide + 2
    if room >= 6 and kept(rank, "step_s"):
        # The bar and the mark after it are one column, so that the legend may use the room of both.
        bar_cells = room
        bar_and_mark = bar_cells + 1 + mark_cells
        named = cells.clip((Span("where it went", DIM),), bar_and_mark)
        left.append(
            _Column(
                bar_and_mark,
                categories.time_legend(bar_and_mark, _kinds(rows)) if legend else named,
                lambda row: (*step_bar(row, widest, bar_cells), Span(" "), *_mark(snapshot, row, mark_cells)),
            )
        )
    return [*left, *right]


def _kinds(rows: Sequence[RankRow]) -> list[Kind]:
    """The kinds of time that any rank spent, or all where nobody has said yet."""
    spent = [k for k in categories.TIME_LEGEND if any(getattr(row, k.field) for row in rows)]
    return spent or list(categories.TIME_LEGEND)


def _memory(rows: Sequence[RankRow], middle: bool) -> list[_Column]:
    """The most of each kind added, and what was there at one moment, where that is known."""
    width = 7 if middle else 6
    held = _column("memory", width, lambda row: _figure(row, _total(row)), right=True)
    peak = _column("peak", width, lambda row: _figure(row, numbers.size(row.peak, places=0)), right=True)
    if all(row.peak is None for row in rows):
        return [held]
    return [held, peak] if middle else [peak]


def _column(title: str, width: int, cell: Callable[[RankRow], Span], right: bool = False) -> _Column:
    return _Column(width, (Span(title, DIM),), lambda row: (cell(row),), right)


# --- cells ----------------------------------------------------------------------------------------------


def _figure(row: RankRow, text: str, ink: str = "text") -> Span:
    """A rank that died keeps its last figures, dimmed."""
    return Span(text, DIM if text == numbers.DASH or dead(row) else Style(ink))


def _rank(row: RankRow) -> Span:
    if row.rank == MEAN:
        return Span("mean", DIM)
    return Span(str(row.rank), HEAD)


def _node(row: RankRow) -> str:
    return "" if row.rank == MEAN else numbers.node(row.node)


def _state(snapshot: Snapshot, row: RankRow) -> Span:
    state = cells.clean(row.state)
    if dead(row) and snapshot.state in ("stopping", "stopped"):
        return Span("ended", DIM)  # it was told to
    if dead(row):
        return Span(state, Style("bad", bold=True))
    heard = row.pid > 0 and row.rank != MEAN  # who has not come yet is not silent
    if snapshot.state == "running" and state != "done" and heard and row.silent_s >= SILENT_S:
        seconds = row.silent_s
        said = f"{seconds:.0f}s" if seconds < 99.5 else f"{min(99, seconds / 60):.0f}m"
        word = STALE if state == STALE else "silent"  # of a machine that is not heard, or of one rank
        return Span(f"{word} {said}", Style("warning"))
    if snapshot.state == "running" and row.waits:
        return Span(f"waits for {cells.clean(row.waits)}", Style("warning"))
    return Span(state, Style(_STATES.get(state, "dim")))


def _short_loss(row: RankRow) -> Span:
    return _loss(row, 3)


def _loss(row: RankRow, places: int = 4) -> Span:
    text = numbers.loss(row.loss, places)
    return Span(text, Style("bad", bold=True)) if text in ("nan", "inf", "-inf") else _figure(row, text)


def _bytes(row: RankRow) -> list[int]:
    return [value for value in (getattr(row, kind.field) for kind in categories.MEMORY) if value is not None]


def _total(row: RankRow) -> str:
    """The sum of what is known; `≥` says that a part of the four kinds every rank has is not known."""
    known = _bytes(row)
    if not known:
        return numbers.DASH
    whole = None not in (row.params, row.grads, row.optimizer_bytes, row.activations)
    return ("" if whole else "≥") + numbers.size(sum(known), places=0)


def _memory_bar(row: RankRow, most: int, width: int) -> Line:
    known = _bytes(row)
    if not known or most <= 0:
        return (Span(numbers.DASH, DIM),)
    values = [getattr(row, kind.field) or 0 for kind in categories.MEMORY]
    return categories.memory_bar(values, most, width)[0]


def step_bar(row: RankRow, widest: float, width: int) -> Line:
    """The parts of the step against the longest step shown; what is not known of it is a broken line."""
    if row.step_s is None or widest <= 0:
        return cells.pad((Span(numbers.DASH, DIM),), width)
    parts = [(kind, getattr(row, kind.field)) for kind in categories.TIME]
    if any(value is None for _, value in parts):
        rest = row.step_s - sum(value for _, value in parts if value is not None)
        parts.insert(
            next(n for n, (_, value) in enumerate(parts) if value is None), (categories.UNKNOWN, rest)
        )
    return cells.pad(
        categories.time_bar([(kind, value or 0.0) for kind, value in parts], widest, width), width
    )


def _mark(snapshot: Snapshot, row: RankRow, width: int) -> Line:
    if row.harm:
        text = f"◂ {cells.clean(row.harm)}" if width >= 9 else "!"
        return (Span(cells.clip_text(text, width), Style("bad", bold=True)),)
    if row.rank != snapshot.slowest or not notable(snapshot):
        return ()
    by = f"+{numbers.ms(snapshot.slowest_by_s)}"
    text = f"◂ slowest {by}" if width >= 17 else f"◂ {by}" if width >= 9 else "◂"
    return (Span(text, MARK),)


def _tick(equal: bool | None) -> Span:
    if equal is None:
        return Span(numbers.DASH, DIM)
    return Span("✓", Style("good")) if equal else Span("≠", Style("bad", bold=True))
