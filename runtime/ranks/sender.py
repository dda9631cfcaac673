"""Gets a rank's events to the host without ever making training wait.

`put` appends to a bounded ring. One daemon thread takes the whole ring as a batch, encodes it and pushes it
into a non-blocking socket. When the host stalls or dies the ring fills up, its oldest events are dropped and
counted, and the thread tries to connect again; the rank never notices. Orders of the host arrive through the
same connection and are handed on (`runtime.ranks.rank_orders`).
"""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable

from runtime.protocol.events import Beat, Event, Hello, beat_s
from runtime.protocol.framing import FrameError, Splitter, frame
from runtime.ranks.event_encoding import encode
from runtime.ranks.rank_orders import MAX_ORDER

CAPACITY = 8192  # events; at 200 a step this holds some 40 steps, about 2 MB
FLUSH_S = 0.02
RETRY_S = 0.5


class Sender:
    """One connection of one rank, reopened as often as needed. `beat(drops)` is called every `events.beat_s`.

    `obey` gets each order of the host, on the sender's thread; it raises `ValueError` on anything else.
    """

    def __init__(
        self,
        address: str,
        hello: Hello,
        beat: Callable[[int], Beat],
        obey: Callable[[bytes], None] = lambda order: None,
        *,
        capacity: int = CAPACITY,
        flush_s: float = FLUSH_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self._address, self._beat, self._obey = address, beat, obey
        self._greeting, self._beat_s = frame(encode(hello)), beat_s(hello.world)
        self._capacity, self._flush_s, self._retry_s = capacity, flush_s, retry_s
        self._ring: deque[Event] = deque()
        self._lock = threading.Lock()  # `put` is called by the training thread and by gloo's threads
        self._drops = 0
        self._put = self._taken = self._gone = (
            0  # events ever: that were put, are in a batch, left this process
        )
        self._socket: socket.socket | None = None
        self._orders = Splitter(MAX_ORDER)
        self._greeted = self._sent = 0  # bytes of the greeting and of the batch that the kernel has taken
        self._batch = b""
        self._next_beat = self._next_try = 0.0
        self._stop = threading.Event()
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._run, name="probe sender", daemon=True)
        self._thread.start()

    @property
    def drops(self) -> int:
        """Events dropped so far because the host took none."""
        return self._drops

    def put(self, event: Event) -> None:
        """Queue an event; under a microsecond, never blocks on the host, never raises."""
        with self._lock:
            if len(self._ring) >= self._capacity:
                self._ring.popleft()
                self._drops += 1
            self._ring.append(event)
            self._put += 1

    def flush(self, timeout_s: float = 0.2) -> bool:
        """Wait until the kernel has everything put so far: for what may be a rank's last event."""
        deadline, mine = time.monotonic() + timeout_s, self._put
        while self._gone < mine and time.monotonic() < deadline:
            time.sleep(0.002)
        return self._gone >= mine

    def close(self, timeout_s: float = 0.5) -> bool:
        """Send what is left, for at most `timeout_s`. True if the kernel took everything."""
        self._deadline = time.monotonic() + timeout_s
        self._stop.set()
        self._thread.join(timeout_s + 0.2)
        return not self._thread.is_alive() and not self._ring and not self._batch

    def _run(self) -> None:
        while not self._stop.wait(self._flush_s):
            self._flush()
        self._flush()  # the last beat carries the final count of drops
        while (self._ring or self._batch) and time.monotonic() < self._deadline:
            self._flush()
            if self._batch:
                self._wait_for_room()
        if self._socket is not None:
            self._socket.close()

    def _wait_for_room(self) -> None:
        left = max(0.0, min(0.05, self._deadline - time.monotonic()))
        if self._socket is None:
            time.sleep(left)
        else:
            select.select([], [self._socket], [], left)

    def _flush(self) -> None:
        now = time.monotonic()
        if self._socket is None and (now < self._next_try or not self._connect()):
            return
        assert self._socket is not None
        try:
            self._hear()
            while self._greeted < len(self._greeting):
                self._greeted += self._socket.send(self._greeting[self._greeted :])
            if not self._batch:
                self._batch, self._sent = self._take(now), 0
            while self._sent < len(self._batch):
                self._sent += self._socket.send(memoryview(self._batch)[self._sent :])
            self._batch, self._gone = b"", self._taken
        except BlockingIOError:
            pass  # the host is slow: the ring keeps the newest events meanwhile
        except (OSError, FrameError, ValueError):
            self._socket.close()
            self._socket = None
            # An unfinished frame was not understood by anyone: the whole batch goes to the next connection.
            self._sent, self._next_try = 0, now + self._retry_s

    def _hear(self) -> None:
        """Obey orders that have arrived; the next beat is sent at once and acknowledges them."""
        assert self._socket is not None
        while select.select([self._socket], [], [], 0)[0]:
            data = self._socket.recv(MAX_ORDER)
            if not data:
                raise ConnectionResetError("the host closed the connection")
            for order in self._orders.feed(data):
                self._obey(order)
                self._next_beat = 0.0

    def _take(self, now: float) -> bytes:
        """Return everything queued, and a beat when one is due, as one frame; empty if there is nothing."""
        with self._lock:
            events, self._ring = self._ring, deque()
            self._taken = self._put
        batch = list(events)
        if now >= self._next_beat or self._stop.is_set():
            self._next_beat = now + self._beat_s
            batch.append(self._beat(self._drops))
        return frame(encode(batch)) if batch else b""

    def _connect(self) -> bool:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(0.2)  # a listener whose queue is full must not hold this thread
        try:
            connection.connect(self._address)
        except OSError:
            connection.close()
            self._next_try = time.monotonic() + self._retry_s
            return False
        connection.setblocking(False)
        self._socket, self._greeted, self._orders = connection, 0, Splitter(MAX_ORDER)
        return True
