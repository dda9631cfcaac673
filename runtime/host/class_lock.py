"""The lock file that lets one host live per class."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import IO

from runtime import paths


def lock(class_id: str) -> IO[bytes] | None:
    """Take the lock of a class, held as long as the file is open.

    Returns:
        The open file, or None where another host has the lock.
    """
    path = paths.lock_file(class_id)
    file = path.open("ab")
    for _ in range(20):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_current(file, path):
                os.utime(path)  # a killed host may have left it: its time says when this one began
                return file
            file.close()  # the host that had it has ended, and taken it along
            file = path.open("ab")
            continue
        except BlockingIOError:
            if paths.answers(paths.screen_socket(class_id)):
                break  # one serves: who waited until that is ended would bring the class back
            time.sleep(0.05)  # a killed host's children may hold a copy of it for a moment longer
    file.close()
    return None


def is_current(file: IO[bytes], path: Path) -> bool:
    """Whether the name `path` still belongs to this open file: a host that ended removed its lock."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def remove_leftovers() -> None:
    """Remove what killed hosts left behind: locks that nobody holds, with their sockets."""
    for path in paths.run_dir().glob("*.lock"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_current(file, path):
                for left in (paths.screen_socket(path.stem), paths.rank_socket(path.stem), path):
                    left.unlink(missing_ok=True)
