"""What is said in passing, in the place of the hints, and is gone again by itself."""

from __future__ import annotations

from collections.abc import Callable

from slides.drawing.text import Line

SAY_S = 6.0


class PassingLine:
    """The newest of them. `changed` is called when it comes and when it goes; `later` calls after seconds."""

    def __init__(
        self, later: Callable[[float, Callable[[], None]], None], changed: Callable[[], None]
    ) -> None:
        self.line: Line = ()
        self._later, self._changed = later, changed
        self._n = 0  # which of them this is: an older one's end is not this one's

    def show(self, line: Line) -> None:
        """Show a line for `SAY_S` seconds, or until the next one."""
        self.line = line
        self._n += 1
        self._changed()
        n = self._n
        self._later(SAY_S, lambda: self._expire(n))

    def _expire(self, n: int) -> None:
        if n == self._n:
            self.clear()

    def clear(self) -> bool:
        """Take it away; False where there is none."""
        if not self.line:
            return False
        self.line = ()
        self._changed()
        return True
