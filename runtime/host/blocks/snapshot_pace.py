"""How often screens get a snapshot of a run: at once when something changes, then at a pace it can afford."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PUSH_S = 0.1  # between two snapshots of a run
PUSH_SHARE = 0.03  # of a core that making snapshots may cost


class Pusher:
    """Decides when the next snapshot of a run goes out: the first change at once, later ones at a pace."""

    def __init__(self, push: Callable[[], None]) -> None:
        self._push = push
        self._last = 0.0
        self._pause = PUSH_S
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, urgent: bool = False) -> None:
        """Note that a new snapshot is due; an urgent one is pushed now."""
        loop = asyncio.get_running_loop()
        wait = 0.0 if urgent else self._last + self._pause - loop.time()
        if wait <= 0.0:
            self.cancel()
            self._now()
        elif self._timer is None:
            self._timer = loop.call_later(wait, self._now)

    def cancel(self) -> None:
        """Drop the snapshot that is due later, if one is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _now(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        began = time.thread_time()
        self._push()
        self._pause = max(PUSH_S, (time.thread_time() - began) / PUSH_SHARE)
