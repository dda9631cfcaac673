"""What a student's file may take of the machine, so that a mistake in it does not take all of it."""

from __future__ import annotations

import mmap
import os
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST_FILE = 1 << 30  # bytes of one file
MOST_FORKS = 40  # processes that a rank and those below it may fork in a run
MORE = 1000  # processes and threads of this user, beyond those that there are already


def limit() -> None:
    """Have the kernel refuse a file without end and processes without end (those of root it never refuses),
    and end this rank before anything else of the machine where memory runs out."""
    _lower(resource.RLIMIT_FSIZE, MOST_FILE)
    with suppress(OSError, ValueError, IndexError):  # proc_loadavg(5): running/there
        there = Path("/proc/loadavg").read_text().split()[3].partition("/")[2]
        _lower(resource.RLIMIT_NPROC, int(there) + MORE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _lower(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def stop_forks(tell: Callable[[], None]) -> None:
    """Have each process of this rank end at its first step once there were `MOST_FORKS`; the first says so.

    It says so itself: among all the others the rank may not get its turn.
    """
    count = mmap.mmap(-1, 8)  # shared with all that is forked

    def one_more() -> None:
        now = int.from_bytes(count[:4], "little") + 1
        count[:4] = now.to_bytes(4, "little")
        if now <= MOST_FORKS:
            return
        if not count[4]:
            count[4] = 1
            with suppress(OSError):
                tell()
        os._exit(1)

    os.register_at_fork(after_in_child=one_more)
