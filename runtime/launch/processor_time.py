"""Whether processes work or sleep: how long they ran, and how long they stood in the queue for a processor.

By the clock a rank on a machine with much to do looks like one that is stuck. The kernel tells the two apart
(`/proc/PID/schedstat`, its documentation calls it sched-stats): who waits for another process sleeps, and
neither runs nor wants to. What counts is the main thread of each, which trains; others give signs of life.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from runtime.launch.processes import Own, state

AWAKE = 0.05  # of the time between two looks: below it a process sleeps, but for a signal now and then
GAP_S = 1.0  # a longer time between two looks was ours: we had no turn ourselves, or were stopped
LEAST = 0.1  # of any time counts, however long somebody waited for a processor: a watchdog comes to its end
TICK_S = 0.01  # of the kernel's clock, at most: so often it counts how long a process has run
_PROC = Path("/proc")


class Since(NamedTuple):
    """What was so since the look before.

    `seconds` are those that passed, `GAP_S` at most; `ran_s` and `waited_s` are the same part of them as of
    all that passed, for the process that waited longest for a processor; `awake`: one of them ran, wanted to,
    or waited for a disk.
    """

    seconds: float = 0.0
    ran_s: float = 0.0
    waited_s: float = 0.0
    awake: bool = False

    @property
    def counted_s(self) -> float:
        """The seconds that no wait for a processor explains, and at least `LEAST` of any."""
        return max(LEAST * self.seconds, self.seconds - self.waited_s)


class ProcessorTime:
    """Looks at processes again and again."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._spent: dict[Own, tuple[float, float]] = {}

    def look(self, processes: Iterable[Own], now: float, *, spin: bool = False) -> Since:
        """Return what they did since the last look; `now` is seconds of the monotonic clock. `spin`: who
        waits runs all the while, as ranks that wait for a GPU do, so that running tells nothing."""
        before, self._spent = self._spent, {}
        gap = 0.0 if self._at is None else max(0.0, now - self._at)
        self._at = now
        most, awake = (0.0, 0.0), False
        for own in processes:
            spent, letter = spent_by(own.pid), state(own.pid)
            if spent is None:
                awake |= letter == "D" or (letter == "R" and not spin)
                continue
            self._spent[own] = spent
            ran, waited = (
                max(0.0, new - old) for new, old in zip(spent, before.get(own, spent), strict=True)
            )
            waited = min(waited, gap)
            if letter == "R":  # a wait is counted when it is over, and this one is not
                # How long it ran may be a tick old: one that spins would seem to have waited since then.
                waited = max(waited, gap - ran - (TICK_S if spin else 0.0))
            awake |= letter == "D" or (0.0 if spin else ran) + waited > AWAKE * gap
            most = max(most, (waited, ran))
        seen = min(1.0, GAP_S / gap) if gap else 0.0
        return Since(seen * gap, seen * most[1], seen * most[0], awake)


class PatientClock:
    """A clock for watchdogs: it stands while a process waits for its turn on a processor, and while nobody
    was there to look. Time that nothing explains passes; so does at least `LEAST` of any."""

    LOOK_S = 0.2

    def __init__(self) -> None:
        self.now = 0.0
        self._looks, self._looked_at = ProcessorTime(), -self.LOOK_S

    def look(self, processes: Callable[[], Iterable[Own]], now: float) -> float:
        """Return its time, after a look at the processes if the last one was `LOOK_S` ago; `now` is of the
        monotonic clock, in seconds."""
        if now - self._looked_at >= self.LOOK_S:
            self._looked_at = now
            self.now += self._looks.look(processes(), now).counted_s
        return self.now


def spent_by(pid: int) -> tuple[float, float] | None:
    """Return the seconds in which the main thread ran and stood in the queue; None where nobody counts them,
    or it is gone."""
    try:
        ran, waited, _ = (_PROC / str(pid) / "schedstat").read_bytes().split()
    except (OSError, ValueError):
        return None
    return int(ran) / 1e9, int(waited) / 1e9
