"""The views of a run, a row each; looking one up by its name, and the line that says which one is shown.

A view with a digit is one key away; any other is in the list of views (`V`).
"""

from __future__ import annotations

from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.machine_room_known import room_known
from tui.views.view import PLAIN_PAINT, Paint, View

DIM, KEY = Style("dim"), Style("accent", bold=True)
HERE = Style("heading", "select", bold=True)
MOST_RANKS = 8  # that a chart beside the table makes room for


# --- draw, and rows -------------------------------------------------------------------------------------
# Each view is imported when it is first looked at: most never are.


def _table(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.parts.ranks.rank_details import details

    return details(snapshot, width, height, rank)


def _loss(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.loss import loss

    return loss(snapshot, width, height)


def _timeline(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.timeline import xray

    return xray(snapshot, width, height)


def _timeline_rows(snapshot: Snapshot) -> int:
    from tui.views.run.timeline import MOST

    return 3 + min(MOST, len(snapshot.timeline))


def _memory(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.memory import memory

    return memory(snapshot, width, height)


def _collectives(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.collectives import collectives

    return collectives(snapshot, width, height)


def _pipeline(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.pipeline import pipeline

    return pipeline(snapshot, width, height)


def _buffers(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.buffers import buffers

    return buffers(snapshot, width, height)


def _buffers_rows(snapshot: Snapshot) -> int:
    from tui.views.run.buffers import rows_of

    return rows_of(snapshot)


def _log(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.log import log

    return log(snapshot, width, height, rank)


def _launch(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.launch import launch

    return launch(snapshot, width, height)


def _topology(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
    from tui.views.run.topology import topology

    return topology(snapshot, width, height)


def _room(snapshot: Snapshot, width: int, height: int, paint: Paint = PLAIN_PAINT) -> list[Line]:
    from tui.views.run.machine_room import room

    return room(
        snapshot, width, height, paint.palette, paint.surface, paint.playing(), paint.camera, paint.pixels
    )


def _tensors(snapshot: Snapshot, width: int, height: int, paint: Paint = PLAIN_PAINT) -> list[Line]:
    from tui.views.run.tensors import tensors

    return tensors(snapshot, width, height, paint.palette, paint.surface, paint.playing(), paint.pixels)


# --- the table ------------------------------------------------------------------------------------------

OURS: dict[str, View] = {
    view.name: view
    for view in (
        View(
            "table", "The ranks", _table,
            digit=1, in_handout=False,  # a handout has a table of its own
        ),
        View(
            "loss", "Loss by step", _loss, lambda s: bool(s.curves),
            digit=2,
        ),
        View(
            "timeline", "One step of every rank", _timeline, lambda s: bool(s.timeline), _timeline_rows,
            digit=3, short="time",
        ),
        View(
            "memory", "Memory of the ranks, beside the formula", _memory,
            lambda s: any(row.params is not None for row in s.rows), lambda s: 3 + min(MOST_RANKS, s.world),
            digit=4, short="mem",
        ),
        View(
            "collectives", "Collectives of a step", _collectives,
            lambda s: bool(s.ops or s.bytes_by_op), lambda s: 3 + min(MOST_RANKS, len(s.ops)),
            digit=5, short="coll",
        ),
        View(
            "pipeline", "The pipeline's step, beside its schedule", _pipeline,
            lambda s: s.pipeline is not None, lambda s: 2 * s.world + 4,
            digit=6, short="pipe",
        ),
        View(
            "buffers", "Buffers of the ranks", _buffers, lambda s: _buffers_rows(s) > 0, _buffers_rows,
            digit=7, short="buf",
        ),
        View(
            "log", "The last lines of every rank", _log, lambda s: any(s.tails),
            digit=8, in_handout=False,
        ),
        View(
            "launch", "Launch and recovery", _launch, lambda s: bool(s.phases or s.recoveries),
            lambda s: 2 + max(len(s.phases), *(len(r.phases) for r in s.recoveries), 0),
            digit=9,
        ),
        View(
            "room", "The machines, and what each rank holds", lambda s, w, h, rank: _room(s, w, h),
            room_known, lambda s: 12, in_handout=False, painted=_room,
        ),
        View(
            "tensors", "The tensors, and whose part of each lies where",
            lambda s, w, h, rank: _tensors(s, w, h), room_known, lambda s: s.world + 4, in_handout=False,
            painted=_tensors,
        ),
        View(
            "topology", "The nodes, and what goes over each link", _topology,
            lambda s: bool(s.routes) or any(row.links for row in s.rows), lambda s: 2 * s.world + 4,
        ),
    )
}  # fmt: skip
DIGITS = {view.digit: name for name, view in OURS.items() if view.digit}


def find(name: str) -> View | None:
    """The view of that name, ours or one that another installed package brings."""
    if name in OURS or not name:
        return OURS.get(name)
    from tui.views import plugins

    return plugins.find(name)


def every() -> list[View]:
    """All there are, ours first: for a list, as it imports what other packages bring."""
    from tui.views import plugins

    return [*OURS.values(), *plugins.every(OURS)]


def view(
    name: str,
    snapshot: Snapshot,
    width: int,
    height: int,
    rank: int | None = None,
    paint: Paint = PLAIN_PAINT,
) -> list[Line]:
    """The view of that name: exactly `height` lines of exactly `width` cells. `rank` is pointed at."""
    found = find(name) or OURS["table"]
    if found.painted is not None:
        return found.painted(snapshot, width, height, paint)
    return found.draw(snapshot, width, height, rank)


def needs(name: str, snapshot: Snapshot) -> int:
    """Rows without which it is no help beside the table."""
    return (find(name) or OURS["table"]).rows(snapshot)


def titled(name: str) -> str:
    """A view's name behind the digit that chooses it, if one does."""
    digit = OURS[name].digit if name in OURS else 0
    return f"{digit} {name}" if digit else name


def offered(snapshot: Snapshot) -> dict[int, str]:
    """The views with a digit that have something to say of this run, by their digits.

    Before its first steps it is not known what there will be: all of them.
    """
    from tui.views.run.table import settled

    known = settled(snapshot)
    return {digit: name for digit, name in DIGITS.items() if not known or OURS[name].has(snapshot)}


def tabs(shown: str, snapshot: Snapshot, width: int, *, hints: bool = True) -> Line:
    """The views of this run with their digits, the one shown set off; as much as fits, that one first."""
    if not hints:
        return (Span(f" {cells.clean(shown)} ", HERE),)
    listed: Line = () if shown in DIGITS.values() else (Span(f" {cells.clean(shown)} ", HERE),)
    there = offered(snapshot)
    for gap, short in (("   ", False), ("  ", False), (" ", False), (" ", True)):
        spans: list[Span] = []
        for digit, name in DIGITS.items():
            here = name == shown
            if not here and digit not in there:
                continue
            word = OURS[name].short or name if short else name
            spans += (
                [Span(f" {digit} {name} ", HERE)] if here else [Span(f"{digit}", KEY), Span(f" {word}", DIM)]
            )
            spans.append(Span(gap))
        apart = () if short else (Span(gap),)  # the name of the view shown brings blanks of its own
        if listed and short:
            spans.pop()
        line = (*spans, *listed, *apart * bool(listed), Span("0", KEY), Span(" back", DIM))
        if cells.line_width(line) <= width:
            return line
    said = (Span(f" {cells.clean(shown)} ", HERE), Span(" 1-9", KEY), Span(" others", DIM))
    return cells.clip(said, width)
