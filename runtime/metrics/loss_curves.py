"""Loss curves that stay small however long a run is."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from statistics import median

from runtime.protocol.figures import Curve

CURVE_POINTS = 256
EACH = 8  # up to this many ranks each has its own curve, above it the three pseudo-ranks below
LOWEST, MEDIAN, HIGHEST = -1, -2, -3


class Points:
    """A curve of at most `CURVE_POINTS` points: when it is full every other one is dropped."""

    def __init__(self) -> None:
        self._stride = 1
        self._steps: list[int] = []
        self._values: list[float] = []
        self._newest: tuple[int, float] | None = None

    def add(self, step: int, value: float) -> None:
        """Add a point; a step that is there already replaces it and everything after it."""
        self._newest = (step, value)
        while self._steps and self._steps[-1] >= step:
            del self._steps[-1], self._values[-1]
        if step % self._stride:
            return
        self._steps.append(step)
        self._values.append(value)
        if len(self._steps) >= CURVE_POINTS:
            self._stride *= 2
            kept = [(s, v) for s, v in zip(self._steps, self._values, strict=True) if s % self._stride == 0]
            self._steps = [s for s, _ in kept]
            self._values = [v for _, v in kept]

    def curve(self, rank: int) -> Curve:
        """Return the points kept for a rank, always with the newest one."""
        steps, values = list(self._steps), list(self._values)
        if self._newest is not None and (not steps or steps[-1] != self._newest[0]):
            steps.append(self._newest[0])
            values.append(self._newest[1])
        return Curve(rank, steps, values)


class Losses:
    """A curve for each rank; above `EACH` ranks the lowest, median and highest loss of each step."""

    def __init__(self, world: int) -> None:
        self._each = world <= EACH
        ranks = range(world) if self._each else (LOWEST, MEDIAN, HIGHEST)
        self._points = {rank: Points() for rank in ranks}

    def reported(self, rank: int, step: int, loss: float) -> None:
        """Add the loss of one rank, as soon as it is reported."""
        if self._each:
            self._points[rank].add(step, loss)

    def settled(self, step: int, losses: Sequence[float]) -> None:
        """Add the losses of all ranks in a settled step."""
        if losses and not self._each:
            self._points[LOWEST].add(step, min(losses))
            self._points[MEDIAN].add(step, median(losses))
            self._points[HIGHEST].add(step, max(losses))

    def curves(self) -> tuple[Curve, ...]:
        """Return the curves that have points, by rank."""
        found = [points.curve(rank) for rank, points in self._points.items()]
        return tuple(curve for curve in found if curve.steps)


def middle_curve(curves: Sequence[Curve]) -> Curve | None:
    """Return the median over the ranks, at the steps that all curves have; None without a loss.

    Many ranks come as three curves of which one is the median already. A training that falls apart ends in
    NaN: its curve ends before that, for what is kept of it is JSON, which has no such number.
    """
    for curve in curves:
        if curve.rank == MEDIAN:
            return _finite(curve.steps, curve.losses)
    at = [dict(zip(curve.steps, curve.losses, strict=True)) for curve in curves if curve.steps]
    steps = sorted(set.intersection(*map(set, at))) if at else []
    return _finite(steps, [median(curve[step] for curve in at) for step in steps])


def last_loss(curves: Sequence[Curve]) -> float | None:
    """Return the median over the ranks at the last step that all curves have; None without one, or where it
    is not a number: a training that ended in NaN did not end with the last loss before that."""
    middle = [curve for curve in curves if curve.rank == MEDIAN] or [c for c in curves if c.steps]
    common = set.intersection(*(set(curve.steps) for curve in middle)) if middle else set()
    if not common:
        return None
    last = max(common)
    at = [curve.losses[curve.steps.index(last)] for curve in middle]
    return median(at) if all(map(isfinite, at)) else None


def _finite(steps: Sequence[int], losses: Sequence[float]) -> Curve | None:
    kept = [(step, loss) for step, loss in zip(steps, losses, strict=True) if isfinite(loss)]
    return Curve(MEDIAN, [step for step, _ in kept], [loss for _, loss in kept]) if kept else None
