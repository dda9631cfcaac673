"""The collectives of a step by kind and group: how much, how fast, how much of it was stood still for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from runtime.protocol.figures import OpRow, RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories, numbers
from tui.views.parts.frame import DIM, Column, columned, dash, fitting, framed, nothing, used
from tui.views.parts.headline import FROM, headline
from tui.views.parts.run_totals import counts
from tui.views.run.timeline import OWN, stood_for, timeline

FAINT, OP = Style("faint"), Style("heading", bold=True)
_BAR = (10, 60)  # least and most cells of the bars of time
_FOOT = 8  # rows that what stands below the table has, before a blank row parts the bars
_APART = 4  # cells between words and what stands at their right
_MEANT = "algbw is bytes per time; busbw is what every link carries for it (nccl-tests)"


class Exposure(NamedTuple):
    """Seconds of a kind of collective in the step shown, all ranks together, and of those in which a rank
    stood still for it, or for another rank that had not come to a later one."""

    total: float = 0.0
    stood: float = 0.0
    waited: float = 0.0


def collectives(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    if not snapshot.ops:
        return _without_rows(snapshot, width, height)
    large = _costliest(snapshot, width) if height >= FROM[1] and width >= FROM[0] else []
    lines, marks = _stacked(snapshot, width, height, large)
    if large and not marks:  # what each rank did says more than the same in large letters
        small, marks = _stacked(snapshot, width, height, [])
        lines = small if marks else lines
    return framed([*lines, *marks], width, height)


def _stacked(snapshot: Snapshot, width: int, height: int, large: list[Line]) -> tuple[list[Line], list[Line]]:
    """What there is to say of each kind below `large` letters; what each rank did, where that has room."""
    lines = [*large, *_table(snapshot, width, max(1, height - len(large) - 2), apart=bool(large))]
    share = _share(snapshot, width)
    airy = height >= len(lines) + 6
    lines += [*[()] * airy, share]
    links = _links(snapshot, width)
    below = len(snapshot.timeline) + 3  # its title, its axis and a blank line
    if large and links and (words := _words_beside(snapshot, links, width)):
        lines += [(), *words]
        links = []
    else:
        if height > len(lines):
            lines.append((Span(_MEANT if cells.width(_MEANT) <= width else _MEANT.partition(";")[0], DIM),))
        wire = _wire(snapshot, width)
        if height >= len(lines) + len(wire) + airy:
            lines += wire
    if links and height >= len(lines) + len(links) + 1 + below:
        lines += [(), *links]
    room = height - len(lines) - 1
    fits = snapshot.timeline and room >= len(snapshot.timeline) + 2  # its title and its axis
    return lines, [(), *timeline(snapshot, width, room)] if fits else []


def exposures(snapshot: Snapshot) -> dict[str, Exposure]:
    """By kind of collective, from the marks of the step shown."""
    found: dict[str, Exposure] = {}
    for marks in snapshot.timeline:
        stood, waited = stood_for(marks, "exposed"), stood_for(marks, "wait")
        for bar in marks:
            if bar.kind not in OWN:
                total, stood_s, waited_s = found.get(bar.kind, Exposure())
                found[bar.kind] = Exposure(
                    total + bar.t1 - bar.t0, stood_s + stood(bar), waited_s + waited(bar)
                )
    return found


def _table(snapshot: Snapshot, width: int, height: int, *, apart: bool) -> list[Line]:
    ops = sorted(snapshot.ops, key=lambda row: -row.bytes * max(row.calls, 1e-9))
    shown = ops if len(ops) + 1 <= height else ops[: max(1, height - 2)]
    columns = fitting(_columns(snapshot, shown), width)
    room = width - used(columns) - 3
    bars: list[Line] = []
    if room >= _BAR[0] and any(row.seconds for row in shown):
        bars = _bars(snapshot, shown, min(room, _BAR[1]))
    lines = columned(columns, bars)
    if apart and bars and height >= 2 * len(ops) + _FOOT:  # bars that touch are one
        lines = [lines[0], *(line for row in lines[1:] for line in ((), row))]
    if len(shown) < len(ops):
        lines.append((Span(f"and {len(ops) - len(shown)} more kinds", DIM),))
    return lines


def _columns(snapshot: Snapshot, rows: Sequence[OpRow]) -> list[Column]:
    """The needs say what goes first where it is narrow: what can be told from the other columns."""
    exposed = exposures(snapshot)
    stood = [exposed.get(row.op) for row in rows]
    group = 2 if len({row.group for row in rows}) > 1 else 9  # it tells what shards from what replicates
    columns = [
        Column("collective", [Span(cells.clean(row.op), OP) for row in rows], 0, right=False),
        Column("group", [Span(cells.clean(row.group), DIM) for row in rows], group, right=False),
        Column("members", [Span(cells.clean(row.ranks), DIM) for row in rows], 8, right=False),
        Column("ranks", [Span(str(row.members)) for row in rows], 7),
        Column("a step", [Span(numbers.count(row.calls)) for row in rows], 1),
        Column("payload", [Span(numbers.size(row.bytes)) for row in rows], 2),
        Column("theory", [dash(numbers.size(row.theory)) for row in rows], 3),
        Column("each", [dash(_each(row)) for row in rows], 10),
        Column("time", [dash(numbers.ms(row.seconds)) for row in rows], 4),
        Column("algbw", [dash(_rate(row.algbw)) for row in rows], 8),
        Column("busbw", [dash(_rate(row.busbw)) for row in rows], 6),
        Column("exposed", [dash(_part(exposure)) for exposure in stood], 5),
    ]
    return [column for column in columns if column.head != "members" or any(row.ranks for row in rows)]


def _bars(snapshot: Snapshot, rows: Sequence[OpRow], width: int) -> list[Line]:
    """Under the legend a bar of each kind's time: what was hidden behind computing, what was exposed."""
    most = max(row.seconds or 0.0 for row in rows)
    exposed = exposures(snapshot)
    legend = [Span("   "), categories.HIDDEN.run(1), Span(" hidden  ", DIM), categories.EXPOSED.run(1)]
    legend.append(Span(" exposed", Style("exposed")))
    if any(exposure.waited for exposure in exposed.values()):
        legend += [Span("  "), categories.WAIT.run(1), Span(" rank waited for", DIM)]
    lines: list[Line] = [tuple(legend)]
    for row in rows:
        exposure = exposed.get(row.op)
        seconds = row.seconds or 0.0
        parts = [(categories.UNKNOWN, seconds)]
        if exposure and exposure.total > 0:
            total, stood, waited = exposure
            shares = {
                categories.HIDDEN: total - stood - waited,
                categories.EXPOSED: stood,
                categories.WAIT: waited,
            }
            parts = [(kind, seconds * max(0.0, share) / total) for kind, share in shares.items()]
        lines.append((Span("   "), *categories.time_bar(parts, most, width)))
    return lines


def _costliest(snapshot: Snapshot, width: int) -> list[Line]:
    """The kind that takes most of a step, in letters: its bytes, its time, how much of it is exposed."""
    timed = [row for row in snapshot.ops if row.seconds]
    if not timed:
        return []
    row = max(timed, key=lambda row: row.seconds or 0.0)
    exposed = _part(exposures(snapshot).get(row.op))
    known = exposed not in (numbers.DASH, numbers.percent(0.0))
    said = (
        Span(cells.clean(row.op), OP),
        Span(" · ", FAINT),
        Span(numbers.size(row.bytes)),
        Span(" · ", FAINT),
        Span(numbers.ms(row.seconds)),
        *((Span(" · ", FAINT), Span(f"{exposed} exposed", Style("exposed"))) if known else ()),
    )
    drawn = headline(said, width)
    return [(Span("takes most of the time, in a step", DIM),), *drawn, ()] if drawn else []


def _share(snapshot: Snapshot, width: int) -> Line:
    """What all collectives of a step cost: bytes, hidden, exposed, waited for."""
    exposed = _mean([row.exposed for row in snapshot.rows])
    wait = _mean([row.wait for row in snapshot.rows])
    parts: list[Line] = [
        (Span("a step and rank: ", DIM), *counts(snapshot.payload, snapshot.wire, snapshot.theory)),
        (Span("hidden behind computing ", DIM), Span(numbers.percent(snapshot.overlap))),
        (Span("exposed ", DIM), Span(numbers.ms(exposed)), Span(" a step", DIM)),
        (Span("wait for the last rank ", DIM), Span(numbers.known(wait, snapshot.within_s))),
    ]
    line: Line = parts[0]
    for part in parts[1:]:
        longer = (*line, Span("  ·  ", Style("faint")), *part)
        line = longer if cells.line_width(longer) <= width else line
    return line


def _wire(snapshot: Snapshot, width: int) -> list[Line]:
    """What the three counts of bytes are, and why they differ, or why one is missing."""
    said = ["payload: handed to the library · wire: measured · theory: the least possible"]
    said += [f"wire not known: {snapshot.no_wire}"] if snapshot.no_wire else snapshot.costs
    return [line for words in said for line in cells.wrap((Span(cells.clean(words), DIM),), width)]


def _links(snapshot: Snapshot, width: int) -> list[Line]:
    """Bytes a step over every link: from the rank of a row to the rank of a column."""
    rows = [row for row in snapshot.rows if row.links]
    if not rows:
        return []
    head = [Span(str(row.rank), OP) for row in rows]
    columns = [Column("on the wire, from rank", head, 0, right=False)]
    for other in snapshot.rows:
        sizes = [_link(row, other.rank) for row in rows]
        columns.append(Column(f"to {other.rank}", sizes, 0))
    return columned(columns) if used(columns) <= width else []


def _words_beside(snapshot: Snapshot, links: Sequence[Line], width: int) -> list[Line]:
    """What the words of the table mean, in the rows of the links at their right; empty without room."""
    cells_left = width - cells.line_width(links[0]) - _APART
    words = [(Span(_MEANT, DIM),), *_wire(snapshot, max(1, cells_left))]
    if cells_left < cells.width(_MEANT) or len(words) > len(links):
        return []
    words += [()] * (len(links) - len(words))
    return [
        (*cells.fit(left, cells_left), Span(" " * _APART), *right)
        for left, right in zip(words, links, strict=True)
    ]


def _link(row: RankRow, other: int) -> Span:
    return Span("") if other == row.rank else dash(numbers.size(row.links.get(other)))


def _without_rows(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Bytes by kind where no more is known; why there is nothing where not even that is."""
    if not snapshot.bytes_by_op:
        waits = snapshot.state in ("launching", "running") and snapshot.collectives is None
        why = "known after the first step" if waits else "no collective was seen in a step"
        return nothing("collectives", why, width, height)
    names = [Span(cells.clean(op), OP) for op in snapshot.bytes_by_op]
    sizes = [Span(numbers.size(size)) for size in snapshot.bytes_by_op.values()]
    lines = columned([Column("collective", names, right=False), Column("payload a step", sizes)])
    return framed([*lines, (), _share(snapshot, width)], width, height)


# --- figures --------------------------------------------------------------------------------------------


def _each(row: OpRow) -> str:
    return numbers.size(row.bytes / row.calls) if row.calls > 0 else numbers.DASH


def _rate(bytes_s: float | None) -> str:
    return numbers.DASH if bytes_s is None else f"{numbers.size(bytes_s)}/s"


def _part(exposure: Exposure | None) -> str:
    share = exposure.stood / exposure.total if exposure and exposure.total > 0 else None
    return numbers.percent(share)


def _mean(seconds: Sequence[float | None]) -> float | None:
    known = [value for value in seconds if value is not None]
    return math.fsum(value / len(known) for value in known) if known else None
