"""How much of the disk a recording takes: it leaves room to the class, and its files are not too large."""

from __future__ import annotations

import errno
import os

LEAST_FREE = 100 << 20  # bytes on the disk that a recording leaves to the class and its journal
LOOK_S = 1.0  # between two looks at that
LARGEST = 200 << 20  # bytes of a part, after which a second file begins: a browser has to hold its page


def is_full(written: int) -> bool:
    """Whether a recording of so many bytes goes on in another file."""
    return written >= LARGEST


def leave_room(fd: int) -> None:
    """Raise `OSError` where a recording would take the last of a disk that others write to as well."""
    disk = os.fstatvfs(fd)
    if disk.f_bavail * disk.f_frsize < LEAST_FREE:
        raise OSError(errno.ENOSPC, f"only {LEAST_FREE >> 20} MB are left on the disk")
