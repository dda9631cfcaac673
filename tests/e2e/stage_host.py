"""A host in miniature for tests of the rank side: it gives a stage its orders and keeps what ranks say."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import runtime
from runtime.protocol import messages, rank_decoder, stage_messages
from runtime.protocol.events import AnyEvent, Hello
from runtime.protocol.framing import Splitter, frame
from runtime.protocol.stage_messages import AnyOrder, Exited, Fork, Forked, Kill, Ready

E = TypeVar("E")
DDP = str(Path(runtime.__file__).parent / "demos" / "ddp.py")


class Receiver:
    """A unix socket that takes events from any number of ranks, on threads of its own."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.events: list[AnyEvent] = []
        self.first_seen: dict[type[AnyEvent], float] = {}
        self.connections: list[socket.socket] = []
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self.path)
        self._server.listen(128)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        splitter = Splitter()
        first = True
        while True:
            try:
                data = connection.recv(1 << 16)
            except OSError:
                return
            if not data:
                return
            for payload in splitter.feed(data):
                events = rank_decoder.decode(payload)
                assert not first or (len(events) == 1 and isinstance(events[0], Hello))
                first = False
                for event in events:
                    self.first_seen.setdefault(type(event), time.monotonic())
                self.events += events

    def of(self, kind: type[E], rank: int | None = None) -> list[E]:
        return [e for e in self.events if isinstance(e, kind) and rank in (None, e.rank)]

    def close(self) -> None:
        if self._server.fileno() >= 0:
            # shutdown wakes the accepting thread; close alone would leave the socket open under it
            self._server.shutdown(socket.SHUT_RDWR)
            self._server.close()
        for connection in self.connections:
            connection.close()


class StageHost:
    """Starts a stage as the host does and speaks its orders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.orders: list[AnyOrder] = []
        self._logs: dict[tuple[str, int], Path] = {}  # by run and generation
        self._splitter = Splitter()
        self.socket, theirs = socket.socketpair()
        self.log = (folder / "stage.log").open("wb")
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "runtime.launch.fork_server",
                "--fd",
                str(theirs.fileno()),
                "--parent",
                str(os.getpid()),
            ],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        theirs.close()

    def until(self, wanted: Callable[[AnyOrder], Any], timeout_s: float = 120) -> Any:
        """Read orders until one is wanted, and give it back. A `TimeoutError` tells what was said instead."""
        deadline = time.monotonic() + timeout_s
        seen = 0
        while True:
            for order in self.orders[seen:]:
                if wanted(order):
                    return order
            seen = len(self.orders)
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                said = "\n".join(map(str, self.orders[-40:]))
                raise TimeoutError(f"not within {timeout_s} s; the stage said, at last:\n{said}") from None
            if not data:
                raise ConnectionError((self.folder / "stage.log").read_text())
            self.orders += [stage_messages.decode(p) for p in self._splitter.feed(data)]

    def ready(self) -> Ready:
        return self.until(lambda o: isinstance(o, Ready))

    def fork(
        self,
        run: str,
        receiver: Receiver,
        *argv: str,
        world: int = 4,
        nodes: int = 1,
        script: str = DDP,
        generation: int = 0,
    ) -> Forked:
        store = socket.create_server(("127.0.0.1", 0), backlog=128)
        environment = {
            "TEACHRUN_RUN": run,
            "TEACHRUN_GENERATION": str(generation),
            "TEACHRUN_SOCKET": receiver.path,
            "TEACHRUN_CLASS": "test",
            # One of each run: else a run goes on from the checkpoints of another.
            "TEACHRUN_SCRATCH": str(self.folder / "scratch" / run),
            "WORLD_SIZE": str(world),
            "LOCAL_WORLD_SIZE": str(world // nodes),
            "GROUP_WORLD_SIZE": str(nodes),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(store.getsockname()[1]),
            "OMP_NUM_THREADS": "1",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
            "TORCH_CPP_LOG_LEVEL": "ERROR",
        }
        assert (run, generation) not in self._logs, "its exits would be those of the older one"
        logs = self._logs[run, generation] = self.folder / f"logs{len(self._logs)}"
        logs.mkdir()
        order = Fork(run, generation, world, script, argv, environment, str(logs))
        socket.send_fds(self.socket, [frame(messages.encode(order))], [store.fileno()])
        store.close()
        return self.until(lambda o: isinstance(o, Forked) and (o.run, o.generation) == (run, generation))

    def kill(self, run: str, generation: int = 0) -> None:
        self.socket.sendall(frame(messages.encode(Kill(run, generation))))

    def exits(
        self, run: str, world: int = 4, timeout_s: float = 60, generation: int | None = None
    ) -> dict[int, Exited]:
        """Wait until every rank of a run (of one of its generations) has exited: rank -> its Exited."""

        def done(_: AnyOrder) -> bool:
            return len(self.found(run, generation)) >= world

        self.until(done, timeout_s)
        return self.found(run, generation)

    def found(self, run: str, generation: int | None = None) -> dict[int, Exited]:
        exits = [o for o in self.orders if isinstance(o, Exited) and o.run == run]
        return {o.rank: o for o in exits if generation in (None, o.generation)}

    def printed(self, run: str, rank: int = 0, generation: int = 0) -> str:
        """What a rank has printed."""
        file = self._logs[run, generation] / f"rank-{rank}.log"
        return file.read_text() if file.exists() else ""

    def close(self) -> None:
        self.socket.close()
        try:
            self.process.wait(5)
        finally:
            self.process.kill()
            self.process.wait()
            self.log.close()


def alive(pids: tuple[int, ...] | list[int]) -> list[int]:
    """Those of `pids` that still run; a zombie does not."""
    from runtime.launch.processes import start_time

    return [pid for pid in pids if start_time(pid) is not None]


def wait_gone(pids: tuple[int, ...] | list[int], timeout_s: float = 10.0) -> list[int]:
    """Those of `pids` that are still there after `timeout_s`. (Three are promised; the soak measures.)"""
    deadline = time.monotonic() + timeout_s
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    return alive(pids)
