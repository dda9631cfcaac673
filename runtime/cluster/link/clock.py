"""How far the host's clock is ahead of this machine's, from round trips.

A round trip that took `t` tells the difference to within `t / 2`, whatever part of it each way took
(Cristian, 1989: Probabilistic clock synchronization). The shortest of the last ones is the best; what is
older than `KEPT_S` is forgotten, since clocks drift (some 10 to 100 millionths: 1 to 10 ms in 100 s).
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

KEPT_S = 60.0
MOST = 64  # round trips


class Difference(NamedTuple):
    """Seconds by which the host's clock is `ahead`, sure to `within`."""

    ahead: float
    within: float


class Clock:
    """Collects round trips; `difference` is the best that is known, None before the first."""

    def __init__(self) -> None:
        self._trips: deque[tuple[float, Difference]] = deque(maxlen=MOST)

    def heard(self, sent: float, at: float, received: float) -> None:
        """A question `sent` and answered `received` by our clock, `at` by the host's."""
        half = (received - sent) / 2
        if half < 0:
            return  # not an answer of ours
        self._trips.append((received, Difference(at - (sent + half), half)))
        while self._trips[0][0] < received - KEPT_S:
            self._trips.popleft()

    @property
    def difference(self) -> Difference | None:
        """The difference by the shortest round trip."""
        return min((found for _, found in self._trips), key=lambda one: one.within, default=None)
