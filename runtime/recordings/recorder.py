"""Writes a run to disk: `run.json` and its events, compressed in a thread.

`events.jsonl.gz` is a row of gzip members, one a second or one that another machine has made, each whole by
itself: a cut file loses one second.
A line is one event as JSON, the array of the wire. Trouble with the disk ends the recording, never the run.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import platform
import queue
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from importlib import metadata
from itertools import chain, groupby
from pathlib import Path
from typing import Any
from weakref import WeakSet

import msgspec

from runtime.atomic_write import put
from runtime.protocol.events import Event, Log, XRay
from runtime.recordings.files import About, Machine, Unreadable
from runtime.recordings.recorded_events import Lines
from runtime.recordings.recording import Recording
from runtime.recordings.removing_old_runs import remove_old

MAX_RUN_BYTES = 50 << 20
MAX_PENDING = 200_000  # events that wait to be written; more are not recorded, and counted
HANGS_S = 3.0  # a disk that has taken nothing for so long
MAX_BATCH = 50_000  # events of a second, from which on they are handed over before it is over
LEVEL = 3  # of compression: more of it costs a host more than it spares its disk
_NICE = 10
_encoder = msgspec.json.Encoder()  # a loss that is not a number is written as null
_encode = _encoder.encode


def machine() -> Machine:
    """Describe machine and software of a run, without importing torch."""
    versions: dict[str, str | None] = {}
    for name in ("teachrun", "torch"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return Machine(
        system=platform.system(),
        release=platform.release(),
        machine=platform.machine(),
        cpu=_cpu(),
        cores=os.cpu_count(),
        python=platform.python_version(),
        **versions,
    )


def _cpu() -> str:
    """Return the processor's name if the kernel tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else ""


def _be_nice() -> None:
    if sys.platform == "linux":  # priorities are per thread there
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def keep(recording: Recording, target: Path) -> int:
    """Write a run into the folder `target`, to copy or ship it; returns its size in bytes.

    What ranks have printed stays behind (it names paths and people), where their traces lie, and the kernel's
    own name. Raises `Unreadable` where `target` holds something else, `OSError`.
    """
    if target.exists() and not (target / "run.json").is_file():
        raise Unreadable(f"{target} is there already and holds no run: name a new folder")
    target.mkdir(parents=True, exist_ok=True)
    made_on = msgspec.structs.replace(recording.about.made_on, release="")
    about = msgspec.structs.replace(recording.about, block="", made_on=made_on)
    heard = (
        msgspec.structs.replace(event, file="") if isinstance(event, XRay) else event
        for event in recording.events
        if not isinstance(event, Log)
    )
    # Without a time in it the same run makes the same file.
    files = {"run.json": _readable(about), "events.jsonl.gz": gzip.compress(lines(heard), mtime=0)}
    for name, content in files.items():
        put(target / name, content)
    return sum(map(len, files.values()))


def _readable(about: About) -> bytes:
    return msgspec.json.format(_encode(about), indent=2) + b"\n"


def lines(events: Iterable[Event]) -> bytes:
    """Return events as they are recorded, a line each."""
    return _encoder.encode_lines(events)


def member(events: Iterable[Event]) -> bytes:
    """Return events as a piece of a recording: whole by itself, and put behind others."""
    return gzip.compress(lines(events), compresslevel=LEVEL, mtime=0)


_recorders: WeakSet[Recorder] = WeakSet()  # as long as their threads go on, and a little longer


async def all_written() -> None:
    """Wait for what this process records, as far as the disk takes it; what it does not is noted."""
    await asyncio.gather(*(recorder.written() for recorder in list(_recorders)))


class Recorder:
    """Writes one run into `runs / about.run`. `note` says what went wrong, "" when nothing did."""

    def __init__(self, runs: Path, about: About) -> None:
        self.folder = runs / about.run
        self.note = ""
        self._refused = 0  # events that came faster than they could be written, or after a trouble
        self._unwritten = 0  # and those that were given to the writing thread when there was one
        self._pending: list[Sequence[Event] | bytes] = []  # events, or a member made elsewhere
        self._pending_events = 0
        self._moved_at = time.monotonic()
        self._given = self._done = 0  # events that the writing thread was handed, and is done with
        self._written = 0
        self._made_on = Machine()
        self._jobs: queue.SimpleQueue[tuple[Future[None], Any, tuple[Any, ...]]] = queue.SimpleQueue()
        # Nobody who leaves waits for it, as for a pool's threads: a disk may hang for good.
        threading.Thread(target=self._work, name="recorder", daemon=True).start()
        _recorders.add(self)
        self._newest = self._submit(self._open, runs, about)

    @property
    def lost(self) -> int:
        """Events that are not on disk and never will be."""
        return self._refused + self._unwritten

    @property
    def full(self) -> bool:
        """Whether too much waits to be written, so that events should wait with their senders. False for a
        disk that hangs."""
        moving = time.monotonic() - self._moved_at < HANGS_S
        return moving and not self.note and self.waiting > MAX_PENDING // 2

    @property
    def waiting(self) -> int:
        """Events that are neither on disk nor lost."""
        return self._given - self._done + self._pending_events

    def take(self, events: Sequence[Event], made: Lines | None = None) -> None:
        """Queue events for the writing thread, or what `member` has `made` of them on another machine; never
        blocks, counts those over `MAX_PENDING` as lost."""
        number = len(events) if made is None else made.number
        if self.note or self.waiting + number > MAX_PENDING:
            self._refused += number
            return
        self._pending.append(events if made is None else made.member)
        self._pending_events += number
        if self._pending_events > MAX_BATCH:
            self.flush()

    def flush(self) -> None:
        """Hand what came since the last flush to the writing thread; call it once a second."""
        if self._pending:
            batch, self._pending = self._pending, []
            events, self._pending_events = self._pending_events, 0
            self._given += events
            self._newest = self._submit(self._write, batch, events)

    def close(self, about: About) -> Future[None]:
        """Write what is left and how the run ended. The future is done when it is on disk."""
        self.flush()
        self._newest = self._submit(self._write_about, about)
        self._submit(None)
        return self._newest

    async def written(self) -> bool:
        """Wait until all is on disk; False: it has taken nothing for `HANGS_S`, and is not waited for."""
        began = time.monotonic()
        while not self._newest.done():
            if time.monotonic() - max(began, self._moved_at) > HANGS_S:
                self.note = self.note or f"not all of this run is recorded: {self.folder} takes nothing"
                return False
            await asyncio.sleep(0.01)
        return True

    def _submit(self, job: Any, *args: Any) -> Future[None]:
        done: Future[None] = Future()
        self._jobs.put((done, job, args))
        return done

    def _work(self) -> None:
        _be_nice()
        while True:
            done, job, args = self._jobs.get()
            if job is None:
                return
            try:
                job(*args)
            except OSError as error:
                self.note = self.note or f"this run is not recorded any more: {error.strerror or error}"
            except BaseException as error:
                done.set_exception(error)
                raise
            self._moved_at = time.monotonic()
            done.set_result(None)

    def _open(self, runs: Path, about: About) -> None:
        self._made_on = machine()
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        remove_old(runs, self.folder.name)
        self._write_about(about)

    def _write_about(self, about: About) -> None:
        """Write `run.json`, even if the events could not be written: how a run ended matters most."""
        about = msgspec.structs.replace(about, made_on=self._made_on)
        put(self.folder / "run.json", _readable(about))

    def _write(self, batch: list[Sequence[Event] | bytes], events: int) -> None:
        written = False
        try:
            written = self._append(batch)
        finally:
            self._unwritten += 0 if written else events
            self._done += events

    def _append(self, batch: list[Sequence[Event] | bytes]) -> bool:
        """Write events to disk; False: there is no more room for them. Raises `OSError`."""
        if self.note:
            return False
        members = b"".join(_members(batch))
        if self._written + len(members) > MAX_RUN_BYTES:
            self.note = f"only the first {self._written >> 20} MB of this run are recorded"
            return False
        with (self.folder / "events.jsonl.gz").open("ab") as file:
            file.write(members)
        self._written += len(members)
        return True


def _members(batch: Iterable[Sequence[Event] | bytes]) -> Iterator[bytes]:
    """Return gzip members in the order of a batch: one of all events beside each other."""
    for made, pieces in groupby(batch, lambda piece: isinstance(piece, bytes)):
        if made:
            yield from pieces  # type: ignore[misc]
        else:
            yield member(chain.from_iterable(pieces))  # type: ignore[arg-type]
