"""The demo of the slide shown, and the question that stands on it."""

from __future__ import annotations

from slides.deck import Demo
from tui.deeds import Deeds


class Running(Deeds):
    def _demo_here(self) -> Demo | None:
        demo = self._room.demo()
        if demo is None:
            self._app.say("no demo on this slide", "dim")
        return demo

    def demo(self) -> None:
        if demo := self._demo_here():
            self._room.toggle_demo(demo)
            self._classroom.show()

    def restart_demo(self) -> None:
        if demo := self._demo_here():
            self._room.launch(demo)
            self._classroom.show()

    def panel(self) -> None:
        """Enter: lock an open question, else the panel full size and back."""
        if self._room.answering.taking:
            self._answered(self._room.answering.lock())
        elif (demo := self._room.demo()) is not None and demo.id in self._room.snapshots:
            self._classroom.full_panel = not self._classroom.full_panel
            self._classroom.show()

    def pick(self, number: int) -> None:
        self._answered(self._room.answering.pick(number - 1))

    def reveal(self) -> None:
        self._answered(self._room.answering.reveal())

    def undo(self) -> None:
        if not self._session.undo():
            self._app.say("nothing of this screen to take back", "dim")

    def _answered(self, complaint: str) -> None:
        self._app.say(complaint)
        self._classroom.show()
