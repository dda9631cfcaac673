"""Makes an answer a rating of FSRS: again, hard, good or easy."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

SLOW = 2.0  # times as long as usual
ENOUGH = 5  # right answers of a kind from which there is a usual time

Rating = Literal[1, 2, 3, 4]
AGAIN: Rating = 1
HARD: Rating = 2
GOOD: Rating = 3
EASY: Rating = 4


def rate(right: bool, seconds: float, usual_s: float | None, sure: bool | None) -> Rating:
    """Rate one answer, by how well it was known:

    - not wholly right: `AGAIN`, however much of it was;
    - right, and said to be unsure: `HARD`;
    - right, but `SLOW` times as long as this person's usual time for the kind, or longer: `HARD`;
    - right, and said to be sure: `EASY`;
    - right: `GOOD`.

    `sure` None: nothing was said. `usual_s` None: not known yet, and nothing is slow.
    """
    if not right:
        return AGAIN
    if sure is False or (usual_s is not None and seconds >= SLOW * usual_s):
        return HARD
    return EASY if sure else GOOD


def usual_time(seconds: Sequence[float]) -> float | None:
    """Return the usual time of a kind (s): the median of right answers, None below `ENOUGH` of them."""
    return median(seconds) if len(seconds) >= ENOUGH else None
