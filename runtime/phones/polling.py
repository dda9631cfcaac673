"""Phones that ask again and again by POST: who has asked lately is here."""

from __future__ import annotations

import time
from collections.abc import Callable, Container

POLLED_S = 8.0  # after a POST somebody counts as here; the page asks every two seconds


class Polling:
    """The seats that asked, and when each did at last."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked: dict[str, float] = {}

    def asked(self, seat: str) -> None:
        """Somebody asked."""
        self._asked[seat] = self._now()

    def here(self, connected: Container[str]) -> int:
        """How many asked lately and are not connected."""
        since = self._now() - POLLED_S
        self._asked = {seat: at for seat, at in self._asked.items() if at > since and seat not in connected}
        return len(self._asked)
