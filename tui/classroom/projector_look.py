"""How the room's screens look, as the console that drives has said: told to them, or heard from it. Pure.

What such a wish does to a screen is in `tui.actions.showing.appearance`.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.messages import Message
from tui.classroom.session import Session

NOTHING = RoomLook()


class RoomLooks:
    """The newest wish of a class."""

    def __init__(self, session: Session, send: Callable[[Message], None]) -> None:
        self._session, self._send = session, send
        self._knows = False  # the host does
        self.now = NOTHING
        self.changed: Callable[[], None] = lambda: None

    def wish(self, **words: str) -> bool:
        """Give the room another theme, text, pictures or motion; False where nobody hears of it."""
        if not self._says:
            return False
        self.now = replace(self.now, **words)
        if self._knows:
            self._send(self.now)
        return self._knows

    def hear(self, look: RoomLook) -> None:
        """The room is to look so."""
        self.now = look
        self.changed()

    def attached(self, knows: bool) -> None:
        """A host is there; one that came back anew is told."""
        self._knows = knows
        if self.told and self.now != NOTHING:
            self._send(self.now)

    @property
    def told(self) -> bool:
        """A host hears what this screen wishes for the room."""
        return self._knows and self._says

    @property
    def _says(self) -> bool:
        return self._session.driving and self._session.role == "console"

    @property
    def said(self) -> tuple[str, ...]:
        """What was wished for, in words."""
        now = self.now
        pictures = {"": "", "auto": "", "blocks": "pictures in cells"}.get(now.pictures, now.pictures)
        motion = {"on": "motion", "off": "no motion"}.get(now.motion, "")
        parts = (now.theme, f"{now.text} text" if now.text not in ("", "normal") else "", pictures, motion)
        return tuple(part for part in parts if part)
