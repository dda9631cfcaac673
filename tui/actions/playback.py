"""A deck that goes on by itself, and one that speaks."""

from __future__ import annotations

from tui.actions.base import ActionGroup


class PlaybackActions(ActionGroup):
    """Keys for autoplay and narration."""

    def play(self) -> None:
        """Pause; else a recorded run stands or goes on; else the deck plays from here."""
        self._screen.player.toggle()

    def narrate(self) -> None:
        """The notes of each step as captions, and aloud where this machine can."""
        self._screen.player.narrate()
