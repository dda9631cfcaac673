"""Takes in what many connections send, a little at each turn of the loop, so that screens have theirs.

When more comes than can be taken in, nothing more is read: it waits in the kernel, then at who sends it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection

from runtime.protocol.framing import FrameProtocol

TURN_S = 0.02  # so long is listened before screens and timers have their turn
# Read and not looked at: from here on only what is recorded is worth the time. It is the work of a tenth of a
# second, so that a host that only had no turn for a while on a busy machine draws all the same.
LATE_BYTES = 4 << 20
MOST_BYTES = 16 << 20  # from here on nothing more is read: it waits at the senders, which drop and count it
FULL_S = 0.05  # until it is looked again whether the recorder has room


class FrameQueue:
    """`heard(line, payload)` gets each frame in the order of its arrival, `gone(line)` is called after the
    last one of a connection that has ended, `turn_over()` after the frames of a turn and before `gone`.
    `full()`: whether nothing can be recorded for the moment, so that nothing should be taken in."""

    def __init__(
        self,
        heard: Callable[[FrameProtocol, bytes], None],
        gone: Callable[[FrameProtocol], None],
        full: Callable[[], bool] = lambda: False,
        turn_over: Callable[[], None] = lambda: None,
    ) -> None:
        self._heard, self._gone, self._full, self._turn_over = heard, gone, full, turn_over
        self._unheard: deque[tuple[FrameProtocol, bytes | None]] = deque()  # None: it has hung up
        self.bytes = 0  # that nobody has looked at yet
        self._lines: set[FrameProtocol] = set()
        self._held = False
        self._turn: asyncio.Handle | None = None

    def close(self) -> None:
        """Listen no more."""
        if self._turn is not None:
            self._turn.cancel()

    @property
    def late(self) -> bool:
        """Whether more comes than can be taken in."""
        return self.bytes > LATE_BYTES

    @property
    def waiting(self) -> bool:
        """Whether something was read that nobody has looked at yet."""
        return bool(self._unheard)

    def holds_of(self, line: FrameProtocol) -> bool:
        """Whether something that it has sent waits to be looked at; where nothing is read, it may."""
        return self._held or any(of is line for of, _ in self._unheard)

    def made(self, line: FrameProtocol) -> None:
        """A connection was made."""
        self._lines.add(line)
        if self._held:
            line.hold(True)

    def received(self, line: FrameProtocol, payload: bytes) -> None:
        """A frame has arrived; it will have its turn."""
        self._unheard.append((line, payload))
        self.bytes += len(payload)
        if self.bytes > MOST_BYTES and not self._held:
            self._hold(True)
        self._soon()

    def hung_up(self, line: FrameProtocol) -> None:
        """A connection has ended; that has its turn after all that it has sent."""
        self._unheard.append((line, None))
        self._soon()

    def cut(self, lines: Collection[FrameProtocol]) -> int:
        """Forget what these have sent and nobody has looked at; returns its bytes."""
        left = 0
        kept: deque[tuple[FrameProtocol, bytes | None]] = deque()
        for line, payload in self._unheard:
            if line not in lines:
                kept.append((line, payload))
            elif payload is not None:
                left += len(payload)
                self.bytes -= len(payload)
        self._unheard = kept
        return left

    def _hold(self, held: bool) -> None:
        self._held = held
        for line in self._lines:
            line.hold(held)

    def _soon(self, wait_s: float = 0.0) -> None:
        if self._turn is None:
            loop = asyncio.get_running_loop()
            self._turn = loop.call_later(wait_s, self._listen) if wait_s else loop.call_soon(self._listen)

    def _listen(self) -> None:
        """Take in what has arrived, for as long as one turn of the loop may take."""
        self._turn = None
        until = time.monotonic() + TURN_S
        full = self._full()
        while self._unheard and not full and time.monotonic() < until:
            line, payload = self._unheard.popleft()
            if payload is None:
                self._turn_over()
                self._lines.discard(line)
                self._gone(line)
            else:
                self.bytes -= len(payload)
                self._heard(line, payload)
        self._turn_over()
        if self._held and self.bytes < MOST_BYTES // 2:
            self._hold(False)
        if self._unheard:
            self._soon(FULL_S if full else 0.0)
