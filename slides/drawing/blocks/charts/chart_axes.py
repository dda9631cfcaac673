"""Axes of lines and points: where a value lies between both ends, and the round numbers that are named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing.blocks.charts.chart_parts import number
from slides.drawing.canvas import tick_label, ticks


class Axis(NamedTuple):
    """From `low` to `high`; on a logarithmic one equal ratios are equally far apart, and both are above 0."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies, 0 at the low end and 1 at the high one; 0.5 where both are the same."""
        low, high, at = map(math.log10, (self.low, self.high, value)) if self.log else (*self[:2], value)
        return (at - low) / (high - low) if high > low else 0.5

    def marks(self, count: int) -> list[tuple[float, str]]:
        """About `count` round numbers with their texts, each value once."""
        if not self.log:
            found = ticks(self.low, self.high, count)
            step = found[1] - found[0] if len(found) > 1 else self.high - self.low
            return [(mark, tick_label(mark, step)) for mark in found]
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        decades = list(range(first, last + 1))
        if len(decades) >= 2:
            every = math.ceil(len(decades) / max(2, count))
            return [(10.0**n, number(10.0**n)) for n in decades[::every]]
        between = [m * 10.0**n for n in range(first - 1, last + 2) for m in (1, 2, 5)]
        found = [mark for mark in between if self.low <= mark * (1 + 1e-9) and mark <= self.high * (1 + 1e-9)]
        return (
            [(mark, number(mark)) for mark in found]
            if len(found) > 1
            else self._replace(log=False).marks(count)
        )


def fitted(values: Sequence[float], log: bool) -> Axis:
    """An axis for all of these, with a little air; from 0 where that is near, and not logarithmic."""
    low, high = min(values), max(values)
    if log:
        decades = math.log10(high) - math.log10(low)
        air = 10.0 ** min(decades / 20, 1.0) if decades else 2.0
        return Axis(max(low / air, math.ulp(0.0)), high * air, True)
    if 0 < low < 0.5 * high:
        low = 0.0
    if high == low:
        return Axis(low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2)
    air = (high - low) * 0.05
    return Axis(low if low == 0 else low - air, high + air)
