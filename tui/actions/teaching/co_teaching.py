"""Two teachers, one class: who drives it, and who is there."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup
from tui.keys.table import key_of
from tui.panes import attached_screens


class CoTeachingActions(ActionGroup):
    """Keys for several consoles that drive one class."""

    def lead(self) -> None:
        """Drive alone; again: let everybody drive. While another one drives alone: take over."""
        self._session.lead()
        self._room.arrived()
        mine = self._session.state.lead == self._session.screen
        word = f"you drive alone now: {key_of('lead')} gives it back" if mine else "every console drives now"
        self._screen.say(word, "good")
        self._classroom.show()

    async def attached(self) -> None:
        """Every screen of the class, and which one drives."""
        from tui.screens.notice import Told

        await self._screen.cover(
            Told(
                self._screen.painter,
                "Attached to this class",
                lambda: attached_screens.lines(self._room),
                attached_screens.rows(self._room),
            )
        )
