"""A deck that goes on by itself, and one that speaks."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup
from tui.keys.table import key_of
from tui.playback.autoplay import frames


class PlaybackActions(ActionGroup):
    """Keys for autoplay and narration."""

    def play(self) -> None:
        """The step that the room of a run shows stands or goes on; else a recorded run; else the deck."""
        if not self._classroom.run_room.toggle():
            self._screen.player.toggle()

    def pace(self, by: int) -> None:
        """Show a step of a run, play a recorded run or the steps of a scene faster, or slower."""
        said = self._paced(by)
        if said:
            self._screen.say(said, "dim")

    def _paced(self, by: int) -> str:
        if self._classroom.run_room.faster(by):
            return ""  # it stands beside the step
        if self._screen.replay.faster(by):
            return ""  # it stands beside the run
        if not frames(self._session.slide):
            return "nothing moves on this slide"
        pace = self._screen.player.autoplay.faster(by)
        return f"scenes play {pace:g} times as fast: {key_of('play')} plays"

    def narrate(self) -> None:
        """The notes of each step as captions, and aloud where this machine can."""
        self._screen.player.narrate()
