"""What would end with a screen that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.classroom.room import Room


def ends(room: Room) -> bool:
    """Whether the class ends with this screen."""
    return room.linked and room.session.role == "console" and not room.ended and room.consoles <= 1


def stake(room: Room) -> str:
    """What somebody would miss of what ends with this screen, in words; "": nothing."""
    if room.session.role != "console" or room.consoles > 1 or room.ended:
        return ""
    from slides.drawing.linear import many

    shown = room.answering.current()
    asked = [question for question in room.session.state.questions.values() if question.phase == "open"]
    is_open = (shown is not None and shown[1] in asked) or any(question.people for question in asked)
    follow = f"{many(room.audiences, 'screen')} {'follows' if room.audiences == 1 else 'follow'}"
    parts = (
        ("a demo runs", bool(room.living())),
        (follow, room.audiences > 0),
        ("a question is open", is_open),
    )
    return ", ".join(words for words, so in parts if so)
