"""What a recording and autoplay, which accompany a class, may use of its screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from slides.drawing.text import Line
from tui.classroom.position.place_in_talk import Badge
from tui.classroom.room import Room
from tui.classroom.runs.replay import Replay
from tui.classroom.session import Session
from tui.rendering.frame_clock import FrameClock
from tui.rendering.themed_strips import Painter


class ClassScreen(Protocol):
    """The slide and the lines around it."""

    signs: list[Callable[[], Badge | None]]  # in the footer
    notice: Callable[[int], Line] | None  # in the place of the hints, by the columns there are
    banner: Callable[[int], Line]  # the same, while nothing passing is said there
    frames: FrameClock

    @property
    def console_layout(self) -> bool:
        """Whether notes stand beside the slide."""

    def show(self) -> None:
        """Draw the place of the session and all that goes with it."""

    def unsay(self) -> bool:
        """Take the passing line away; False where there is none."""

    def show_caption(self, text: str | None) -> None:
        """What is said now, under the slide; "" keeps its place, None gives it back."""

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call `call` after `seconds`, on the loop of the app."""


class ClassProgram(Protocol):
    """A class, and its screen."""

    session: Session
    room: Room
    replay: Replay
    painter: Painter

    @property
    def classroom(self) -> ClassScreen:
        """The screen of the class."""

    def say(self, text: str, ink: str = "warning") -> None:
        """A passing line in the place of the hints."""

    def moved(self, moved: bool) -> None:
        """Show the place of the session, if it is another one."""
