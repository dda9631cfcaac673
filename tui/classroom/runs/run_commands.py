"""What a screen has done to what runs on the slide shown, but for starting and stopping it."""

from __future__ import annotations

from collections.abc import Callable

from runtime.protocol.link_speeds import Speed
from runtime.protocol.messages import Break, Harm, Keys, Message, Seek, SetLink, Steer, TakeXRay
from slides.deck import Demo
from tui.classroom.runs.snippet_outputs import Outputs


class RunCommands:
    """Told to the host by `command`; `demo` is that of the slide shown, if it has one."""

    def __init__(
        self, command: Callable[[Message], None], demo: Callable[[], Demo | None], outputs: Outputs
    ) -> None:
        self._command, self._demo, self._outputs = command, demo, outputs
        self._fitted = ("", 0, 0)  # the run of a terminal, and the size it was told

    def type(self, text: str, pasted: bool = False) -> None:
        """Into the terminal that has the keys."""
        if block := self._outputs.typed_into():
            self._command(Keys(block, text, pasted))

    def fit(self, columns: int, rows: int) -> None:
        """The terminal that has the keys becomes as large as there is room for it here."""
        heard = self._outputs.open()
        if heard is None or heard.output.screen is None or heard.output.block != self._outputs.typed_into():
            return
        wanted = heard.output.run, columns, rows
        if wanted != self._fitted:
            self._fitted = wanted
            self._command(Keys(heard.output.block, "", False, columns, rows))

    # What follows is of the demo of the slide shown; without one nothing is sent.

    def steer(self, steps: int | None, pace_s: float) -> None:
        """Hold, step or slow the run on this slide; nothing happens without a demo."""
        if demo := self._demo():
            self._command(Steer(demo.id, steps, pace_s))

    def set_link(self, speed: Speed) -> None:
        """Hold the links between the nodes of the run on this slide to a speed."""
        if demo := self._demo():
            self._command(SetLink(demo.id, speed))

    def harm(self, rank: int, harm: Harm, amount: float) -> None:
        """Do `harm` to one rank of the run on this slide."""
        if demo := self._demo():
            self._command(Break(demo.id, rank, harm, amount))

    def x_ray(self) -> None:
        """Ask for an X-ray of the run on this slide."""
        if demo := self._demo():
            self._command(TakeXRay(demo.id))

    def seek(self, at_s: float | None, speed: float) -> None:
        """Move the recorded run on this slide; None for `at_s` keeps its place."""
        if demo := self._demo():
            self._command(Seek(demo.id, at_s, speed))
