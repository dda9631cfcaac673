"""Makes a process end with the one that started it, even when that one is killed with SIGKILL.

Two ways, because neither is enough: the kernel's parent-death signal (Linux, at once, but lost over `exec`
of a privileged file) and a pipe whose other end only the parent holds (everywhere, needs a thread).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
ORPHANED = 70  # exit code of a process that ended because its parent was gone


def die_with_parent(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Get signal `how` when `parent` (its pid) ends. Exits at once if that has already happened.

    The kernel watches the *thread* that started us: a parent must start children from a thread that lives on.
    Where the kernel offers nothing (macOS) a thread looks twice a second and ends this process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)
    else:
        threading.Thread(target=_look_for_parent, args=(parent,), name="lifeline", daemon=True).start()
    if os.getppid() != parent:
        os._exit(ORPHANED)


def _look_for_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(ORPHANED)


def die_at_eof(fd: int) -> None:
    """Start a thread that ends this process when the other end of pipe `fd` closes."""

    def watch() -> None:
        try:
            while os.read(fd, 512):
                pass
        except OSError:
            pass
        os._exit(ORPHANED)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def adopt_orphans() -> bool:
    """Make this process the parent of any descendant whose own parent dies (Linux). False: not available."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def descendants(root: int) -> list[int]:
    """Return the pids of all living descendants of `root`, parents before children; none without /proc."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:  # it ended while we looked
            continue
        state, parent = text.rpartition(")")[2].split()[:2]
        if state != "Z":
            children.setdefault(int(parent), []).append(int(stat.parent.name))
    found, todo = [], [root]
    while todo:
        mine = children.get(todo.pop(0), [])
        found += mine
        todo += mine
    return found
