"""The ways out: a demo first, then the screen, and with the last console the class."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.classroom.quit_warning import end_class, ends, stake
from tui.screens.overlay import Ask

AGAIN_S = 3.0  # how long a first ctrl+c counts


class LeaveActions(ActionGroup):
    """Keys for leaving the screen or ending the class."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._armed = False

    async def quit(self) -> None:
        """Leave; where something would be lost, ask first."""
        if words := self._stake():
            question = f"{words[0].upper()}{words[1:]}. End the class?"
            await self._screen.cover(Ask(self._screen.painter, question, self._answered))
        else:
            self._leave()

    def _stake(self) -> str:
        return stake(self._room)

    async def _answered(self, yes: bool) -> None:
        self._leave()

    def interrupt(self) -> None:
        """ctrl+c: a running demo first, then the screen."""
        if self._armed:
            self._leave()
            return
        living = self._room.living() if self._session.role == "console" else []
        for block in living:
            self._room.stop(block)
        self._armed = True
        self._classroom.later(AGAIN_S, self._disarm)
        again = "ctrl+c again ends the class" if ends(self._room) else "ctrl+c again quits"
        self._screen.say(f"the demo is stopping; {again}" if living else again)

    def _disarm(self) -> None:
        self._armed = False

    def _leave(self) -> None:
        self._screen.run_worker(self._go(), exclusive=True, group="leave")

    async def _go(self) -> None:
        """The last console ends the class and everything of it; any other screen only goes away."""
        room = self._room
        word = ""
        if room.linked and self._session.role == "console" and not room.ended:
            if room.consoles > 1:
                word = f"this screen left; other consoles still open: {room.consoles - 1}"
            else:
                self._screen.say("ending the class …", "dim")
                word = await end_class(room)
        await room.close()
        self._screen.exit(word)
