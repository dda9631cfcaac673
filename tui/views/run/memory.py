"""What the memory of each rank holds, stacked, and what the formula says it should hold.

The bars are the most of each kind in a step, and `sum` adds these: not all of it is there at one moment. The
`peak` is, by the allocator: on a GPU that of the newest step, else of the one that the profiler looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories, numbers
from tui.figures.categories import Kind
from tui.views.parts.frame import Column, axis, columned, dash, fitting, framed, nothing, spread

DIM, TEXT, HEAD = Style("dim"), Style(), Style("heading", bold=True)
THEORY = Style("accent")
CLOSE = 0.05  # a measured size this near to its formula agrees with it
_LABEL = 9


class _Row(NamedTuple):
    label: str
    style: Style
    held: tuple[int | None, ...]  # of each of `kinds.MEMORY`
    peak: int | None = None

    @property
    def total(self) -> int | None:
        known = [size for size in self.held if size is not None]
        return sum(known) if known else None


def memory(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    if height < 1 or width < 1:
        return framed((), width, height)
    ranks = [_of(row, snapshot) for row in snapshot.rows]
    if not any(row.total for row in ranks):
        waits = snapshot.state in ("launching", "running")
        why = "known after the first step" if waits else "no rank said what its memory holds"
        return nothing("memory per rank", why, width, height)
    formula = _formula(snapshot)
    spare = height - 1 - (2 * (formula is not None))  # title, formula and its differences
    rows = _fewer(ranks, max(1, spare))
    if len(rows) == len(ranks) and height < 2 * (len(rows) + bool(formula)) + 2:
        rows = _alike(rows)  # whose bars would touch
    bars = [*rows, *([formula] if formula else [])]
    table = _by_kind(rows, formula, width)
    room = height - 1 - len(bars)
    differences = _differences(rows, formula, width) if formula else ()
    # What is beside the formula is said in one line, or kind by kind where there is room for a table.
    beside = len(table) + 2
    touching = len(bars) + 4 <= room < len(bars) + beside  # for the table alone bars would touch
    if room >= beside and not touching:
        below: list[Line] = [(), *table]
    else:
        below = [differences] if formula else []
    room -= len(below)
    axed = room >= 1
    room -= axed
    airy = room >= 2  # under the title, and over what is below the bars
    each = 1 + max(0, min(4, (room - 2 * airy) // len(bars)))
    thick, apart = (1, 0) if each == 1 else (max(1, each - 1), 1)
    lines = _drawn(bars, thick, apart, width, axed=axed)
    lines[1:1] = [()] * airy
    return framed([*lines, *below], width, height)


# --- what is drawn --------------------------------------------------------------------------------------


def _drawn(rows: Sequence[_Row], thick: int, apart: int, width: int, *, axed: bool) -> list[Line]:
    """A head, the bars `thick` rows each and `apart` blank ones between, and the axis under them."""
    columns = _columns(rows)
    shown = fitting(columns, max(0, width - _LABEL - 14))
    figures = columned(shown)
    right = cells.line_width(figures[0])
    room = width - _LABEL - right - 2
    most = max(row.total or 0 for row in rows)
    used = _used(rows)
    title: Line = (
        Span("memory per rank   ", DIM),
        *categories.memory_legend(used, max(1, width - right - 20)),
    )
    lines = [spread(title, figures[0], width)]
    for n, row in enumerate(rows):
        lines += [()] * (apart if n else 0)
        held = [size or 0 for size in row.held]
        sizes = [numbers.size(size) for size in row.held]
        label = Span(row.label.ljust(_LABEL), row.style)
        for y, bar in enumerate(categories.memory_bar(held, most, room, high=thick, sizes=sizes)):
            named = y == (thick - 1) // 2
            left: Line = (label if named else Span(" " * _LABEL), *bar)
            lines.append(spread(left, figures[n + 1], width) if named else left)
    if axed:
        lines.append((Span(" " * _LABEL), *axis(most, room, "B")))
    return lines


def _columns(rows: Sequence[_Row]) -> list[Column]:
    def column(head: str, sizes: Sequence[int | None], need: int) -> list[Column]:
        texts = [numbers.size(size) if size is not None else "" for size in sizes]
        return [Column(head, [Span(text, TEXT) for text in texts], need)] if any(texts) else []

    measured = any(row.peak for row in rows if row.style != THEORY)  # a formula alone is beside nothing
    return [
        *column("sum", [row.total for row in rows], 0),
        *column("peak", [row.peak if measured else None for row in rows], 1),
    ]


def _by_kind(rows: Sequence[_Row], formula: _Row | None, width: int) -> list[Line]:
    """Kind by kind: the rank that holds most, the formula, and how far they are apart."""
    most = max(rows, key=lambda row: row.total or 0)
    used = _used([*rows, *([formula] if formula else [])])
    at = [categories.MEMORY.index(kind) for kind in used]
    words = [most.label, *(["formula", "difference"] if formula else [])]
    columns = [Column("", [Span(word, DIM) for word in words], right=False)]
    for n, kind in zip(at, used, strict=True):
        figures = [dash(numbers.size(most.held[n]))]
        if formula:
            figures += [dash(numbers.size(formula.held[n])), _apart(most.held[n], formula.held[n])]
        columns.append(Column(kind.word, figures, need=n))
    extra = [
        ("sum", most.total, formula.total if formula else None),
        ("peak", most.peak, formula.peak if formula else None),
    ]
    for need, (word, size, wanted) in enumerate(extra, start=20):
        if size is not None:
            figures = [dash(numbers.size(size))]
            if formula:
                apart = _apart(size, wanted) if word == "peak" else Span("")
                figures += [dash(numbers.size(wanted)), apart]
            columns.append(Column(word, figures, need))
    lines = columned(fitting(columns, width))
    inks = {kind.word: kind.ink for kind in used}
    lines[0] = tuple(Span(s.text, Style(inks.get(s.text.strip(), "dim"))) for s in lines[0])
    return lines


def _differences(rows: Sequence[_Row], formula: _Row, width: int) -> Line:
    """In one line, under the formula: how far the rank that holds most is from it in each kind."""
    most = max(rows, key=lambda row: row.total or 0)
    known = [
        (kind, _apart(held, wanted))
        for kind, held, wanted in zip(categories.MEMORY, most.held, formula.held, strict=True)
        if wanted is not None
    ]
    for words in ([kind.word for kind, _ in known], [kind.short for kind, _ in known]):
        spans = [Span(f"{'off by':<{_LABEL - 2}}", DIM)]
        for word, (kind, apart) in zip(words, known, strict=True):
            spans += [Span(f"  {word} ", Style(kind.ink)), apart]
        if cells.line_width(spans) <= width:
            break
    return tuple(spans)


def _apart(held: int | None, wanted: int | None) -> Span:
    if held is None or wanted is None:
        return Span(numbers.DASH, DIM)
    if held == wanted:
        return Span("equal", Style("good"))
    if not wanted:
        return Span("+" + numbers.size(held), Style("warning"))
    part = held / wanted - 1
    text = f"{part * 100:+.1f} %" if abs(part) < 9.995 else f"x {held / wanted:.0f}"
    return Span(text, Style("good" if abs(part) <= CLOSE else "warning"))


# --- figures --------------------------------------------------------------------------------------------


def _of(row: RankRow, snapshot: Snapshot) -> _Row:
    return _Row(
        f"rank {row.rank}",
        HEAD,
        tuple(getattr(row, kind.field) for kind in categories.MEMORY),
        row.peak,
    )


def _formula(snapshot: Snapshot) -> _Row | None:
    if not snapshot.formula:
        return None
    held = tuple(snapshot.formula.get(k.field) for k in categories.MEMORY)
    if not any(held):  # a peak alone has no parts to draw
        return None
    return _Row("formula", THEORY, held, snapshot.formula.get("peak"))


def _alike(rows: Sequence[_Row]) -> list[_Row]:
    """Neighbours that hold the same as one row."""
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row[2:])]
    labels = [f"{group[0].label}–{group[-1].label.split()[-1]}" for group in groups]
    return [
        group[0]._replace(label=label if len(label) < _LABEL else label.split()[-1])
        if len(group) > 1
        else group[0]
        for group, label in zip(groups, labels, strict=True)
    ]


def _fewer(rows: list[_Row], most: int) -> list[_Row]:
    """All ranks, or where they do not fit the one that holds most, the mean, and the one that holds least."""
    if len(rows) <= most:
        return rows
    order = sorted(rows, key=lambda row: -(row.total or 0))
    mean = _Row(
        "mean",
        DIM,
        tuple(_mean([row.held[n] for row in rows]) for n in range(len(categories.MEMORY))),
        _mean([row.peak for row in rows]),
    )
    return [order[0], mean][:most] if most < 3 else [*order[: most - 2], mean, order[-1]]


def _mean(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return round(fmean(known)) if known and len(known) == len(sizes) else None


def _used(rows: Sequence[_Row]) -> list[Kind]:
    return [kind for n, kind in enumerate(categories.MEMORY) if any(row.held[n] for row in rows)]
