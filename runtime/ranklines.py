"""The socket at which the ranks of a class speak and are spoken to, and who is at the other end of each line.

A connection belongs to the run and rank that its first event, a `Hello`, names. What does not begin with one,
or comes from another user, is hung up on. Orders go down the same connection, one JSON object a frame: a rank
may have an interpreter without msgspec.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runtime import codec
from runtime.events import Event, Hello
from runtime.processes import Own
from runtime.run import Run
from runtime.wire import FrameProtocol

MAX_UNREAD = 16 << 10  # bytes of orders that a rank has not taken


class _End(NamedTuple):
    """Who is at the other end: a rank of a generation."""

    run: Run
    generation: int
    rank: int


class RankLines:
    """`run_of(run, generation)` knows the living runs; `on_events(run, events)` gets what their ranks say.

    `standing(run, rank)` gives the orders that hold for a rank, told when it comes or comes back.
    """

    def __init__(
        self,
        path: Path,
        run_of: Callable[[str, int], Run | None],
        on_events: Callable[[Run, Sequence[Event]], None],
        standing: Callable[[Run, int], Iterable[Mapping[str, Any]]],
    ) -> None:
        self.path = path
        self._run_of, self._on_events, self._standing = run_of, on_events, standing
        self._server: asyncio.Server | None = None
        self._lines: dict[FrameProtocol, _End] = {}

    async def start(self) -> None:
        """Listen. Raises `OSError`."""
        self.path.unlink(missing_ok=True)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: FrameProtocol(self._received, self._hung_up, admit), str(self.path)
        )
        self.path.chmod(0o600)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self.path.unlink(missing_ok=True)

    def tell(self, run: Run, order: Mapping[str, Any], rank: int | None = None) -> bool:
        """Give an order to one rank of the present generation, None: to all; False: none is there."""
        told = False
        for line, end in list(self._lines.items()):
            if end.run is run and end.generation == run.generation and rank in (None, end.rank):
                told = True
                if line.backlog > MAX_UNREAD:
                    line.close()  # it takes nothing: when it comes back it is told how things stand then
                else:
                    line.send(json.dumps(order).encode())
        return told

    async def drained(self, run: Run, within_s: float) -> None:
        """Wait until all ranks of a run have hung up: their last words may still be on their way."""
        deadline = asyncio.get_running_loop().time() + within_s
        while (
            any(end.run is run for end in self._lines.values())
            and asyncio.get_running_loop().time() < deadline
        ):
            await asyncio.sleep(0.01)

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        try:
            events: Sequence[Event] = codec.decode(payload)
        except codec.BadFrame:
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
        self._on_events(run, [e for e in events if (e.run, e.generation) == (run.id, run.generation)])

    def _greeted(self, line: FrameProtocol, events: Iterable[Event]) -> _End | None:
        """The rank at the other end by its first event; None: none of ours."""
        hello = next(iter(events), None)
        run = self._run_of(hello.run, hello.generation) if isinstance(hello, Hello) else None
        if run is None or hello is None:
            return None
        pid, _ = peer(line)
        simulated = run.demo.launcher == "simulated"  # then one process speaks for all, and is no rank
        if run.torchrun is not None and not simulated and pid and 0 <= hello.rank < run.demo.ranks:
            own = Own.of(pid)  # what torchrun started is known by what the kernel says of its connection
            if own is not None:
                run.ranks[hello.rank] = own
        return _End(run, hello.generation, hello.rank)

    def _hung_up(self, line: FrameProtocol) -> None:
        self._lines.pop(line, None)


def peer(line: FrameProtocol) -> tuple[int, int]:
    """(pid, uid) of the process at the other end; pid 0 and our own uid where the system does not say."""
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
