"""Keeps what ranks print within bounds: a script may print without end, and disks are finite.

Each rank writes into a named pipe; the guardian holds the other end and writes `rank-N.log`. A log that
has reached its share is put aside as `rank-N.log.1`, over the one before, so the newest part is always there.
A limit on file size (RLIMIT_FSIZE) would do the same to the script's checkpoints.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

TOTAL_BYTES = 32 << 20  # of all logs of a run together, what was put aside included
TAIL = 1 << 16  # bytes at its end that are read again
_CHUNK = 1 << 16
_AT_ONCE = 16  # chunks; then somebody else has a turn


class RankLog:
    """The log of one rank and the pipe it comes through. Raises `OSError` when they cannot be made."""

    def __init__(self, folder: Path, rank: int, share: int) -> None:
        self.path = folder / f"rank-{rank}.log"
        self.pipe = self.path.with_suffix(".pipe")
        self.total = 0  # bytes printed so far, kept or not
        self._share, self._size, self._dropped = share, 0, 0
        os.mkfifo(self.pipe, 0o600)
        self._reader = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        # With a writer of our own there is no end of file between two writers.
        self._writer = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._log = self._open()

    def fileno(self) -> int:
        """Return the descriptor to read from: makes it something a selector can wait for."""
        return self._reader

    def drain(self) -> bool:
        """Write what has arrived, at most so much at once; False if there was nothing."""
        for turn in range(_AT_ONCE):
            try:
                data = os.read(self._reader, _CHUNK)
            except BlockingIOError:
                return turn > 0
            self._write(data)
        return True

    def close(self) -> None:
        """Write what a rank that is gone printed last, and remove the pipe."""
        while self.drain():
            pass
        for fd in (self._reader, self._writer, self._log):
            os.close(fd)
        self.pipe.unlink(missing_ok=True)

    def tail(self) -> bytes:
        """Return what was written last; nothing where it cannot be read."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - TAIL))
                return file.read(TAIL)
        except OSError:
            return b""

    def _write(self, data: bytes) -> None:
        self.total += len(data)
        if self._size + len(data) > self._share:
            self._put_aside()
        self._size += len(data)
        with suppress(OSError):  # a full disk loses words, it does not end the training
            os.write(self._log, data)

    def _put_aside(self) -> None:
        old = self.path.with_name(self.path.name + ".1")
        with suppress(OSError):
            if old.exists():
                self._dropped += old.stat().st_size
            os.close(self._log)
            self.path.replace(old)
        self._log, self._size = self._open(), 0
        said = f"teachrun: the {self._share >> 10} KB before this are in {old.name}"
        more = f", {self._dropped >> 10} KB before those were dropped" if self._dropped else ""
        self._write(f"{said}{more}\n".encode())

    def _open(self) -> int:
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def rank_logs(folder: Path, ranks: int) -> list[RankLog]:
    """Open a log for each rank, of equal shares of `TOTAL_BYTES`."""
    return [RankLog(folder, rank, TOTAL_BYTES // (2 * ranks)) for rank in range(ranks)]
