"""Loss curves that stay small however long a run is."""

from __future__ import annotations

from runtime.figures import Curve

CURVE_POINTS = 256


class Points:
    """A curve of at most `CURVE_POINTS` points: when it is full every other one goes."""

    def __init__(self) -> None:
        self._stride = 1
        self._steps: list[int] = []
        self._values: list[float] = []
        self._newest: tuple[int, float] | None = None

    def add(self, step: int, value: float) -> None:
        """Steps go up; one that was there before is done again, and so is all that came after it."""
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
        steps, values = list(self._steps), list(self._values)
        if self._newest is not None and (not steps or steps[-1] != self._newest[0]):
            steps.append(self._newest[0])
            values.append(self._newest[1])
        return Curve(rank, steps, values)
