"""Runs the code blocks of slides: any program, one process and what it starts, under a guardian.

A snippet has nothing of a training run: no ranks, no steps, no figures. It has what it prints, an exit code
and a time limit. It ends at its limit, when somebody stops it and with its host, and whatever it has started
ends with it. The screens may all be gone meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from runtime.catalog.params import Refusal
from runtime.classroom import actions
from runtime.classroom.actions import RunState
from runtime.launch import guardian
from runtime.launch.helper_process import Child
from runtime.launch.processes import CLASS_MARK, PART_MARK, sweep, wall_clock
from runtime.protocol.messages import Keys, Output, Process, RunSnippet
from runtime.protocol.stage_messages import AnyOrder, Exited, Forked, Kill
from runtime.snippets.language_commands import Executor, executor
from runtime.snippets.output_lines import Printed
from teachrun import users_pythonpath

DEMO = "snippet"  # what the journal calls it among the runs of a class
LONGEST_S = 3600.0
TICK_S = 0.5  # between two looks at the clock of one that prints nothing
PUSH_CHARS = 1 << 16
_CHUNK = 1 << 16
_MUCH, _PAUSE_S = 1 << 12, 0.005  # after so many bytes at once: who prints without end is slowed down, not we
_LAST_WORDS_S = 1.0
_KILLED_WITHIN_S = 2.0


class Snippet:
    """One run of one block, from its start to the end of its last process. `changed(urgent)` is called when
    its output changes, `entered()` when its state does."""

    in_folder = True  # what the guardian starts stands in the deck's folder

    def __init__(
        self,
        wish: RunSnippet,
        runs: Executor,
        class_id: str,
        changed: Callable[[bool], None] = lambda urgent: None,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self.wish = wish
        self.id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        self.state: RunState = "launching"
        self.why = ""
        self.printed = Printed()
        self.picture = b""  # that it made, when it has ended
        self.code: int | None = None
        self.signal: int | None = None
        self.left = 0  # processes that could not be ended
        self.timeout_s = max(0.1, min(wish.timeout_s, LONGEST_S))
        self.over = asyncio.Event()
        self.child: Child | None = None
        self._runs, self._class_id = runs, class_id
        self._changed, self._entered = changed, entered
        self._began = time.monotonic()
        self._ended: float | None = None
        self._hung_up, self._heard = asyncio.Event(), asyncio.Event()
        self._end_as: tuple[RunState, str] | None = None  # where somebody ended it: how it is then called

    @property
    def ran_s(self) -> float:
        """Seconds since it began, up to its end if it is over."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def alive(self) -> bool:
        """Whether it is not over yet, also while it is being ended."""
        return not self.over.is_set()

    async def run(self, folder: Path) -> None:
        """Run it to its end, with `folder` as its working directory."""
        scratch = ""
        try:
            scratch = tempfile.mkdtemp(prefix="teachrun-")
            file = Path(scratch, f"snippet{self._runs.suffix}")
            file.write_text(self.wish.source + "\n", "utf-8", "surrogateescape")
            if self._end_as is None:
                await self._play(file, folder)
            else:
                self._enter(*self._end_as)
        except OSError as error:
            self._enter("failed", f"it cannot be started: {error.strerror or error}")
        finally:
            self._ended = time.monotonic()
            self.over.set()
            if scratch:
                await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)

    async def stop(self, state: RunState = "stopped", why: str = "") -> None:
        """Ask it to end; a second call kills it. Returns at once; `over` is set when it has ended."""
        if not self.alive:
            return
        if self._end_as is None:
            self._end_as = (state, why)
            self._enter("stopping", why)
        if self.child is not None:
            with suppress(OSError):  # it is gone already
                await self.child.send(Kill(self.id, 1))

    def output(self, start: int, *, picture: bool = True) -> Output:
        """How it stands, with what it has printed from line `start` on, as much as goes into one message;
        without its `picture` for a screen that has that."""
        at, lines = self.printed.lines(start, PUSH_CHARS)
        return Output(
            block=self.wish.block,
            run=self.id,
            lang=self.wish.lang,
            state=self.state,
            why=self.why,
            code=self.code,
            signal=self.signal,
            ran_s=self.ran_s,
            timeout_s=self.timeout_s,
            first=self.printed.first,
            at=at,
            end=self.printed.end,
            lines=lines,
            open=self.printed.open,
            picture=self.picture if picture else b"",
        )

    def type(self, keys: Keys) -> None:
        """Ignore keys: a snippet has no input."""

    def processes(self) -> Iterator[Process]:
        """Yield its guardian while that lives; what the snippet starts is below it."""
        own = self.child.own if self.child is not None else None
        if own is not None and own.alive:
            yield Process(own.pid, "guardian", None, self.id, wall_clock(own.started))

    # --- its life ---------------------------------------------------------------------------------------

    async def _play(self, file: Path, folder: Path) -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        loop = asyncio.get_running_loop()
        try:
            program = ("nice", "-n", "10", *self.program(file, folder))
            self.child = Child(
                lambda fd: (
                    *(sys.executable, "-P", "-m", "runtime.launch.guardian"),
                    *("--fd", str(fd), "--parent", str(os.getpid())),
                    *(("--cwd", str(folder)) if self.in_folder else ()),
                    *("--", *program),
                ),
                self._environment(),
                writer,
                self._ordered,
                self._hung_up.set,
            )
            self._enter("running")
            loop.add_reader(reader, self._read, reader)
            await self._watch()
            await self._clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), _LAST_WORDS_S)
        finally:
            loop.remove_reader(reader)
            self._heard.set()
            os.close(reader)
        self.printed.feed(b"", final=True)
        self._ended = time.monotonic()
        self._enter(*(self._end_as or self._verdict()))

    def program(self, file: Path, folder: Path) -> tuple[str, ...]:
        """Return the command; `file` holds the code, alone in a folder that is removed afterwards."""
        # Modules beside the deck can be imported, but not by our own interpreters: hence `env`.
        path = os.pathsep.join(filter(None, (str(folder), users_pythonpath())))
        return ("env", f"PYTHONPATH={path}", *self._runs.command(file))

    def take(self, data: bytes) -> None:
        """Take in what it printed."""
        self.printed.feed(data)

    def _environment(self) -> dict[str, str]:
        ours = {
            CLASS_MARK: self._class_id,
            PART_MARK: "guardian",
            "TEACHRUN_RUN": self.id,
            "TEACHRUN_GENERATION": "1",
            "PYTHONUNBUFFERED": "1",
            "TERM": "dumb",  # colours and cursors would be taken out again
        }
        return {**os.environ, **ours}

    async def _watch(self) -> None:
        """Wait until its guardian has gone, which outlives everything it guards."""
        while not self._hung_up.is_set():
            left = self.timeout_s - self.ran_s
            if left <= 0 and self._end_as is None:
                await self.stop("failed", f"ended at its limit of {self.timeout_s:g} s")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hung_up.wait(), min(TICK_S, max(left, 0.01)))
            self._changed(False)

    async def _clear(self) -> None:
        """Kill what the command had forked under a guardian that was killed: our mark is still on it."""
        assert self.child is not None
        ended = await self.child.end(within_s=guardian.GRACE_S + 1)
        left = await sweep(self._class_id, self.id, _KILLED_WITHIN_S)
        self.left = max(len(left), not ended)  # the guardian has the mark, too

    def _verdict(self) -> tuple[RunState, str]:
        if self.code == 0:
            return "done", ""
        if self.code is not None:
            return "failed", f"exit code {self.code}"
        if self.signal is not None:
            return "failed", f"ended by signal {self.signal}"
        return "lost", "its guardian died, and it with it"

    def _ordered(self, order: AnyOrder) -> None:
        match order:
            case Exited(code=code, signal=number):
                self.code, self.signal = code, number
            case Forked(pids=()):
                self.code = guardian.NOT_STARTED
            case _:
                pass

    def _read(self, reader: int) -> None:
        try:
            data = os.read(reader, _CHUNK)
        except BlockingIOError:
            return
        loop = asyncio.get_running_loop()
        if not data:
            loop.remove_reader(reader)
            self._heard.set()
            return
        self.take(data)
        self._changed(False)
        if len(data) >= _MUCH:
            loop.remove_reader(reader)
            loop.call_later(_PAUSE_S, self._read_on, reader)

    def _read_on(self, reader: int) -> None:
        if not self._heard.is_set():
            asyncio.get_running_loop().add_reader(reader, self._read, reader)

    def _enter(self, state: RunState, why: str = "") -> None:
        self.state, self.why = state, why
        self._entered()
        self._changed(True)


class Snippets:
    """The snippets of a class, the newest run of each block. `order` puts a change into the journal,
    `changed(block, urgent)` has it shown."""

    def __init__(
        self,
        class_id: str,
        order: Callable[[actions.Run], None],
        changed: Callable[[str, bool], None],
    ) -> None:
        self.of: dict[str, Snippet] = {}
        self._class_id, self._order, self._changed = class_id, order, changed
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(
        self, wish: RunSnippet, runs: Executor, folder: Path, kind: type[Snippet] = Snippet
    ) -> None:
        """Run a block, after ending an older run of it."""
        block = wish.block
        while block in self.of and self.of[block].alive:
            await self.end(block)
        snippet = kind(
            wish,
            runs,
            self._class_id,
            lambda urgent: self._changed(block, urgent),
            lambda: self._order(
                actions.Run(block, snippet.id, 1, DEMO, {"lang": wish.lang}, snippet.state, snippet.why)
            ),
        )
        self.of[block] = snippet
        task = asyncio.create_task(snippet.run(folder), name=f"snippet {snippet.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def type(self, keys: Keys) -> None:
        """Pass keys to the program in a terminal; ignored where none runs."""
        snippet = self.of.get(keys.block)
        if snippet is not None and snippet.alive:
            snippet.type(keys)

    async def end(self, block: str) -> None:
        """End a snippet, and wait until it is over."""
        snippet = self.of.get(block)
        if snippet is not None and snippet.alive:
            await snippet.stop(why="started again")
            await snippet.stop()
            await snippet.over.wait()

    async def close(self, why: str) -> int:
        """End them all; returns how many processes could not be ended."""
        await asyncio.gather(*(self.end(block) for block in self.of))
        return sum(snippet.left for snippet in self.of.values())

    def processes(self) -> list[Process]:
        """Return the guardians of all snippets that live."""
        return [process for snippet in self.of.values() for process in snippet.processes()]


class Ended(NamedTuple):
    """How an `attempt` at a snippet ended. `printed` are its last lines, untrusted."""

    state: RunState
    why: str
    code: int | None
    ran_s: float
    printed: tuple[str, ...]
    picture: bytes = b""


async def attempt(
    lang: str, source: str, folder: Path, timeout_s: float, class_id: str, kind: type[Snippet] = Snippet
) -> Ended | Refusal:
    """Run a snippet without a class, to the end of its last process; `class_id` marks what it starts."""
    runs = await asyncio.to_thread(executor, lang)
    if isinstance(runs, Refusal):
        return runs
    snippet = kind(RunSnippet("", lang, source, timeout_s), runs, class_id)
    await snippet.run(folder)
    _, lines = snippet.printed.lines(snippet.printed.end - 20, PUSH_CHARS)
    return Ended(snippet.state, snippet.why, snippet.code, snippet.ran_s, lines, snippet.picture)
