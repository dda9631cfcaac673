"""The place of a demo's panel on a class's screen: how many rows it takes, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from slides.drawing.text import Line
from tui.classroom.room import Room
from tui.classroom.runs import demo_requests
from tui.panes import screen_layout
from tui.panes.edges import footer_lines
from tui.views.view import PLAIN_PAINT, Paint

WORD_ROWS = 4  # of one that was refused
USUAL_RANKS = 4  # of one that was only started, where its line does not say how many


def rows(room: Room, needed: Callable[[], int], spare: int, height: int) -> int:
    """Of `spare` rows: what the slide, which would have `needed()`, leaves on a terminal of `height`."""
    demo, full = room.demo(), room.session.state.look.full
    if demo is None or (room.measuring.shown and not full):
        return 0
    snapshot = room.snapshots.get(demo.id)
    if snapshot is None and (demo.id in room.refusals or not room.alive(demo.id)):
        return WORD_ROWS if demo.id in room.refusals else 0
    if full:
        return spare
    # One that was only started has the rows that it will have: the slide is laid out anew but once.
    asked = demo.params.get("ranks", "")
    ranks = int(asked) if asked.isdecimal() and len(asked) < 5 else USUAL_RANKS
    return screen_layout.panel_rows(snapshot.world if snapshot else ranks, needed(), spare, height)


def lines(
    room: Room, width: int, height: int, paint: Paint = PLAIN_PAINT, *, seen: bool = False
) -> list[Line]:
    """What fits into `height` lines: why it was refused, that it is on its way, its figures; `seen` by the
    room, which is not told what earlier runs gave before it has predicted that."""
    demo = room.demo()
    if demo is None:
        return []
    snapshot = room.snapshots.get(demo.id)
    said = [footer_lines.rule(width)]
    if refused := room.refusals.get(demo.id):
        why, mend = refused
        said += [footer_lines.message(why, "bad", width), footer_lines.message(mend, "text", width)]
    elif snapshot is None:
        said.append(footer_lines.message(f"{demo.name}: {room.run_state(demo.id)} …", "dim", width))
    if snapshot is None or height <= len(said):
        return said
    from tui.views.panel import panel

    snapshot = demo_requests.shown(demo, snapshot)
    look, hints = room.session.state.look, room.session.role == "console"
    if (seen or not hints) and snapshot.earlier and _would_tell(room, demo.id):
        snapshot = replace(snapshot, earlier=())
    return said + panel(
        snapshot,
        width,
        height - len(said),
        hints=hints,
        seen=seen,
        view=look.view,
        rank=look.rank,
        paint=paint,
    )


def _would_tell(room: Room, block: str) -> bool:
    """Whether earlier runs of a block would answer what the room is still to answer."""
    from tui.classroom.answering.prediction import awaited

    asked = room.answering.current()
    if asked is not None and asked[1].phase != "revealed":
        return True
    session = room.session
    return awaited(session.contents, block, session.state.questions)
