"""The question on the slide shown."""

from __future__ import annotations

from tui.deeds import Deeds


class Asking(Deeds):
    async def reveal(self) -> None:
        """The answer with its explanations; on a slide without an open question the demo's parameters."""
        current = self._room.answering.current()
        if (current is None or current[1].phase == "revealed") and self._room.demo() is not None:
            await self._app.do("edit")
        else:
            self._app.say(self._room.answering.reveal())
            self._classroom.show()

    def undo(self) -> None:
        if not self._session.undo():
            self._app.say("nothing of this screen to take back", "dim")
