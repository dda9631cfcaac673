"""How many steps a slide has, and at which of them each of its blocks appears."""

from __future__ import annotations

from msgspec import Struct


class Steps(Struct):
    """Counts the steps of a slide while it is read from top to bottom.

    `now` is the step at which what comes next appears, `end` the last step used so far: a block with frames
    reaches beyond `now`, and what follows it without a pause appears together with its first frame. `most`:
    how many steps there can be, 0 without a limit.
    """

    now: int = 0
    end: int = 0
    most: int = 0

    def pause(self) -> None:
        """Let what follows appear one step after all that came before."""
        self.now = self.end = self._within(self.end + 1)

    def frames(self, count: int) -> None:
        """Reserve so many steps, from `now` on, for a block that changes by itself."""
        self.end = self._within(max(self.end, self.now + count - 1))

    def _within(self, step: int) -> int:
        return min(step, self.most - 1) if self.most else step
