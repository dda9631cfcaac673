"""How much one phone, and all that are not let in yet, may ask for. Never by address: a hall has one."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST_CONNECTIONS = 1500  # of people with a seat
MOST_WITHOUT = 100  # beside them: who wants a seat, and what browsers keep open
MOST_WRONG = 5  # codes on one connection
MOST_SLOWED = 100  # messages on one after it was told to slow down
MOST_SIGNS = 100  # pings without a message between them
SEAT_RATE, SEAT_BURST = 8.0, 40.0  # messages a second, and at once
CODE_RATE, CODE_BURST = 5.0, 300.0  # wrong codes of everybody together, of 5 million that there are
JOIN_RATE, JOIN_BURST = 200.0, 1500.0  # new seats: a hall comes in at once


class Bucket:
    """Lets through `rate` a second, and up to `burst` at once after a pause."""

    __slots__ = ("_at", "_burst", "_left", "_now", "_rate")

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left, self._at = burst, now()

    def take(self) -> bool:
        """Whether one more may pass."""
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
