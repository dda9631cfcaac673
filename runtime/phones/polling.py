"""Phones that ask again and again by POST: each for the length of one, and who has asked lately is here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container

from runtime.phones.seats import Seat

POLLED_S = 8.0  # after a POST somebody counts as here; the page asks every two seconds


class Polling:
    """The seats that asked, and when each did at last."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}

    def asked(self, seat: str) -> None:
        """Somebody asked."""
        self._asked[seat] = time.monotonic()

    def here(self, connected: Container[str]) -> int:
        """How many asked lately and are not connected."""
        since = time.monotonic() - POLLED_S
        self._asked = {seat: at for seat, at in self._asked.items() if at > since and seat not in connected}
        return len(self._asked)


class Posted:
    """A phone for the length of one POST: what it is told is the answer to that."""

    def __init__(self, done: object) -> None:
        assert callable(done)
        self.seat: Seat | None = None
        self.wrong = 0
        self._done = done
        self._messages: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._waits = False

    def tell(self, payload: bytes) -> None:
        """Keep one message; the one that an answer is waited for ends the wait."""
        self._messages.append(payload)
        if self._waits and self._timer is not None:
            self._timer.cancel()
            self._finish()

    def hang_up(self, code: int, why: str = "") -> None:
        """Close: there is nothing to close."""

    def finish(self, wait_s: float) -> None:
        """Answer now, or once something is said about the answers, at the latest after `wait_s`."""
        if wait_s <= 0.0 or self.seat is None:
            self._finish()
            return
        self._waits = True
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._finish)

    def _finish(self) -> None:
        self._waits, self._timer = False, None
        self._done(self._messages)
