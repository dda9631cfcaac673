"""Writes of a host that stands still for no disk: one that works is waited for, one that hangs is not."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue

HANGS_S = 1.0  # what takes longer is not waited for

_given: SimpleQueue[tuple[Callable[[], object], threading.Event]] = SimpleQueue()
_last = threading.Event()  # set: all that was given is done
_last.set()
_thread: threading.Thread | None = None


def write(work: Callable[[], object], within_s: float | None = None) -> None:
    """Do `work` in a thread, after what was given before, and wait so long for it (else `HANGS_S`).

    It does not wait where what was given before hangs. An `OSError` costs what was to be written.
    """
    global _last, _thread
    if _thread is None:
        # Not one of a pool: those are waited for when a process ends, and a disk may hang for good.
        _thread = threading.Thread(target=_do_all, name="disk", daemon=True)
        _thread.start()
    hangs, done = not _last.is_set(), threading.Event()
    _last = done
    _given.put((work, done))
    if not hangs:
        done.wait(HANGS_S if within_s is None else within_s)


def settle(within_s: float = HANGS_S) -> bool:
    """Wait so long until all is written; whether it is."""
    return _last.wait(within_s)


def _do_all() -> None:
    while True:
        work, done = _given.get()
        with contextlib.suppress(OSError):
            work()
        done.set()
