"""What an action may use of the screen at which its key was pressed; the app is one."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.geometry import Size

    from tui.classroom.position.jumps_and_bookmark import History
    from tui.classroom.room import Room
    from tui.classroom.runs.replay import Replay
    from tui.classroom.session import Session
    from tui.playback.player import Player
    from tui.recording.controller import RecordingController
    from tui.rendering.themed_strips import Painter
    from tui.screens.classroom import Classroom
    from tui.screens.overlay import Overlay


class ScreenContext(Protocol):
    """One screen of a class: what it knows, and the few things that are done to it as a whole."""

    session: Session
    room: Room
    replay: Replay
    history: History
    painter: Painter
    look: str  # the name of the theme worn
    clicks: bool  # whether the terminal reports its mouse

    @property
    def classroom(self) -> Classroom:
        """The screen that shows slide, panel, notes and footer."""

    @property
    def player(self) -> Player:
        """Autoplay and narration; made when it is first asked for."""

    @property
    def studio(self) -> RecordingController:
        """The recording of this screen; made when it is first asked for."""

    @property
    def size(self) -> Size:
        """Columns and rows of the terminal."""

    @property
    def is_running(self) -> bool:
        """Whether the app still runs; threads ask before they report to it."""

    async def do(self, name: str) -> None:
        """Do an action by its name, as if its key had been pressed."""

    def say(self, text: str, ink: str = "warning") -> None:
        """A passing line in the place of the hints."""

    async def cover(self, overlay: Overlay) -> None:
        """Lay a list, a question or a card over the class."""

    def moved(self, moved: bool) -> None:
        """Show the place of the session, if it is another one."""

    def jumped(self, place: tuple[int, int]) -> None:
        """Go to a slide and step, and remember where from."""

    def wear(self, theme: str, chosen: bool = True) -> None:
        """Take the colours of a theme; one that was `chosen` is not a deck's to change."""

    def wish_pictures(self, way: str) -> None:
        """How pictures are to be drawn: one of `settings.PICTURES`."""

    def stop_playing(self) -> None:
        """Pause a deck that goes on by itself."""

    def cancel_recording(self) -> bool:
        """End the countdown to a recording; False where none counts down."""

    def to_terminal(self, sequence: str) -> None:
        """Say something to the terminal besides what is painted: a clipboard's contents."""

    def run_worker(
        self, work: Coroutine[Any, Any, None], *, group: str = "default", exclusive: bool = False
    ) -> object:
        """Run beside the keys; a worker that is `exclusive` ends the others of its group."""

    def call_later(self, callback: Callable[[], object], /) -> object:
        """Once what was pressed before has been done."""

    def exit(self, word: str, /) -> None:
        """Leave; `word` is said when the terminal is back to normal."""
