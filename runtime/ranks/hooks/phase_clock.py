"""Divides a step's time among its phases, with nothing counted twice or left over."""

from __future__ import annotations

import time

now = time.monotonic


class PhaseClock:
    """Each moment belongs to one phase: entering one pauses the one around it."""

    def __init__(self) -> None:
        self.phase = "other"
        self._since = now()
        self._spent: dict[str, float] = {}

    def switch(self, phase: str) -> str:
        """Change to `phase`; returns the phase before."""
        t = now()
        self._spent[self.phase] = self._spent.get(self.phase, 0.0) + (t - self._since)
        before, self.phase, self._since = self.phase, phase, t
        return before

    def lap(self, t: float) -> dict[str, float]:
        """Return the seconds of each phase since the last lap, up to `t`, which is now."""
        self._spent[self.phase] = self._spent.get(self.phase, 0.0) + (t - self._since)
        self._since = t
        spent, self._spent = self._spent, {}
        return spent
