"""The socket between the host and the ranks of a class, and which rank is at the end of each connection.

A connection belongs to the run and rank that its first event, a `Hello`, names. One that does not begin so,
or is another user's, is closed. Orders go down the same connection, one JSON object a frame: a rank
may have an interpreter without msgspec.
"""

from __future__ import annotations

import array
import asyncio
import fcntl
import json
import os
import socket
import struct
import sys
import termios
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runtime.launch.processes import Own
from runtime.protocol import rank_decoder
from runtime.protocol.events import Event, Hello
from runtime.protocol.framing import FrameProtocol
from runtime.supervision.frame_queue import FrameQueue
from runtime.supervision.run import Run

MAX_UNREAD = 16 << 10  # bytes of orders that a rank has not taken
GATHERED = 256  # events passed on together: a thousand ranks say a little each, and each call costs


class _End(NamedTuple):
    """Which rank of which generation is at the other end."""

    run: Run
    generation: int
    rank: int


class RankSocket:
    """`run_of(run, generation)` returns a living run; `on_events(run, events)` gets what its ranks
    send, those of a turn of the loop together.

    `standing(run, rank)` returns the orders in force for a rank, sent when it connects.
    """

    def __init__(
        self,
        path: Path,
        run_of: Callable[[str, int], Run | None],
        on_events: Callable[[Run, Sequence[Event]], None],
        standing: Callable[[Run, int], Iterable[Mapping[str, Any]]],
        full: Callable[[], bool] = lambda: False,
    ) -> None:
        """`full()`: whether events cannot be recorded for the moment, so that none should be read."""
        self.path = path
        self._queue = FrameQueue(self._heard, self._forget, full, self._pass_on)
        self._gathered: dict[Run, list[Event]] = {}  # of this turn
        self._pids: dict[FrameProtocol, int] = {}  # at the other end, 0: not known
        self._run_of, self._on_events, self._standing = run_of, on_events, standing
        self._server: asyncio.Server | None = None
        self._lines: dict[FrameProtocol, _End] = {}

    async def start(self) -> None:
        """Listen. Raises `OSError`."""
        self.path.unlink(missing_ok=True)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: FrameProtocol(self._queue.received, self._queue.hung_up, self._made), str(self.path)
        )
        self.path.chmod(0o600)

    def close(self) -> None:
        """Stop listening and remove the socket's file; connections that are open stay."""
        self._queue.close()
        if self._server is not None:
            self._server.close()
            self.path.unlink(missing_ok=True)

    @property
    def late(self) -> bool:
        """Whether ranks send more than can be taken in."""
        return self._queue.late

    def tell(self, run: Run, order: Mapping[str, Any], rank: int | None = None) -> bool:
        """Send an order to one rank of the present generation, to all with None; False: none is connected."""
        told = False
        for line, end in list(self._lines.items()):
            if end.run is run and end.generation == run.generation and rank in (None, end.rank):
                told = True
                if line.backlog > MAX_UNREAD:
                    line.close()  # it takes nothing: when it comes back it is told how things stand then
                else:
                    line.send(json.dumps(order).encode())
        return told

    async def drained(self, run: Run, within_s: float, at_most_s: float) -> int:
        """Wait until all ranks of a run have hung up: their last words may still be on their way. As long as
        there is something to hear it takes up to `at_most_s`; returns the bytes that nobody will hear."""
        now = asyncio.get_running_loop().time
        deadline, last = now() + within_s, now() + at_most_s
        while lines := [line for line, end in self._lines.items() if end.run is run]:
            if now() >= last or (now() >= deadline and not self._queue.waiting):
                return self._cut(set(lines))
            await asyncio.sleep(0.01)
        return 0

    def _cut(self, lines: set[FrameProtocol]) -> int:
        """Close connections of ended ranks that still have more to read than the class can wait for."""
        left = sum(map(_unread, lines)) + self._queue.cut(lines)
        for line in lines:
            self._lines.pop(line, None)
            line.abort()
        return left

    def _made(self, line: FrameProtocol) -> None:
        self._pids[line] = peer(line)[0]  # it may have hung up when its first word is heard
        admit(line)
        self._queue.made(line)

    def _forget(self, line: FrameProtocol) -> None:
        self._lines.pop(line, None)
        self._pids.pop(line, None)

    def _heard(self, line: FrameProtocol, payload: bytes) -> None:
        try:
            events: Sequence[Event] = rank_decoder.decode(payload)
        except rank_decoder.BadFrame:
            line.close()
            return
        end = self._lines.get(line)
        if end is None:
            end = self._greeted(line, events)
            if end is None:
                line.close()
                return
            self._lines[line] = end
            for order in self._standing(end.run, end.rank):
                line.send(json.dumps(order).encode())
        run = end.run
        gathered = self._gathered.setdefault(run, [])
        gathered += [e for e in events if e.generation == run.generation and e.run == run.id]
        if len(gathered) >= GATHERED:
            self._pass_on()

    def _pass_on(self) -> None:
        gathered, self._gathered = self._gathered, {}
        for run, events in gathered.items():
            self._on_events(run, events)

    def _greeted(self, line: FrameProtocol, events: Iterable[Event]) -> _End | None:
        """Return the rank that the first event names, None if it is none of ours."""
        hello = next(iter(events), None)
        run = self._run_of(hello.run, hello.generation) if isinstance(hello, Hello) else None
        if run is None or hello is None:
            return None
        pid = self._pids.get(line, 0)
        simulated = run.demo.launcher == "simulated"  # then one process speaks for all, and is no rank
        if run.torchrun is not None and not simulated and pid and 0 <= hello.rank < run.demo.ranks:
            own = Own.of(pid)  # what torchrun started is known by what the kernel says of its connection
            if own is not None:
                run.ranks[hello.rank] = own
        return _End(run, hello.generation, hello.rank)


def _unread(line: FrameProtocol) -> int:
    """Count the bytes the kernel holds for us."""
    connection = line.peer_socket
    if connection is None or connection.fileno() < 0:
        return 0
    waiting = array.array("i", [0])
    try:
        fcntl.ioctl(connection.fileno(), termios.FIONREAD, waiting)
    except OSError:
        return 0
    return waiting[0]


def peer(line: FrameProtocol) -> tuple[int, int]:
    """Return (pid, uid) of the process at the other end; pid 0 and our own uid where that is not known."""
    connection = line.peer_socket
    if sys.platform != "linux" or connection is None:
        return 0, os.getuid()
    size = struct.calcsize("3i")
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return pid, uid


def admit(line: FrameProtocol) -> None:
    """Close a connection that is not from this user: the folder's mode keeps others out, this makes sure."""
    if peer(line)[1] != os.getuid():
        line.close()
