"""Writes an asciicast as a class goes on: by a thread of its own, so that a slow disk holds up nobody."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any

from tui.recording.cast import Event, line
from tui.recording.disk_limits import LOOK_S, leave_room

QUEUED = 512  # writes to the terminal; at 15 frames a second, half a minute of a disk that stands still


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
            leave_room(fd)
            while events := self._next():
                self._write(fd, b"".join(line(*event) for event in events if event is not None))
                if events[-1] is None:
                    break
                if time.monotonic() - looked >= LOOK_S:
                    looked = time.monotonic()
                    leave_room(fd)
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
