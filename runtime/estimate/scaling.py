"""The same training on ever more devices: where each strategy stops making sense, and which term did it.

Weak scaling: the micro-batches of a device stay, data parallel ranks double.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from runtime.estimate.advice import binding
from runtime.estimate.estimate import Estimate
from runtime.estimate.request import Refused, Request
from runtime.estimate.strategies import strategies

MOST = 16384
LOST = 0.8  # of its best utilization: below, a strategy has stopped making sense


class Point(NamedTuple):
    """One strategy on so many devices. `term`: what fills memory where it does not fit, else what costs most
    time beside arithmetic."""

    devices: int
    fits: bool
    mfu: float
    term: str


class Scaling(NamedTuple):
    """`begins` is the first number of devices at which it fits (None: none). `stops` is the first behind its
    best at which it does not, or has lost a fifth of its utilization (None: none); `term` did it."""

    name: str
    points: tuple[Point, ...]
    begins: int | None
    stops: int | None
    term: str


def scaling(request: Request) -> list[Scaling]:
    """Every strategy from one data parallel rank to `MOST` devices. Refused: no GPU is named."""
    if request.gpu is None:
        raise Refused("how it scales depends on a GPU", "give gpu=NAME")
    rows: dict[str, list[Point]] = {}
    layout, dp = request.layout, 1
    base = replace(request, layout=replace(layout, dp=1, ep=1, shard=0))
    others = base.layout.devices
    while dp * others <= MOST:
        asked = replace(base, layout=replace(base.layout, dp=dp, ep=min(dp, layout.ep)))
        for row in strategies(asked):
            e = row.estimate
            if e.mfu is not None and row.name != "as given":
                point = Point(e.request.layout.devices, e.fits is not False, e.mfu, _term(e))
                rows.setdefault(row.name, []).append(point)
        dp *= 2
    return [_of(name, tuple(points)) for name, points in rows.items()]


def _of(name: str, points: tuple[Point, ...]) -> Scaling:
    fitting = [point for point in points if point.fits]
    if not fitting:
        return Scaling(name, points, None, points[0].devices, points[0].term)
    best = max(point.mfu for point in fitting)
    peak = next(n for n, point in enumerate(points) if point.fits and point.mfu == best)
    for point in points[peak:]:
        if not point.fits or point.mfu < LOST * best:
            return Scaling(name, points, fitting[0].devices, point.devices, point.term)
    return Scaling(name, points, fitting[0].devices, None, "")


def _term(e: Estimate) -> str:
    if e.fits is False or e.time is None:
        return binding(e)
    beside = {"pipeline idle": e.time.idle, **e.time.exposed}
    return max(beside, key=lambda name: beside[name]) if any(beside.values()) else "compute"
