"""A recorded run that is shown in place of a live one: it stands, goes on, is looked through."""

from __future__ import annotations

from runtime.protocol.figures import Playback
from tui.classroom.room import Room

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)
LEAP = 1 / 20  # of its length, for a key


class Replay:
    """That of the slide shown, while there is one. All that is known of it comes with its snapshots."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._speed = 1.0

    @property
    def playback(self) -> Playback | None:
        """Where the recorded run on this slide stands; None where it is not a recorded one."""
        snapshot = self._room.snapshot()
        return snapshot.playback if snapshot is not None else None

    def toggle(self) -> bool:
        """Stand, or go on as fast as before; from its end begin again. False where nothing is replayed."""
        playback = self.playback
        if playback is None:
            return False
        at_end = playback.at_s >= playback.length_s
        if playback.speed and not at_end:
            self._speed = playback.speed
            self._room.of_run.seek(None, 0.0)
        else:
            self._room.of_run.seek(0.0 if at_end else None, self._speed)
        return True

    def scrub(self, by: int) -> bool:
        """A twentieth of it on or back."""
        playback = self.playback
        if playback is None:
            return False
        at_s = playback.at_s + by * max(0.1, LEAP * playback.length_s)
        self._room.of_run.seek(max(0.0, min(playback.length_s, at_s)), playback.speed)
        return True

    def faster(self, by: int) -> bool:
        """At the next speed above, or below. False where nothing is replayed."""
        playback = self.playback
        if playback is None:
            return False
        now = playback.speed or self._speed
        near = min(range(len(SPEEDS)), key=lambda n: abs(SPEEDS[n] - now))
        self.pace(SPEEDS[max(0, min(len(SPEEDS) - 1, near + by))])
        return True

    def pace(self, speed: float) -> None:
        """Play the recorded run at `speed` times its own pace."""
        self._speed = speed
        self._room.of_run.seek(None, speed)
