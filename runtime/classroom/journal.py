"""The journal of a class: one action a line, appended and flushed, never rewritten.

A line that a crash cut in half is skipped on reading and cut off before the next append, so a class resumes
from everything that was whole.

An entry is written to the kernel before anybody is told of it, so a killed process loses none. A thread
writes: where a disk hangs, the class goes on without it, as on a full one. The disk is not waited for each
time (a flush takes 0.1 to 50 ms, and every key pressed is an entry): another thread flushes what is new, at
most once a second, so a power cut costs about the last second of a class.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

import msgspec

from runtime.classroom.actions import AnyAction, Entry, Visibility

FLUSHED_S = 1.0  # between two flushes of the disk
HANGS_S = 1.0  # a write that takes longer is not waited for
HANGS = "the disk takes nothing"
_decoder = msgspec.json.Decoder(Entry)
_encode = msgspec.json.Encoder().encode


def read(path: Path) -> list[Entry]:
    """Return all whole entries, in order. A missing file is an empty journal; broken lines are left out."""
    entries: list[Entry] = []
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return entries
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            entries.append(_decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return entries


class _Writing:
    """So many entries on their way into the file, and how that ended."""

    def __init__(self, entries: list[Entry]) -> None:
        self.count = len(entries)
        self.data = b"".join(_encode(entry) + b"\n" for entry in entries)
        self.over = threading.Event()
        self.error: OSError | None = None


class Journal:
    """Appends entries to `path`, one writer at a time (the host holds the class's lock).

    A disk that is full or hangs must not end a class: the entry is kept in memory, `failed` says why, and the
    next append writes everything that is missing.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self.path = path
        self.entries = read(path)
        self.failed = ""
        self._now = now
        self._unwritten: list[Entry] = []
        self._writing: _Writing | None = None
        self._to_write: SimpleQueue[_Writing] | None = None
        self._news = threading.Event()  # something that the disk was not asked to keep yet
        self._whole: int | None = None  # what of the file is whole, after one that could not be written
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._mend_tail()

    def _mend_tail(self) -> None:
        if self.path.exists() and self.path.stat().st_size:
            with self.path.open("rb+") as file:
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")

    def keep_flushed(self, every_s: float = FLUSHED_S) -> None:
        """Start the thread that flushes what is appended to disk; it ends with the process."""

        def flush() -> None:
            while self._news.wait():
                self._news.clear()
                with suppress(OSError), self.path.open("rb") as file:  # trouble is what `append` says
                    os.fsync(file.fileno())
                time.sleep(every_s)

        threading.Thread(target=flush, name="journal", daemon=True).start()

    def append(
        self, action: AnyAction, screen: str = "", visible: Visibility = "all", at: float = 0.0
    ) -> Entry:
        """Order and store one action; returns the entry with its number and time: `at`, as far as that is
        neither to come nor before the entry that it follows. Time of a class never runs backwards."""
        last = self.entries[-1] if self.entries else None
        now = self._now()
        t = max(min(at or now, now), last.t if last else 0.0)
        entry = Entry(last.seq + 1 if last else 1, t, screen, visible, action)
        self.entries.append(entry)
        self._unwritten.append(entry)
        self.keep()
        return entry

    def keep(self) -> bool:
        """Write what is not in the file yet; False where that fails or hangs, and `failed` says why."""
        patience_s = 0.0 if self.failed == HANGS else HANGS_S
        while self._writing or self._unwritten:
            writing = self._writing or self._begin()
            if not writing.over.wait(patience_s):
                self.failed = HANGS
                return False
            self._writing = None
            if writing.error is not None:
                self.failed = writing.error.strerror or str(writing.error)
                return False
            del self._unwritten[: writing.count]
            patience_s = HANGS_S
        self.failed = ""
        self._news.set()
        return True

    def _begin(self) -> _Writing:
        if self._to_write is None:  # not before: who forks after it was made takes no thread along
            self._to_write = SimpleQueue()
            threading.Thread(target=self._write_all, args=(self._to_write,), daemon=True).start()
        self._writing = writing = _Writing(self._unwritten)
        self._to_write.put(writing)
        return writing

    def _write_all(self, to_write: SimpleQueue[_Writing]) -> None:
        while True:
            writing = to_write.get()
            try:
                self._write(writing.data)
            except OSError as error:
                writing.error = error
            writing.over.set()

    def _write(self, data: bytes) -> None:
        """Write everything or nothing: half a line would spoil the next one."""
        with self.path.open("ab", buffering=0) as file:
            if self._whole is not None:
                file.truncate(self._whole)  # what was left of it then could not be cut off
                self._whole = None
            whole = os.fstat(file.fileno()).st_size
            try:
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
            except OSError:
                self._whole = whole
                file.truncate(whole)
                raise
