"""How long a rank waited in collectives: from where it stood still until the last of the others had entered.

Who stands for several at once (buckets at the end of backward) waits until the last rank has entered all of
them: had it come in time, what was transferred meanwhile would have been hidden. A transfer between two is
over for both when one of them has seen its end, and where nobody has (it was asked for long after) it counts
as nothing: a posted receive is no communication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from runtime.protocol.events import Collective

TOGETHER_S = 1e-3  # between two waits one after the other a script does about so much at most
Interval = tuple[float, float]


class Entered(NamedTuple):
    """A collective of one rank and when its last member entered it (None: an entry was lost).

    `over`: the earliest end that a member has seen, where one end is the end for all (a transfer).
    """

    collective: Collective
    last: float | None
    over: float | None = None

    @property
    def end(self) -> float | None:
        """When it was over; None if no member saw it."""
        own = self.collective.t_done
        if own is None or self.over is None:
            return self.over if own is None else own
        return min(own, self.over)


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of intervals as disjoint ones in order."""
    merged: list[Interval] = []
    for a, b in sorted(intervals):
        if b <= a:
            continue
        if merged and a <= merged[-1][1]:
            if b > merged[-1][1]:
                merged[-1] = (merged[-1][0], b)
        else:
            merged.append((a, b))
    return merged


def stood_still(entered: Iterable[Entered]) -> tuple[list[Interval], list[Interval]]:
    """Time in which the training thread stood still, and the part of it that was waiting for others."""
    stood = [
        (c.t_done - c.exposed, c.t_done, c.t_issue, last)
        for c, last, _ in entered
        if c.t_done is not None and c.exposed > 0.0 and last is not None
    ]
    stood.sort()
    blocked, waits = [], []
    first = 0  # of those that it stood for together
    for n, (begin, end, _, _) in enumerate(stood):
        blocked.append((begin, end))
        if n + 1 < len(stood) and _together(end, *stood[n + 1][:3:2]):
            continue
        missing = [(issued, last) for _, _, issued, last in stood[first : n + 1]]
        if n == first:
            waits.append((begin, min(missing[0][1], end)))
        else:
            waits += _both([(a, b) for a, b, _, _ in stood[first : n + 1]], union(missing))
        first = n + 1
    return union(blocked), union(waits)


def _together(end: float, begin: float, issued: float) -> bool:
    """Does who has stood for one collective until `end` stand on for another, that was under way already?"""
    return begin - end <= TOGETHER_S and issued < end


def _both(one: Iterable[Interval], other: Sequence[Interval]) -> Iterator[Interval]:
    """Return the intersection of two lists of intervals."""
    for a, b in one:
        for c, d in other:
            if c < b and a < d:
                yield max(a, c), min(b, d)


def known(entered: Iterable[Entered]) -> bool:
    """Whether the split can be made: every last entry is there, and every exposed time has its place."""
    for c, last, _ in entered:  # noqa: SIM110 - spelled out, as `length`
        if last is None or (c.t_done is None and c.exposed > 0.0):
            return False
    return True


def waiting(entered: list[Entered]) -> list[Interval]:
    """Return when a rank waited for another one in a step; empty if that is not known."""
    return stood_still(entered)[1] if known(entered) else []
