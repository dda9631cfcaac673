"""What would end with a screen that is left, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.classroom.room import Room


LIVE_S = 60.0  # a clock that has gone so long is a class, not a look at a deck


def ends(room: Room) -> bool:
    """Whether the class ends with this screen."""
    return room.linked and room.session.role == "console" and not room.ended and room.consoles <= 1


def stake(room: Room) -> str:
    """What somebody would miss of what ends with this screen, in words; "": nothing."""
    if room.session.role != "console" or room.consoles > 1 or room.ended:
        return ""
    from slides.drawing.screen_reader_lines import many

    shown = room.answering.current()
    asked = [question for question in room.session.state.questions.values() if question.phase == "open"]
    is_open = (shown is not None and shown[1] in asked) or any(question.people for question in asked)
    follow = f"{many(room.audiences, 'screen')} {'follows' if room.audiences == 1 else 'follow'}"
    counts = room.session.state.timer.counts and not room.rehearsal
    parts = (
        ("a demo runs", bool(room.living())),
        (follow, room.audiences > 0),
        ("a question is open", is_open),
        ("the class is under way", counts and room.session.elapsed >= LIVE_S),
    )
    return ", ".join(words for words, so in parts if so)


async def end_class(room: Room) -> str:
    """Shut the class down; what became of it, in one line for the normal screen."""
    from slides.drawing import cells

    if room.refused:
        return f"this screen had no class: {cells.clean(room.refused)}"
    ranks = sum(room.snapshots[block].world for block in room.living() if block in room.snapshots)
    report = await room.shutdown()
    ended = f"{ranks} ranks ended" if ranks else "no demo was running"
    if report is None:
        return "the host did not answer; `teachrun ps` shows what still runs, `teachrun stop` ends it"
    left = "nothing left" if not report.left else f"{report.left} processes are left: see `teachrun ps`"
    return f"class {report.class_id} ended: {ended}, {left}"
