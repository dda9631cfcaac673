"""One step of one rank, cut into what its wall time went to.

A rank measures its phases and its collectives; what it cannot know is when the others entered a collective.
With the entry of the last rank (`Entered.last`) each collective's time falls apart into

    wait      exposed time before the last rank has entered: nothing could be transferred yet
    exposed   the rest of the exposed time: the transfer that nothing was computed behind
    hidden    transfer behind forward or backward, from the last entry to where the exposed time begins

and the parts of a step sum to its wall time exactly, because exposed and waiting time is taken out of the
phase in which it lies.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from runtime.events import Collective, Step
from runtime.messages import Mark

Interval = tuple[float, float]


class Entered(NamedTuple):
    """A collective of one rank and when its last member entered it (None: an entry was lost)."""

    collective: Collective
    last: float | None


class Parts(NamedTuple):
    """Seconds of one step; they sum to `step_s`. None: a lost entry makes the split unknowable."""

    step_s: float
    data: float
    compute: float | None
    hidden: float | None
    exposed: float | None
    wait: float | None
    optimizer: float
    other: float


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same points of time as disjoint intervals in order."""
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


def length(disjoint: list[Interval], low: float, high: float) -> float:
    """Seconds of the disjoint intervals within [low, high]."""
    return sum(max(0.0, min(b, high) - max(a, low)) for a, b in disjoint)


def phases(step: Step) -> tuple[tuple[str, float, float], ...]:
    """The phases in the order in which a training loop runs them, as (kind, t0, t1)."""
    found = []
    t = step.t0
    for kind in ("data", "forward", "backward", "optimizer", "other"):
        end = t + float(getattr(step, kind))
        found.append((kind, t, end))
        t = end
    return tuple(found)


def _blocked(entered: Iterable[Entered]) -> tuple[list[Interval], list[Interval]]:
    """Time in which the training thread stood still, and the part of it that was waiting for others."""
    blocked, waits = [], []
    for c, last in entered:
        if c.t_done is None or c.exposed <= 0.0 or last is None:
            continue
        begin = c.t_done - c.exposed
        blocked.append((begin, c.t_done))
        waits.append((begin, min(last, c.t_done)))
    return union(blocked), union(waits)


def known(entered: Iterable[Entered]) -> bool:
    """Whether the split can be made: every last entry is there, and every exposed time has its place."""
    return all(last is not None and (c.t_done is not None or c.exposed <= 0.0) for c, last in entered)


def partition(step: Step, entered: list[Entered], complete: bool = True) -> Parts:
    """The parts of a step. `complete` False: a collective of this step never arrived here."""
    step_s = step.t - step.t0
    if not complete or not known(entered):
        return Parts(step_s, step.data, None, None, None, None, step.optimizer, step.other)
    if not entered:
        compute = step.forward + step.backward
        return Parts(step_s, step.data, compute, 0.0, 0.0, 0.0, step.optimizer, step.other)
    blocked, waits = _blocked(entered)
    behind = [
        (last, c.t_done - c.exposed) for c, last in entered if last is not None and c.t_done is not None
    ]
    (_, d0, d1), (_, f0, _), (_, _, b1), (_, o0, o1), (_, r0, r1) = phases(step)
    stood = [length(blocked, *window) for window in ((d0, d1), (f0, b1), (o0, o1), (r0, r1))]
    hidden = length(union([*behind, *blocked]), f0, b1) - stood[1]
    wait = length(waits, d0, r1)
    return Parts(
        step_s,
        step.data - stood[0],
        step.forward + step.backward - stood[1] - hidden,
        hidden,
        sum(stood) - wait,
        wait,
        step.optimizer - stood[2],
        step.other - stood[3],
    )


def mean(window: Iterable[Parts]) -> Parts | None:
    """Means over the steps whose split is known (else over all, split unknown); they sum up as well."""
    steps = list(window)
    steps = [parts for parts in steps if parts.wait is not None] or steps
    if not steps:
        return None
    columns = zip(*steps, strict=True)
    # What a rank measures itself is in every step; only what takes all ranks can be missing.
    return Parts(*(None if None in column else sum(column) / len(steps) for column in columns))  # type: ignore[arg-type]


def marks(step: Step, entered: list[Entered], origin: float) -> tuple[Mark, ...]:
    """The step as pieces on a time axis that starts at `origin`: first the rank's own time without overlaps
    (phases, `exposed`, `wait`), then a bar per collective from the last entry to its end, labelled in order.
    """
    blocked, waits = _blocked(entered)
    pieces: list[Mark] = []
    edges = sorted({t for interval in (*blocked, *waits) for t in interval})
    for kind, t0, t1 in phases(step):
        cuts = [t0, *(t for t in edges if t0 < t < t1), t1]
        for a, b in pairwise(cuts):
            if b <= a:
                continue
            middle = (a + b) / 2
            if any(lo <= middle < hi for lo, hi in waits):
                what = "wait"
            elif any(lo <= middle < hi for lo, hi in blocked):
                what = "exposed"
            else:
                what = kind
            if pieces and pieces[-1].kind == what:
                pieces[-1] = Mark(what, pieces[-1].t0, b - origin)
            else:
                pieces.append(Mark(what, a - origin, b - origin))
    for number, (c, last) in enumerate(entered):
        if c.t_done is not None:
            begin = min(max(c.t_issue, last if last is not None else c.t_issue), c.t_done)
            pieces.append(Mark(c.op, begin - origin, c.t_done - origin, f"b{number}"))
    return tuple(pieces)
