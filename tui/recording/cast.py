"""asciicast v2: a header and one event a line. Written by a thread of its own, read up to where it was cut.

https://docs.asciinema.org/manual/asciicast/v2/ -- times are seconds from the beginning. Codes used here: `o`
what was written to the terminal, `r` its new size (`80x24`), `m` a marker with its label.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any, NamedTuple

QUEUED = 512  # writes to the terminal; at 15 frames a second, half a minute of a disk that stands still
LEAST_FREE = 100 << 20  # bytes on the disk that a recording leaves to the class and its journal
LOOK_S = 1.0  # between two looks at that
OURS = "teachrun"  # the key of the header that is ours


class Event(NamedTuple):
    """Event of an asciicast: `t` in seconds since its start, code ("o" is output) and data."""

    t: float
    code: str
    data: str


def line(t: float, code: str, data: str) -> bytes:
    """One event as a line of the file."""
    text = json.dumps([round(t, 6), code, data], ensure_ascii=False, separators=(", ", ": "))
    return text.encode("utf-8", "replace") + b"\n"


class Writer:
    """Appends events to a new file. `put` never blocks and never fails: `failed` says why nothing is written.

    Every event is in the file's cache as soon as the thread gets to it, so a killed process loses only what
    is in the queue. The file is locked as long as it is written: who finds it unlocked knows that it is cut.
    """

    def __init__(
        self,
        path: Path,
        header: dict[str, Any],
        *,
        capacity: int = QUEUED,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.failed = ""
        self.written = 0  # bytes in the file
        self._now = now
        self._began = now()
        self._queue: Queue[Event | None] = Queue(capacity)
        first = json.dumps(header, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        self._thread = threading.Thread(target=self._run, args=(first,), name="recording", daemon=True)
        self._thread.start()

    @property
    def elapsed(self) -> float:
        """Seconds since the recording began."""
        return self._now() - self._began

    def put(self, code: str, data: str) -> bool:
        """Write an event of this moment; False when there is no room for it now, or never again."""
        if self.failed:
            return False
        try:
            self._queue.put_nowait(Event(self.elapsed, code, data))
        except Full:
            return False
        return True

    def close(self, within_s: float = 5.0) -> None:
        """Write what is queued and let the file go. Blocks: not for the thread of a screen."""
        try:
            self._queue.put(None, timeout=within_s)
        except Full:
            self.failed = self.failed or "the disk does not answer"
        self._thread.join(within_s)

    def _run(self, first: bytes) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            self._fail(error)
            return
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._write(fd, first)
            looked = time.monotonic()
            _leave_room(fd)
            while events := self._next():
                self._write(fd, b"".join(line(*event) for event in events if event is not None))
                if events[-1] is None:
                    break
                if time.monotonic() - looked >= LOOK_S:
                    looked = time.monotonic()
                    _leave_room(fd)
        except OSError as error:
            self._fail(error)
        finally:
            os.close(fd)

    def _write(self, fd: int, data: bytes) -> None:
        _append(fd, data)
        self.written += len(data)

    def _next(self) -> list[Event | None]:
        """What is queued, at least one; None ends it."""
        events = [self._queue.get()]
        while events[-1] is not None:
            try:
                events.append(self._queue.get_nowait())
            except Empty:
                break
        return events

    def _fail(self, error: OSError) -> None:
        self.failed = error.strerror or str(error)


def _append(fd: int, data: bytes) -> None:
    """Whole lines only: what a full disk takes of the last one is taken back. Raises `OSError`."""
    begun = os.lseek(fd, 0, os.SEEK_CUR)
    written = 0
    try:
        while written < len(data):
            written += os.write(fd, data[written:])
    except OSError:
        os.ftruncate(fd, begun + data.rfind(b"\n", 0, written) + 1)
        raise


def _leave_room(fd: int) -> None:
    """Raises `OSError` where a recording would take the last of a disk that others write to as well."""
    disk = os.fstatvfs(fd)
    if disk.f_bavail * disk.f_frsize < LEAST_FREE:
        raise OSError(errno.ENOSPC, f"only {LEAST_FREE >> 20} MB are left on the disk")


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else writes or processes this recording meanwhile. Raises `CastError` where somebody does."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CastError(f"{path.name} is processed already") from None
        yield


def is_written(path: Path) -> bool:
    """Whether somebody still writes or processes this recording."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class CastError(ValueError):
    """The file is no recording; the text says which and why."""


def read(path: Path) -> tuple[dict[str, Any], Iterator[Event]]:
    """Header and events of a recording; a last line that was cut is left out.

    Raises:
        CastError: it is not asciicast v2.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            header = json.loads(file.readline())
        except (ValueError, RecursionError):
            header = None
    if not isinstance(header, dict) or header.get("version") != 2:
        raise CastError(f"{path.name} is not asciicast v2")
    return header, _events(path)


def unfinished(classes: Path) -> list[Path]:
    """The recordings of all classes below that were never made into a page and that nobody writes, by age."""
    found = []
    for cast in classes.glob("*/recordings/*.cast"):
        with contextlib.suppress(OSError, CastError):
            if cast.with_suffix(".html").exists() or is_written(cast):
                continue
            ours = read(cast)[0].get(OURS)
            if isinstance(ours, dict) and ours.get("raw"):
                found.append((cast.stat().st_mtime, cast))
    return [cast for _, cast in sorted(found)]


def _events(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        file.readline()
        for row in file:
            try:
                t, code, data = json.loads(row)
                yield Event(float(t), str(code), str(data))
            except (ValueError, TypeError):
                continue
