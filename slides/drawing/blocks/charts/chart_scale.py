"""What all bars of a chart share: how far they reach on both sides of zero, and cells for a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides import deck
from slides.drawing.blocks.charts.chart_parts import with_unit
from slides.drawing.cells import clean


class Side(NamedTuple):
    """Bars on one side of zero. `end` is what its last cell stands for; this and all values are sizes."""

    end: float
    limit: float | None = None

    def cells(self, value: float, room: int) -> int:
        """Cells of a value: none that is not 0 is none, and one is beyond the line of the limit only if it
        is beyond the limit."""
        count = min(room, round(value / self.end * room))
        count = max(count, 1) if value > 0 else 0
        if self.limit is None:
            return count
        at = self.line(room)
        return max(count, min(room, at + 1)) if value > self.limit else min(count, max(at, 1))

    def line(self, room: int) -> int:
        """The cell, from 0, in which the limit is drawn."""
        return min(room - 1, round((self.limit or 0.0) / self.end * room))

    def parts(self, sizes: Sequence[float], room: int) -> list[int]:
        """Cells of each part of a stacked bar: together as many as their sum has, one at
        least for each where there are as many."""
        whole = sum(sizes)
        count = self.cells(whole, room)
        least = [1 if size > 0 else 0 for size in sizes]
        exact = [size / whole * count if whole else 0.0 for size in sizes]
        if sum(least) > count:  # then the smallest have none
            found = [int(part) for part in exact]
            for n in sorted(range(len(sizes)), key=lambda n: found[n] - exact[n])[: count - sum(found)]:
                found[n] += 1
            return found
        if sum(least) == count:
            return least
        found = [max(low, int(part)) for low, part in zip(least, exact, strict=True)]
        while sum(found) > count:
            most = max(range(len(found)), key=lambda n: found[n] - exact[n] if found[n] > least[n] else -9.0)
            found[most] -= 1
        while sum(found) < count:
            found[max(range(len(found)), key=lambda n: exact[n] - found[n])] += 1
        return found


class Scale:
    """The values of a chart from `low`, 0 at most, to `top`, 0 at least; parts of a stack that are below 0
    hang below it, one under the other."""

    def __init__(self, chart: deck.Chart) -> None:
        self.chart = chart
        self.stacked = chart.kind == "stacked"
        self.totals = [known(row) for row in chart.values]
        bars = [above(row) for row in chart.values], [below(row) for row in chart.values]
        if self.stacked:
            bars = [[sum(row)] for row in bars[0]], [[sum(row)] for row in bars[1]]
        self.top, deepest = (max((size for row in side for size in row), default=0.0) for side in bars)
        limit = chart.limit or 0.0
        self.top = max(self.top, limit * 1.12)
        self.low = -max(deepest, -limit * 1.12)
        if not (self.top or self.low):
            self.top = 1.0

    def sides(self, cells: int) -> tuple[int, Side, Side]:
        """Cells above zero among `cells` without the line of zero itself, and both sides, alike in scale."""
        limit = self.chart.limit or 0.0
        if not self.low:
            return cells, Side(self.top, limit if limit > 0 else None), Side(1.0)
        exact = int(cells * self.top / (self.top - self.low))
        # What a cell stands for, as little as leaves the fewest of them empty.
        each, up = min(
            (max(self.top / up if up else 0.0, -self.low / (cells - up)), up)
            for up in (max(1 if self.top else 0, min(cells - 1, near)) for near in (exact, exact + 1))
        )
        over = Side(each * up or 1.0, limit if limit > 0 else None)
        return up, over, Side(each * (cells - up) or 1.0, -limit if limit < 0 else None)


def above(row: Sequence[float | None]) -> list[float]:
    """The sizes of what lies above zero, 0 for what does not."""
    return [max(value or 0.0, 0.0) for value in row]


def below(row: Sequence[float | None]) -> list[float]:
    """The sizes of what lies below zero, 0 for what does not."""
    return [max(-(value or 0.0), 0.0) for value in row]


def known(row: Sequence[float | None]) -> float | None:
    """What the cells of a bar come to; None where all of them are empty, for that is no 0."""
    given = [value for value in row if value is not None]
    return sum(given) if given else None


def total(value: float | None, unit: str) -> str:
    """What stands at a bar for what it comes to: nothing where that is not known."""
    return "" if value is None else with_unit(value, unit)


def of_hundred(chart: deck.Chart, totals: Sequence[float | None]) -> bool:
    """Whether all stacks are shares of a whole: that each comes to 100 % says nothing."""
    return clean(chart.unit) == "%" and all(value is None or abs(value - 100) < 1 for value in totals)
