"""A screen's connection to the host of its class.

It reconnects by itself: a console starts the host when there is none, an audience waits for one. What
was sent while the host was away is sent when it is back; an `Act` counts as sent only once the host has
ordered it, so the audience ends up where the driving screen is.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from runtime import paths
from runtime.classroom import state, state_for_the_room
from runtime.classroom.actions import End, Entry, Role
from runtime.launch import processes
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import (
    Act,
    AnyMessage,
    Attach,
    Message,
    Ordered,
    Publish,
    Refused,
    Report,
    Welcome,
)

SHORTEST_WAIT, LONGEST_WAIT = 0.05, 1.0
HOST_STARTS_WITHIN = 10.0  # seconds until a host that does not answer is started again; then twice as many
_QUEUED = 1000


def host_log(class_id: str) -> Path:
    """Return the file for what the host of a class prints."""
    return paths.log_dir() / f"host-{class_id}.log"


def last_words(class_id: str) -> str:
    """Return what a host that could not run printed last."""
    lines = host_log(class_id).read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "the host ended without a word")


def start_host(class_id: str) -> subprocess.Popen[bytes]:
    """Start the host of a class so that it outlives this process and its terminal."""
    log = host_log(class_id)
    mark = {processes.CLASS_MARK: class_id, processes.PART_MARK: "host"}
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "runtime.host", "--class", class_id],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env={**os.environ, **mark},
            start_new_session=True,
        )


class Client:
    """One screen. `on_message` gets every message of the host, `on_link` one of

    `connecting` · `up` (after each Welcome: a host that has no deck yet says so by an empty blob) ·
    `lost` · `refused: …` (another version, no host can run here, or the class was ended: no further tries).

    Both are called on the event loop and must not block. `screen` names this screen for the journal, `where`
    for the people at the other consoles.
    """

    def __init__(
        self,
        class_id: str,
        role: Role,
        screen: str,
        on_message: Callable[[AnyMessage], None],
        on_link: Callable[[str], None],
        where: str = "",
        name: str | None = None,
        again: bool = False,
    ) -> None:
        """`name` is that of the person who answers here, "" without one; None: nobody answers here.
        `again`: the screen that already answers under that name is the same person."""
        self.class_id, self.role, self.screen, self.where = class_id, role, screen, where
        self.name, self.again = name, again
        self.link = ""
        self._on_message, self._on_link = on_message, on_link
        self._host: subprocess.Popen[bytes] | None = None
        self._host_started = 0.0
        self._patience = HOST_STARTS_WITHIN  # on a machine under load a host would else never come up
        self._host_served = False  # it said Welcome before it ended
        self._line: FrameProtocol | None = None
        self._welcomed = self._was_welcome = False  # now; at any time on this connection
        self._closed = self._ended = False
        self._unordered: deque[Act] = deque(maxlen=_QUEUED)  # not yet seen in the host's order
        self._waiting: deque[Message] = deque(maxlen=_QUEUED)  # other messages for a host that is away
        self._told = state.ClassState()  # by the host, as far as it tells states
        self._published: Publish | None = None
        self._unpublished = False
        self._down = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to connect; returns at once."""
        self._task = asyncio.create_task(self._keep_connected(), name="client")

    def send(self, message: Message) -> None:
        """Send now, or when the host is back."""
        if isinstance(message, Act):
            self._unordered.append(message)
        elif isinstance(message, Publish):
            self._published, self._unpublished = message, not self._welcomed
        elif not self._welcomed:
            self._waiting.append(message)
        if self._welcomed and self._line is not None:
            self._line.send(messages.encode(message))

    async def close(self) -> None:
        """Disconnect. What was sent stays sent; the host and its runs live on."""
        self._closed = True
        if self._line is not None:
            self._line.close()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def _say(self, link: str) -> None:
        if link != self.link and not self._closed:
            self.link = link
            self._on_link(link)

    async def _keep_connected(self) -> None:
        wait = SHORTEST_WAIT
        self._say("connecting")
        while not self._closed:
            if await self._connect():
                await self._down.wait()
                if self.link.startswith("refused"):
                    return
                if self._was_welcome:
                    wait = SHORTEST_WAIT
            elif self.role == "console":
                try:
                    self._start_host()
                except OSError as error:
                    self._say(f"refused: {error}")
                    return
            await asyncio.sleep(wait)
            coming_up = self._host is not None and time.monotonic() - self._host_started < self._patience
            wait = SHORTEST_WAIT if coming_up else min(2 * wait, LONGEST_WAIT)

    async def _connect(self) -> bool:
        self._down.clear()
        self._welcomed = self._was_welcome = False
        line = FrameProtocol(self.received, self._hung_up)
        try:
            path = paths.screen_socket(self.class_id)
            await asyncio.get_running_loop().create_unix_connection(lambda: line, str(path))
        except OSError:
            return False
        self._line = line
        answers, name = self.name is not None, self.name or ""
        at = (self.role, self.screen, os.getpid(), self.where)
        attach = Attach(messages.VERSION, *at, answers, name, self.again, True, True, True)
        line.send(messages.encode(attach))
        return True

    def _start_host(self) -> None:
        """Start a host unless one is still coming up. Raises `OSError` where none can run."""
        if self._host is not None and self._host.poll() is None:
            if time.monotonic() - self._host_started < self._patience:
                return
            self._patience *= 2
            self._host.kill()
            self._host.wait()
        elif self._host is not None and self._host.returncode > 0 and not self._host_served:
            raise OSError(last_words(self.class_id))
        self._host = start_host(self.class_id)
        self._host_started, self._host_served = time.monotonic(), False

    def received(self, line: FrameProtocol, payload: bytes) -> None:
        """Take in what the host says."""
        try:
            message = messages.decode(payload)
        except (msgspec.DecodeError, RecursionError):
            line.close()
            return
        if isinstance(message, Ordered) and message.state is not None:
            self._told = (
                state_for_the_room.joined(self._told, message.state) if message.partial else message.state
            )
            message = msgspec.structs.replace(message, state=self._told, partial=False)
        match message:
            case Welcome():
                self._told = message.state
                self._on_message(message)
                self._welcome(line, message)
                return
            case Refused() if not self._welcomed:
                self._say(f"refused: {message.why}; {message.mend}")
                self._on_message(message)
                line.close()
                return
            case Ordered(entry=Entry(action=End())):
                self._ended = True
            case Ordered() if message.entry.screen == self.screen:
                while self._unordered and self._unordered[0].n <= message.n:
                    self._unordered.popleft()
            case _:
                pass
        self._on_message(message)

    def _welcome(self, line: FrameProtocol, message: Welcome) -> None:
        """Send the host what it has not got yet. A `Shutdown` among that must be the last message: the host
        then hangs up, and writing on would lose its answer."""
        self._welcomed = self._was_welcome = self._host_served = True
        self._patience = HOST_STARTS_WITHIN
        if self._published is not None and (self._unpublished or not message.blob):
            line.send(messages.encode(self._published))
            self._unpublished = False
        for waiting in (*self._unordered, *self._waiting):
            line.send(messages.encode(waiting))
        self._waiting.clear()
        self._say("up")

    def _hung_up(self, line: FrameProtocol) -> None:
        self._welcomed = False
        self._line = None
        self._down.set()
        if self._ended:
            self._say("refused: the class was ended; `teachrun present` starts another")
        elif not self.link.startswith("refused"):
            self._say("lost")


class Visitor(Client):
    """A client for one errand: where no host runs it is refused instead of starting one."""

    def _start_host(self) -> None:
        raise OSError(f"no host of class {self.class_id} answers")


async def ask(class_id: str, message: Message, within_s: float) -> Report | None:
    """Put one question (`Status`, `Shutdown`) to a running host without being a screen; None: no answer."""
    answer: asyncio.Future[Report | None] = asyncio.get_running_loop().create_future()

    def settle(report: Report | None) -> None:
        if not answer.done():
            answer.set_result(report)

    def received(line: FrameProtocol, payload: bytes) -> None:
        with contextlib.suppress(msgspec.DecodeError):
            reply = messages.decode(payload)
            if isinstance(reply, Report):
                settle(reply)

    line = FrameProtocol(received, lambda _: settle(None))
    try:
        path = str(paths.screen_socket(class_id))
        await asyncio.get_running_loop().create_unix_connection(lambda: line, path)
        line.send(messages.encode(message))
        return await asyncio.wait_for(answer, within_s)
    except (OSError, TimeoutError):
        return None
    finally:
        line.close()
