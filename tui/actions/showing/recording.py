"""The recording of this screen."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup


class RecordingActions(ActionGroup):
    """Key for recording the screen."""

    def record(self) -> None:
        """Start or stop the recording."""
        self._screen.studio.press()
