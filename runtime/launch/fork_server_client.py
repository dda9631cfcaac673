"""Keeps one fork server warm and alive, from which ranks are forked in milliseconds.

It is started when a deck with demos opens, and started again when it dies. After `TRIES` deaths in a row
without ever being ready it stays down until somebody asks for it again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable

from runtime import paths
from runtime.launch import processes
from runtime.launch.helper_process import Child
from runtime.launch.missing_torch import no_torch, torch_installed
from runtime.launch.rank_environment import ONE_THREAD, QUIET
from runtime.protocol.messages import StageStatus
from runtime.protocol.stage_messages import AnyOrder, Fork, Kill, Ready, Warming

TRIES = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0

# Set before the interpreter starts: importing numpy alone makes threads otherwise, and a forked backward pass
# refuses to run where a GPU was visible.
STAGE_ENV = {
    **ONE_THREAD,
    **QUIET,
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
}


class ForkServerClient:
    """`on_status` is called at every change, `on_order` with what it reports, `on_lost` at its death."""

    def __init__(
        self,
        class_id: str,
        on_order: Callable[[AnyOrder], None],
        on_status: Callable[[StageStatus, str], None],
        on_lost: Callable[[str], None],
    ) -> None:
        self.status: StageStatus = "cold"
        self.detail = ""
        self.ready: Ready | None = None
        self.child: Child | None = None
        self._class_id = class_id
        self._on_order, self._on_status, self._on_lost = on_order, on_status, on_lost
        self._settled = asyncio.Event()  # warm, or known not to become so
        self._deaths = 0
        self._retry: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[bool]] = set()
        self._closed = False

    def start(self) -> None:
        """Start one unless there is one; returns at once."""
        if self.child is not None or self._closed:
            return
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if not torch_installed():
            self._say("absent", no_torch())
            self._settled.set()
            return
        self._settled.clear()
        mark = {processes.CLASS_MARK: self._class_id, processes.PART_MARK: "stage"}
        try:
            self.child = Child(
                lambda fd: (
                    *(sys.executable, "-P", "-m", "runtime.launch.fork_server"),
                    *("--fd", str(fd), "--parent", str(os.getpid())),
                ),
                {**os.environ, **STAGE_ENV, **mark},
                paths.log_dir() / f"stage-{self._class_id}.log",
                self._heard,
                self._died,
            )
        except OSError as error:
            self._say("lost", f"the stage cannot be started: {error}")
            self._settled.set()
            return
        self._say("warming", "starting")

    async def settled(self) -> None:
        """Wait until it is warm, or known never to become so; `ready` then tells which."""
        self.start()
        await self._settled.wait()

    async def fork(self, order: Fork, store: socket.socket) -> None:
        """Order ranks that meet at the listening socket `store`. Raises `OSError` without a fork server."""
        if self.child is None:
            raise OSError("there is no stage")
        await self.child.send(order, [store])

    async def kill(self, run: str, generation: int) -> None:
        """Order all ranks of a generation killed; without a fork server there are none."""
        if self.child is not None:
            try:
                await self.child.send(Kill(run, generation))
            except OSError:
                pass  # its death is on its way to us

    def go_on(self) -> bool:
        """Have the fork server go on if somebody has stopped it (SIGSTOP); returns whether that was so."""
        own = processes.Own.of(self.child.pid) if self.child is not None else None
        if own is None or not own.stopped:
            return False
        own.kill(signal.SIGCONT)
        return True

    async def close(self) -> bool:
        """End the fork server and with it every rank; True when it is gone."""
        self._closed = True
        if self._retry is not None:
            self._retry.cancel()
        child, self.child = self.child, None
        # While it imports it does not hear that we have hung up, and there are no ranks yet.
        patience_s = None if self.ready is not None else 0.0
        gone = await child.end(patience_s=patience_s) if child is not None else True
        if self._closing:
            gone = all(await asyncio.gather(*self._closing)) and gone
        self._say("cold", "")
        return gone

    def _say(self, status: StageStatus, detail: str) -> None:
        self.status, self.detail = status, detail
        self._on_status(status, detail)

    def _heard(self, order: AnyOrder) -> None:
        match order:
            case Warming():
                self._say("warming", order.what)
            case Ready():
                self.ready = order
                self._deaths = 0
                self._settled.set()
                self._say("warm", order.why)
            case _:
                self._on_order(order)

    def _died(self) -> None:
        """Reap it after it hung up, report that, and start it again, a little later each time."""
        child, self.child, self.ready = self.child, None, None
        if child is not None:
            task = asyncio.ensure_future(child.end())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        self._deaths += 1
        self._on_lost("the stage died")
        if self._closed:
            return
        if self._deaths > TRIES:
            self._settled.set()
            self._say("lost", f"the stage died {self._deaths} times while warming up; see {paths.log_dir()}")
            self._deaths = 0
            return
        self._settled.clear()
        self._say("lost", "the stage died and is started again")
        wait = min(FIRST_WAIT_S * 2 ** (self._deaths - 1), LONGEST_WAIT_S)
        self._retry = asyncio.get_running_loop().call_later(wait, self._again)

    def _again(self) -> None:
        self._retry = None
        self.start()
