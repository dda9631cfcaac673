"""A rank that is slow on purpose: by so many milliseconds a step, or by so many of its own steps.

Milliseconds that stand out of a step of 60 ms drown in one of 600. So a factor is of what a step takes here:
the median of the first few, in which nobody is slowed.
"""

import time
from itertools import pairwise
from statistics import median

from instruments import probe

UNHARMED = 4  # steps that are measured, after the first, which warms up


class Straggler:
    """`drag` goes into the forward of each of the `pieces` of a step."""

    def __init__(self, ms: float, factor: float, pieces: int = 1) -> None:
        self.seconds, self.factor, self.pieces = ms / 1000, factor, pieces
        self.begun: list[float] = []  # when each step began, while they are measured

    def drag(self) -> None:
        """Sleep this piece's share of the delay; with a factor, nothing until a step has been measured."""
        if self.factor > 0:
            self.measure()
        time.sleep(self.seconds / self.pieces)

    def measure(self) -> None:
        """Note the beginning of a piece; once `UNHARMED` steps are known, turn the factor into seconds."""
        self.begun.append(time.monotonic())
        steps = self.begun[self.pieces :: self.pieces]  # without the first
        if len(steps) > UNHARMED:
            took = median(end - begin for begin, end in pairwise(steps))
            self.seconds += self.factor * took
            self.factor = 0.0
            probe.value("slowed", 1000 * self.seconds, "ms")
