"""Divides a step of many ranks together: a column a collective, instead of one rank after the other.

A thousand ranks are a thousand times the same few sums. The arithmetic is that of
`step_breakdown.partition` and `bandwidth.transfer_s`, the same operations in the same order, so that the
figures are the same to the last bit. What is rare is left to those: an entry or an end that is not known,
figures that are no numbers, transfers between two, and who stood for several at once in a step of very many.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runtime.metrics.collectives.bandwidth import Kinds, Made, Timed, kinds_of
from runtime.metrics.collectives.waiting_time import TOGETHER_S
from runtime.metrics.steps.step_breakdown import Parts
from runtime.protocol.events import Collective, Step

FEW = 8  # ranks that did the same: below it one by one is as fast
MOST_AT_ONCE = 16  # collectives of a step, each of which is held beside each other one

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class _Intervals(NamedTuple):
    """Disjoint and in order in each row, where `there`."""

    begin: Floats
    end: Floats
    there: Bools


def divide(
    reports: Sequence[tuple[Step, Sequence[Collective]]],
    lasts: Sequence[Sequence[float | None]],
    made: Sequence[Made],
    usual: Sequence[bool],
) -> list[tuple[Parts, Timed] | None]:
    """Return the parts of each rank's step and its seconds of transfer, None for whom to look at alone.

    Args:
        reports: A step of each rank and its collectives in it.
        lasts: When the last rank entered each of them, in seconds by the clock of the events.
        made: What they were.
        usual: Whether a rank may be looked at together with others.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    kinds: list[Kinds] = []
    before: Made | None = None
    for at, (own, together) in enumerate(zip(made, usual, strict=True)):
        if own != before:  # as a rule a rank did what the one before it did
            before, of_own = own, kinds_of(own)
            places = alike.setdefault(of_own.of, [])
        kinds.append(of_own)
        if together:
            places.append(at)
    found: list[tuple[Parts, Timed] | None] = [None] * len(reports)
    for of, those in alike.items():
        if len(those) < FEW:
            continue
        whole = len(those) == len(reports)
        here = reports if whole else [reports[at] for at in those]
        entered = lasts if whole else [lasts[at] for at in those]
        for at, parts, seconds in zip(those, *_of_alike(here, entered, of), strict=True):
            if parts is not None:
                found[at] = parts, (kinds[at].sums, seconds)
    return found


def _of_alike(
    reports: Sequence[tuple[Step, Sequence[Collective]]],
    lasts: Sequence[Sequence[float | None]],
    kinds: tuple[int, ...],
) -> tuple[list[Parts | None], Sequence[Sequence[float]]]:
    """Return parts (None: not usual) and seconds by kind of ranks that made collectives of the same kinds."""
    issued = [c for _, own in reports for c in own]
    shape = (len(reports), len(kinds))
    issue, done, exposed, last = (
        np.array(column, np.float64).reshape(shape)  # None becomes NaN
        for column in (
            [c.t_issue for c in issued],
            [c.t_done for c in issued],
            [c.exposed for c in issued],
            list(chain.from_iterable(lasts)),
        )
    )
    own = [step for step, _ in reports]
    steps = np.array(
        [
            [s.t0 for s in own],
            [s.t for s in own],
            [s.data for s in own],
            [s.forward for s in own],
            [s.backward for s in own],
            [s.optimizer for s in own],
            [s.other for s in own],
        ],
        np.float64,
    )
    usual = np.isfinite(steps).all(0)
    for column in (issue, done, exposed, last):
        usual &= np.isfinite(column).all(1)
    with np.errstate(invalid="ignore"):  # of those that are not usual
        alone, columns = _parts(steps, issue, done, done - exposed, exposed > 0.0, last)
        seconds = [
            _transfer_s(last[:, of_kind], done[:, of_kind]).tolist()
            for kind in range(max(kinds, default=-1) + 1)
            for of_kind in [[n for n, its in enumerate(kinds) if its == kind]]
        ]
    parts: list[Parts | None] = list(map(partial(tuple.__new__, Parts), zip(*columns, strict=True)))
    for at in np.flatnonzero(~usual | alone).tolist():
        parts[at] = None
    return parts, list(zip(*seconds, strict=True)) if seconds else [()] * len(reports)


def _parts(
    steps: Floats, issue: Floats, done: Floats, begin: Floats, stood: Bools, last: Floats
) -> tuple[Bools, list[list[float]]]:
    """Return which ranks have to be looked at alone, and the columns of `Parts`."""
    t0, t, data, forward, backward, optimizer, other = steps
    first = np.where(stood, begin, np.inf)
    order = np.lexsort((last, issue, done, first), axis=-1)
    a, b, entered, whole, there = (
        np.take_along_axis(column, order, 1) for column in (first, done, issue, last, stood)
    )
    joined = there[:, 1:] & (a[:, 1:] - b[:, :-1] <= TOGETHER_S) & (entered[:, 1:] < b[:, :-1])
    blocked = _union(a, b, there)
    alone = joined.any(1)
    if alone.any() and a.shape[1] <= MOST_AT_ONCE:
        waits = _waits_together(a, b, entered, whole, there, joined)
        alone = np.zeros_like(alone)
    else:
        waits = _union(a, np.minimum(whole, b), there)
    ends = np.minimum(done, begin)
    both = (
        np.concatenate((last, blocked.begin), 1),
        np.concatenate((ends, blocked.end), 1),
        np.concatenate((np.ones_like(stood), blocked.there), 1),
    )
    order = np.argsort(np.where(both[2], both[0], np.inf), axis=1, kind="stable")
    under_way = _union(*(np.take_along_axis(column, order, 1) for column in both))
    edges = [t0, t0 + data]
    for seconds in (forward, backward, optimizer, other):
        edges.append(edges[-1] + seconds)
    stands = [_length(blocked, low, high) for low, high in pairwise(edges)]
    own = [high - low - stand for (low, high), stand in zip(pairwise(edges), stands, strict=True)]
    hidden = _length(under_way, edges[1], edges[2]) - stands[1]
    hidden = hidden + (_length(under_way, edges[2], edges[3]) - stands[2])
    wait = _length(waits, t0, t)
    exposed = _length(blocked, t0, t) - wait
    columns = (t - t0, own[0], own[1] + own[2] - hidden, hidden, exposed, wait, own[3], own[4])
    return alone, [column.tolist() for column in columns]


def _waits_together(
    a: Floats, b: Floats, entered: Floats, whole: Floats, there: Bools, joined: Bools
) -> _Intervals:
    """Return when each rank waited, where ranks stood for several collectives at once: all of the time they
    stood for those, [a, b], in which one of them had not been entered by all, [entered, whole].

    `joined`: a rank stood on for the collective of the next column.
    """
    ranks, calls = a.shape
    chain = np.zeros((ranks, calls), np.int64)
    np.cumsum(~joined, axis=1, out=chain[:, 1:])
    same = (chain[:, :, None] == chain[:, None, :]) & there[:, :, None] & there[:, None, :]
    sole = (same.sum(2) == 1)[:, :, None]
    begin = np.where(sole, a[:, :, None], np.maximum(a[:, :, None], entered[:, None, :]))
    end = np.minimum(b[:, :, None], whole[:, None, :])
    real = (same & (end > begin)).reshape(ranks, -1)
    most = int(real.sum(1).max(initial=0))
    order = np.argsort(np.where(real, begin.reshape(ranks, -1), np.inf), axis=1, kind="stable")[:, :most]
    return _union(*(np.take_along_axis(flat.reshape(ranks, -1), order, 1) for flat in (begin, end, real)))


def _union(begin: Floats, end: Floats, there: Bools) -> _Intervals:
    """Return the union of intervals that are in the order of their begin in each row."""
    ranks, calls = begin.shape
    out = _Intervals(np.zeros_like(begin), np.zeros_like(begin), np.zeros_like(there))
    at = np.full(ranks, -1)
    until = np.full(ranks, -np.inf)
    rows = np.arange(ranks)
    for n in range(calls):
        a, b = begin[:, n], end[:, n]
        real = there[:, n] & (b > a)
        opens = real & ~(a <= until)
        at += opens
        until = np.where(opens, b, np.where(real, np.maximum(until, b), until))
        out.begin[rows[opens], at[opens]] = a[opens]
        out.end[rows[real], at[real]] = until[real]
        out.there[rows[opens], at[opens]] = True
    return out


def _length(disjoint: _Intervals, low: Floats, high: Floats) -> Floats:
    """Return the seconds of the intervals within [low, high], summed in their order."""
    seconds = np.zeros_like(low)
    for n in range(disjoint.begin.shape[1]):
        a, b = disjoint.begin[:, n], disjoint.end[:, n]
        inside = disjoint.there[:, n] & (a < high) & (b > low)
        if inside.any():
            seconds = np.where(inside, seconds + (np.minimum(b, high) - np.maximum(a, low)), seconds)
    return seconds


def _transfer_s(last: Floats, done: Floats) -> Floats:
    """Return the seconds in which at least one of these was under way with all ranks entered."""
    order = np.lexsort((done, last), axis=-1)
    begin, end = np.take_along_axis(last, order, 1), np.take_along_axis(done, order, 1)
    seconds, until = np.zeros(len(begin)), np.full(len(begin), -np.inf)
    for n in range(begin.shape[1]):
        a, b = begin[:, n], end[:, n]
        more = (b > a) & (b > until)
        seconds = np.where(more, seconds + (b - np.maximum(a, until)), seconds)
        until = np.where(more, b, until)
    return seconds
