"""What somebody who studies alone does otherwise than a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tui.actions.base import ActionGroup
from tui.actions.leave import Leaving
from tui.actions.navigation import Moving
from tui.actions.question import Asking

if TYPE_CHECKING:
    from tui.screens.study import StudyApp


class Stepping(Moving):
    """Behind the last slide is the end of the sitting."""

    def _say_end(self) -> None:
        if self._session.after() is None:
            self._app.call_later(self._app.doers["end_sitting"])


class Revealing(Asking):
    """Of a prediction there is nothing to see before it was measured."""

    _given_up = ""

    async def reveal(self) -> None:
        measuring, current = self._room.measuring, self._room.answering.current()
        demo = measuring.demo()
        lost = demo is not None and self._room.run_state(demo.id) == "lost"
        if measuring.pending and measuring.going and not lost:
            self._app.say("it is being measured; d stops", "dim")
        elif current is not None and measuring.pending and self._given_up != current[0].id:
            self._given_up = current[0].id
            self._app.say("d measures it; e again gives it up")
        else:
            await super().reveal()


class Homeward(Leaving):
    """`q` leads home, ctrl+c out of it all; whatever is pressed while the host ends its demos."""

    _home = False

    def _stake(self) -> str:
        """Whoever is alone may leave a question open: it comes back."""
        return "a demo runs" if self._room.living() else ""

    async def quit(self) -> None:
        self._home = True
        await super().quit()

    def interrupt(self) -> None:
        self._home = False
        super().interrupt()

    async def _go(self) -> None:
        cast("StudyApp", self._app).home_again = self._home
        await super()._go()


INSTEAD: dict[type[ActionGroup], type[ActionGroup]] = {Moving: Stepping, Asking: Revealing, Leaving: Homeward}
