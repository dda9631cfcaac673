"""A helper process at the other end of a socket pair: the fork server, or a guardian.

It receives orders, one a frame, and answers with orders. Sockets for the ranks' store travel with a frame
(SCM_RIGHTS). Each end notices the death of the other as the end of the stream.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from runtime.launch import processes
from runtime.protocol import stage_messages
from runtime.protocol.framing import FrameError, Splitter, frame
from runtime.protocol.stage_messages import AnyOrder, Order

_RETRY_S = 0.005


class Child:
    """One process, started by the constructor (raises `OSError`). Callbacks run on the event loop.

    `on_lost` is called once, when the process has closed its end; `command` is given the descriptor's number;
    what it prints goes to `log`, a file or a descriptor, which is closed here.
    """

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        env: dict[str, str],
        log: Path | int,
        on_order: Callable[[AnyOrder], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._on_order, self._on_lost = on_order, on_lost
        self._splitter = Splitter()
        self._sending = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._socket, theirs = socket.socketpair()
        try:
            with log.open("ab") if isinstance(log, Path) else os.fdopen(log, "wb") as out:
                self.process = subprocess.Popen(
                    list(command(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env=env,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
        except OSError:
            self._socket.close()
            raise
        finally:
            theirs.close()
        self.own = processes.Own.of(self.process.pid)
        self._socket.setblocking(False)
        self._open = True
        self._loop.add_reader(self._socket, self._readable)

    @property
    def pid(self) -> int:
        """Process id of the child, which stays ours until it is waited for."""
        return self.process.pid

    async def send(self, order: Order, handed: Sequence[socket.socket] = ()) -> None:
        """Send an order and sockets with it. Raises `OSError` when the process is gone."""
        data = frame(stage_messages.encode(order))
        async with self._sending:
            sent = 0
            while handed and not sent:
                try:
                    sent = socket.send_fds(self._socket, [data], [s.fileno() for s in handed])
                except BlockingIOError:
                    await asyncio.sleep(_RETRY_S)
            await self._loop.sock_sendall(self._socket, data[sent:])

    def _readable(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            for payload in self._splitter.feed(data):
                self._on_order(stage_messages.decode(payload))
        except (FrameError, msgspec.DecodeError):
            data = b""
        if not data:
            self.hang_up()
            self._on_lost()

    def hang_up(self) -> None:
        """Close our end; the process ends itself and its children because of it. No `on_lost` comes."""
        if self._open:
            self._open = False
            self._loop.remove_reader(self._socket)
            self._socket.close()

    async def end(self, within_s: float = 1.0, *, patience_s: float | None = None) -> bool:
        """Hang up, then make sure that the process is gone and reaped; True when it is.

        `patience_s` is how long it may take to end by itself, `within_s` where that is not given.
        """
        self.hang_up()
        if not await self.ended(within_s if patience_s is None else patience_s):
            self.process.kill()
        return await self.ended(within_s)

    async def ended(self, within_s: float) -> bool:
        """Wait for its end; True when it is gone and reaped."""
        patience = self._loop.time() + within_s
        while self.process.poll() is None and self._loop.time() < patience:
            await asyncio.sleep(0.01)
        return self.process.poll() is not None
