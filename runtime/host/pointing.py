"""What is pointed at in a class, kept for screens that come later and for as long as its slide is shown."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.classroom.actions import AnyAction, Move, Show
from runtime.classroom.state import ClassState
from runtime.host.attachments import Screen
from runtime.protocol.pointing import MOST_MARKS, Point


class Pointing:
    """The newest `Point` of a class."""

    def __init__(self) -> None:
        self._now = Point("")

    def take(self, sender: Screen, point: Point, state: ClassState, screens: Iterable[Screen]) -> None:
        """Keep what the driving console points at, and show it to everybody else."""
        if point.slide == state.pos.slide and len(point.pen) <= MOST_MARKS:
            self._now = point
            self.tell(state, (screen for screen in screens if screen is not sender))

    def after(self, action: AnyAction, state: ClassState, screens: Iterable[Screen]) -> None:
        """With the slide it is gone; a room that was frozen catches up."""
        if isinstance(action, Move) and self._now.slide != state.pos.slide:
            self._now = Point("")
        elif isinstance(action, Show) and self._now.slide:
            self.tell(state, screens)

    def tell(self, state: ClassState, screens: Iterable[Screen]) -> None:
        """Show it to screens that know such messages; to the room while it is not frozen."""
        for screen in screens:
            if screen.sees_pointing and self._now.slide and (screen.role == "console" or not state.stands):
                screen.send(self._now)
