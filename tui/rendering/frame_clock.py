"""When to repaint what changes by itself: at most 15 times a second, only while something is due.

`FrameClock` is pure but for the two functions it is given: `later(seconds, call)` runs a call once,
`backlog()` says how many writes the terminal has not taken yet. With nothing due no timer is armed and no
byte is written.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

FRAME_S = 1 / 15
SLOW_S = 1 / 5
MAX_BACKLOG = 2


class Pump(Protocol):
    """What runs a screen: an app, a screen or a widget."""

    @property
    def is_running(self) -> bool:
        """Whether its loop still takes calls."""

    def call_next(self, callback: Callable[[], None]) -> None:
        """Call `callback` after what is queued."""


def later(pump: Pump, seconds: float, call: Callable[[], None]) -> None:
    """Have `call` run once, in `seconds` from now, unless `pump` is gone by then.

    Not `set_timer`: in Textual 8.2 its call is lost when the process was held up for longer than
    `seconds` while the timer started (`Timer._run` skips the only tick). What waits for it would stand still.
    """

    def due() -> None:
        if not pump.is_running:
            pump.call_next(call)  # it is about to begin; one that is gone hears nothing
            return
        try:
            call()
        except Exception as error:
            pump.call_next(partial(_fail, error))  # there Textual ends the program and says why

    asyncio.get_running_loop().call_later(seconds, due)


def _fail(error: Exception) -> None:
    raise error


class FrameClock:
    """Calls `paint()` for what was marked with `want()`, spaced by a frame; slower while the line is slow."""

    def __init__(
        self,
        paint: Callable[[], None],
        later: Callable[[float, Callable[[], None]], object],
        backlog: Callable[[], int],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._paint, self._later, self._backlog, self._now = paint, later, backlog, now
        self._last = -math.inf
        self._armed = False
        self.period = FRAME_S
        self.skipped = 0

    def want(self) -> None:
        """Something changed: paint it at the next frame."""
        if not self._armed:
            self._armed = True
            self._later(max(0.0, self._last + self.period - self._now()), self._frame)

    def _frame(self) -> None:
        if self._backlog() > MAX_BACKLOG:
            self.skipped += 1
            self.period = min(SLOW_S, self.period * 1.5)
            self._later(self.period, self._frame)
            return
        self._armed = False
        self._last = self._now()
        self.period = max(FRAME_S, self.period - FRAME_S / 4)
        self._paint()


class Alarm:
    """Calls `ring()` once, at the soonest time it is set for: the time of day changes in a minute, and a
    clock that starts meanwhile in a second."""

    def __init__(
        self,
        ring: Callable[[], None],
        later: Callable[[float, Callable[[], None]], object],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ring, self._later, self._now = ring, later, now
        self._due = math.inf

    def set(self, seconds: float) -> None:
        """Ring in so many seconds, unless it will sooner."""
        due = self._now() + seconds
        if due < self._due - FRAME_S:
            self._due = due
            self._later(seconds, partial(self._at, due))

    def _at(self, due: float) -> None:
        if due == self._due:  # else it was set for sooner, and has rung
            self._due = math.inf
            self._ring()
