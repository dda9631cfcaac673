"""Whether a screen shows the teacher's clock, percent and count of backup slides: the room's does where the
deck says so, as in `audience: clock percent backups` of its front matter."""

from __future__ import annotations

from typing import Literal

from tui.classroom.room import Room

Figure = Literal["clock", "percent", "backups"]


def room_sees(room: Room, barred: bool) -> bool:
    """Whether the room looks at this screen: an audience's, or a teacher's that is the only one there is and
    has no console around its slide (`barred`)."""
    private = barred or room.audiences > 0 or room.rehearsal
    return not (room.session.role == "console" and private)


def shown(figure: Figure, room: Room, barred: bool) -> bool:
    """Whether this screen says `figure`; where a key has set the clock it is shown whoever looks."""
    if figure == "clock" and room.session.shows_clock:
        return True
    told = room.session.contents.deck.meta.get("audience", "").replace(",", " ").split()
    return figure in told or not room_sees(room, barred)
