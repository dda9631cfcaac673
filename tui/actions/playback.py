"""A deck that goes on by itself, and one that speaks."""

from __future__ import annotations

from tui.actions.base import ActionGroup


class PlaybackActions(ActionGroup):
    """Keys for autoplay and narration."""

    def play(self) -> None:
        """The step that the room of a run shows stands or goes on; else a recorded run; else the deck."""
        if not self._classroom.run_room.toggle():
            self._screen.player.toggle()

    def narrate(self) -> None:
        """The notes of each step as captions, and aloud where this machine can."""
        self._screen.player.narrate()
