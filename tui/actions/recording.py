"""The recording of this screen."""

from __future__ import annotations

from tui.actions.base import ActionGroup


class Recording(ActionGroup):
    def record(self) -> None:
        self._app.studio.press()
