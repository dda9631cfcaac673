"""Tells a run that is stuck from one that is only slow: a busy machine is no fault of its ranks.

Ranks that are stuck sleep: each waits for another, and none wants a processor. Who computes, has no turn on a
processor or waits for a disk gets on, however long that takes by the clock. So a run is ended only after a
time in which all of its ranks slept, and only as far as this process was there to see it: what passed while
it was stopped itself, or had no turn, is no evidence.

Where nobody counts what a process runs (macOS, which has no /proc) ranks that compute look as if they slept:
their run is ended at `ENDED_AT` times its limit. A Linux kernel without `schedstat` still says whether a
process runs just now.

There is a way out of all of it. A demo of ours that computes without a step is ended after thirty times its
limit (`LONGEST`): ten minutes where it has made no step yet. Of the time for which it waits for a processor
a tenth counts (`processor_time.LEAST`), so the longest is three hundred times its limit: a hundred minutes
where it has made no step, longer only by what passed between two looks more than a second apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.launch.processes import Own
from runtime.launch.processor_time import ProcessorTime

ENDED_AT = 2.0  # times over its limit at which a run whose ranks sleep is ended
SLEPT = 0.5  # so much of its limit they have slept then, without a break
LONGEST = 30.0  # times its limit, without the time in a queue: then it is ended though its ranks compute
STARVED = 0.5  # a rank that gets a smaller part of the processor time that it asks for is slow by no fault
ASKED_S = 0.5  # so much it has asked for before that is said


class Patience:
    """What was seen of the ranks of one generation since it is overdue."""

    def __init__(self) -> None:
        self._looks: ProcessorTime | None = None
        self._seen_s = self._slept_s = self._ran_s = self._waited_s = 0.0

    def forget(self) -> None:
        """Note that it is not overdue any more."""
        if self._looks is not None:
            self.__init__()  # type: ignore[misc]

    def look(self, ranks: Iterable[Own], now: float, *, spin: bool = False, elsewhere: bool = False) -> None:
        """Look at the ranks, a few times a second while the run is overdue.

        Args:
            ranks: Its processes on this machine.
            now: Seconds of the monotonic clock.
            spin: Whether they run while they wait, as for a GPU.
            elsewhere: Whether ranks on other machines are at work, as these say.
        """
        self._looks = self._looks or ProcessorTime()
        since = self._looks.look(ranks, now, spin=spin)
        self._seen_s += since.counted_s
        self._ran_s += since.ran_s
        self._waited_s += since.waited_s
        self._slept_s = 0.0 if since.awake or elsewhere else self._slept_s + since.seconds

    def is_over(self, overdue: float, limit_s: float) -> bool:
        """Whether the run is to be ended, `overdue` times over its limit."""
        never = self._slept_s >= SLEPT * limit_s or self._seen_s >= LONGEST * limit_s
        return overdue >= ENDED_AT and never

    @property
    def starved(self) -> str:
        """What is to be said of a machine that has too much to do, "" where it has not."""
        asked = self._ran_s + self._waited_s
        if asked < ASKED_S or self._ran_s > STARVED * asked:
            return ""
        part = 100 * self._ran_s / asked
        return f"; the machine is busy: a rank gets {part:.0f} % of the processor time that it asks for"
