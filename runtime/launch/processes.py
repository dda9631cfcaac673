"""Our processes, identified by pid *and* start time, so that a reused pid is never signalled.

Everything that is read here comes from /proc. Where there is none (macOS) a process is known by its pid while
we are its parent, and the sweep for leftovers finds nothing: hosts still end what they started.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runtime.launch.parent_death import descendants

CLASS_MARK = "TEACHRUN_CLASS"  # in the environment of every process of a class
PART_MARK = "TEACHRUN_PART"  # host, stage or guardian; what these start inherits it
_PROC = Path("/proc")
_LINUX = sys.platform == "linux"
NEXT_LOOK_S = 0.2  # so long a sweep waits for those whom it killed before it looks for others
_TICK = os.sysconf("SC_CLK_TCK")
_PF_EXITING = 0x4  # of the flags in /proc/PID/stat (linux/sched.h)


def start_time(pid: int) -> float | None:
    """Seconds after boot at which `pid` started; None when it is gone or a zombie (proc_pid_stat(5))."""
    if not _LINUX:
        try:
            os.kill(pid, 0)
        except OSError:
            return None
        return 0.0
    fields = _fields(pid)
    return None if not fields or fields[0] in "ZX" else int(fields[19]) / _TICK


def _fields(pid: int) -> list[str]:
    """What proc_pid_stat(5) says behind the name, which may hold anything; nothing where it is gone."""
    try:
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def state(pid: int) -> str:
    """Return the letter of what it does (R runs or wants to, S sleeps, D waits for a disk, T is stopped); "?"
    where it is gone."""
    fields = _fields(pid)
    return fields[0] if fields else "?"


def dying(pid: int) -> bool:
    """Whether it is ending or gone: others see its sockets close before its parent can reap it."""
    fields = _fields(pid)
    return bool(int(fields[6]) & _PF_EXITING) if fields else _LINUX


def _killed(pid: int) -> bool:
    """Whether a SIGKILL is on its way to it (proc_pid_status(5): SigPnd, ShdPnd)."""
    try:
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return _LINUX
    pending = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(mask & 1 << (signal.SIGKILL - 1) for mask in pending)


def wall_clock(started: float) -> float:
    """Convert a `start_time` to seconds of the wall clock."""
    if not _LINUX:
        return 0.0
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + started


@dataclass(frozen=True, slots=True)
class Own:
    """One process of ours. `of` gives None for a pid that is gone already."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> Own | None:
        """Return the process of a pid with its start time, None if there is none."""
        started = start_time(pid)
        return cls(pid, started) if started is not None else None

    @property
    def alive(self) -> bool:
        """Whether it is still the same process: the pid is there, with the same start time."""
        return start_time(self.pid) == self.started

    @property
    def doomed(self) -> bool:
        """Whether it will never run a line of its own again and needs only a turn on a processor to end: it
        is ending or killed, which takes seconds where many wait for one. Who waits for a disk or a driver may
        do so for ever, killed or not, and holds its memory, ports and GPU all the while."""
        return self.alive and state(self.pid) != "D" and (dying(self.pid) or _killed(self.pid))

    @property
    def stopped(self) -> bool:
        """Whether it stands still because of a signal (SIGSTOP), or because a debugger holds it."""
        return state(self.pid) in ("T", "t")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to this process and to nobody else."""
        try:
            if hasattr(os, "pidfd_open"):
                # The descriptor pins the process: the pid cannot change hands between check and signal.
                fd = os.pidfd_open(self.pid)
                try:
                    if self.alive:
                        signal.pidfd_send_signal(fd, how)
                finally:
                    os.close(fd)
            elif self.alive:
                os.kill(self.pid, how)
        except ProcessLookupError:
            pass


def below(root: int) -> list[Own]:
    """Return all living descendants of a process, whatever they call themselves."""
    return [own for own in map(Own.of, descendants(root)) if own is not None]


def kill_all(processes: Iterable[Own]) -> None:
    """Kill each of them."""
    for own in processes:
        own.kill()


async def gone(processes: Iterable[Own], within_s: float) -> list[Own]:
    """Wait until the processes are gone; returns those that are still there after `within_s` seconds, and are
    not killed already."""
    deadline = time.monotonic() + within_s
    left = [process for process in processes if process.alive]
    while left and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
        left = [process for process in left if process.alive]
    return [process for process in left if not process.doomed]


@dataclass(frozen=True, slots=True)
class Marked:
    """A process that carries our mark. `part` is what its executable was started as."""

    own: Own
    parent: int
    class_id: str
    part: str
    environ: dict[str, str]


def _environ(pid: int) -> dict[str, str]:
    data = (_PROC / str(pid) / "environ").read_bytes().decode(errors="replace")
    return dict(item.split("=", 1) for item in data.split("\0") if "=" in item)


def _parent(pid: int) -> int:
    return int((_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])


def marked(class_id: str | None = None) -> Iterator[Marked]:
    """Find every process of this user that carries the mark of `class_id` (None: of any class).

    A forked rank shows the environment of its fork server: it is found by that one's mark.
    """
    if not _LINUX:
        return
    me = os.getuid()
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        pid = int(folder.name)
        try:
            if folder.stat().st_uid != me:
                continue
            environ = _environ(pid)
            found = environ.get(CLASS_MARK)
            if found is None or PART_MARK not in environ or (class_id is not None and found != class_id):
                continue
            own = Own.of(pid)
            if own is not None:
                yield Marked(own, _parent(pid), found, environ[PART_MARK], environ)
        except (OSError, ValueError, IndexError):
            continue  # it went away while we looked


async def sweep(
    class_id: str, run: str, within_s: float, look: Callable[[], list[Own]] | None = None
) -> list[Own]:
    """Kill what carries the mark of `run`, until two looks find nobody; returns those that are left.

    One look is not enough: what forks between the look and its own end leaves a child that was not seen, and
    a parent that ends while the list is read is not seen either. Who is killed and slow to die keeps nobody
    from the next look.

    Args:
        class_id: The class of the run.
        run: The run whose processes they are.
        within_s: For how many seconds at most.
        look: Finds them; else by their marks.
    """

    def by_marks() -> list[Own]:
        return [m.own for m in marked(class_id) if m.environ.get("TEACHRUN_RUN") == run]

    seen = look or by_marks

    def living() -> list[Own]:
        return [own for own in seen() if own.alive and not own.doomed]

    deadline, empty = time.monotonic() + within_s, 0
    killed: set[Own] = set()
    while empty < 2:
        found = living()
        kill_all(found)
        killed.update(found)
        if time.monotonic() >= deadline:
            return living()
        await gone(found, min(NEXT_LOOK_S, deadline - time.monotonic()))
        empty = 0 if found else empty + 1
        await asyncio.sleep(0)
    return await gone(killed, deadline - time.monotonic())
