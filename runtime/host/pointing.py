"""What is pointed at in a class, kept for as long as its slide is shown, and how its room looks: kept for
screens that come later."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from runtime.classroom.actions import AnyAction, Move, Show
from runtime.classroom.state import ClassState
from runtime.host.attached_screens import Screen
from runtime.protocol.class_messages.pointing import MOST_MARKS, Point
from runtime.protocol.class_messages.room_look import LONGEST, RoomLook


class Pointing:
    """The newest `Point` and `RoomLook` of a class."""

    def __init__(self) -> None:
        self._now = Point("")
        self._look = RoomLook()

    def take(
        self, sender: Screen, point: Point | RoomLook, state: ClassState, screens: Iterable[Screen]
    ) -> None:
        """Keep what the driving console points at, or how it has the room look, and tell everybody else."""
        if isinstance(point, RoomLook):
            if all(len(word) <= LONGEST for word in point.words):
                self._look = point
                self.dress(screen for screen in screens if screen is not sender)
        elif point.slide == state.pos.slide and len(point.pen) <= MOST_MARKS:
            if point.seen is not None and not point.seen.sane:
                point = replace(point, seen=None)
            self._now = point
            self.tell(state, (screen for screen in screens if screen is not sender))

    def after(self, action: AnyAction, state: ClassState, screens: Iterable[Screen]) -> None:
        """With the slide it is gone; a room that was frozen catches up."""
        if isinstance(action, Move) and self._now.slide != state.pos.slide:
            self._now = Point("")
        elif isinstance(action, Show) and self._now.slide:
            self.tell(state, screens)

    def welcome(self, screen: Screen, state: ClassState) -> None:
        """Tell a screen that has come what stands now."""
        self.tell(state, (screen,))
        self.dress((screen,))

    def dress(self, screens: Iterable[Screen]) -> None:
        """Say how the room looks to screens that know such messages, once anybody has said so."""
        for screen in screens:
            if screen.sees_looks and any(self._look.words):
                screen.send(self._look)

    def tell(self, state: ClassState, screens: Iterable[Screen]) -> None:
        """Show it to screens that know such messages; to the room while it is not frozen."""
        for screen in screens:
            if screen.sees_pointing and self._now.slide and (screen.role == "console" or not state.stands):
                screen.send(self._now)
