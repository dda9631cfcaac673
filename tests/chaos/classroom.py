"""A class without a screen: a console's client, a real host, real ranks, and eyes on every process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from folders import in_folders

from runtime import paths
from runtime.host.client import Client
from runtime.protocol import messages
from runtime.protocol.messages import AnyMessage, Report, Snapshot, Stage, Status, Welcome

BLOCK = "slide/1"
LOOKS = 400  # two seconds' worth


class Classroom:
    """What a console heard, and the processes of the class by role."""

    def __init__(self, class_id: str) -> None:
        self.class_id = class_id
        self.heard: list[AnyMessage] = []
        self.links: list[str] = []
        self._news = asyncio.Event()
        self.client = Client(class_id, "console", "chaos", self._hear, self._link)
        self.ever: dict[int, float] = {}

    def _hear(self, message: AnyMessage) -> None:
        self.heard.append(message)
        if isinstance(message, Snapshot):
            for row in message.rows:
                self._remember(row.pid)
        self._news.set()

    def _link(self, state: str) -> None:
        self.links.append(state)
        self._news.set()

    def _remember(self, pid: int) -> None:
        if pid and pid not in self.ever:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.ever[pid] = psutil.Process(pid).create_time()

    async def until(
        self,
        seen: Callable[[AnyMessage], bool],
        what: str,
        timeout: float = 150.0,
        since: int | None = None,
    ) -> AnyMessage:
        """The first message that fits, of those from number `since` on: by default, from now on."""
        start = len(self.heard) if since is None else since
        end = time.monotonic() + timeout
        while True:
            for message in self.heard[start:]:
                start += 1
                if seen(message):
                    return message
            self._news.clear()
            if start < len(self.heard):
                continue
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"never heard: {what}; last {self.heard[-1:]!r}, link {self.links[-3:]}")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)

    async def report(self) -> Report:
        self.client.send(Status())
        message = await self.until(lambda m: isinstance(m, Report), "a report")
        assert isinstance(message, Report)
        for process in message.processes:
            self._remember(process.pid)
        return message

    async def train(self, launcher: str = "stage", ranks: int = 4) -> Snapshot:
        """Launch ddp and wait until every rank has taken three steps."""
        self.client.send(
            messages.Launch(
                BLOCK, "ddp", {"ranks": str(ranks), "steps": "1000000", "launcher": launcher, "width": "64"}
            )
        )

        def moving(message: AnyMessage) -> bool:
            return (
                isinstance(message, Snapshot)
                and message.state == "running"
                and len(message.rows) == ranks
                and all((row.step or 0) >= 3 for row in message.rows)
            )

        snapshot = await self.until(moving, "four moving ranks", timeout=90.0)
        assert isinstance(snapshot, Snapshot)
        await self.report()
        return snapshot

    async def pid_of(self, what: str) -> int:
        report = await self.report()
        found = [p.pid for p in report.processes if p.what == what]
        assert found, (what, report.processes)
        return found[0]

    def alive(self, pids: set[int]) -> set[int]:
        """Those of `pids` that still run and are the processes we saw (a pid may be reused)."""
        left = set()
        for pid in pids:
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                same = abs(process.create_time() - self.ever.get(pid, process.create_time())) < 0.05
                if same and process.status() != psutil.STATUS_ZOMBIE:
                    left.add(pid)
        return left

    async def gone(self, pids: set[int], within: float = 10.0) -> float:
        """Seconds until none of `pids` is alive; fails after `within`. (Three are promised, and soaked.)

        It looks LOOKS times at least: on a machine that stood still, or whose clock jumped, `within` is over
        before any process had a moment to end in.
        """
        start = time.monotonic()
        looks = 0
        while left := self.alive(pids):
            looks += 1
            if looks > LOOKS and time.monotonic() - start > within:
                how = {pid: psutil.Process(pid).status() for pid in left if psutil.pid_exists(pid)}
                raise AssertionError(f"still alive after {within} s: {how}")
            await asyncio.sleep(0.005)
        return time.monotonic() - start


@asynccontextmanager
async def classroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Classroom]:
    """A class of its own under `tmp_path`; afterwards nothing of it is left, whatever the test did."""
    in_folders(tmp_path, monkeypatch)
    room = Classroom(paths.new_class_id())
    await room.client.start()
    await room.until(lambda m: isinstance(m, Welcome), "a welcome")
    room.client.send(messages.Warm())
    await room.until(lambda m: isinstance(m, Stage) and m.status == "warm", "a warm stage")
    try:
        yield room
        await room.report()
        room.client.send(messages.Shutdown("the test is over"))
        await room.until(lambda m: isinstance(m, Report), "the last report")
        await room.gone(set(room.ever), within=5.0)
    finally:
        await room.client.close()
        for pid in room.alive(set(room.ever)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
