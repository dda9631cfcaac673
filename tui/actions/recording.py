"""The recording of this screen."""

from __future__ import annotations

from tui.actions.base import ActionGroup


class RecordingActions(ActionGroup):
    def record(self) -> None:
        self._screen.studio.press()
