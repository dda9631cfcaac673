"""Finds slow ranks: how long each was busy in a step, compared with the others.

Busy is what is left of a step's wall time without waiting for others and without the transfers that nothing
was computed behind (`step_breakdown.py`). It is over the whole step and needs no collective in particular:
where ranks meet many times in a step (shards, a model cut among them, stages of a pipeline), all are in time
for the last collective, no matter which rank held them up before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median

from runtime.metrics.steps.step_breakdown import Parts
from runtime.protocol.figures import RankRow

# A rank is called slow if it was in nearly every step: chance alone has a rank behind in half of them.
FEW = 5  # steps: in less any rank may be late every time by chance, and has to be late by much to be named
MUCH = 0.2  # of a step
EXCEPTIONS = 8  # one of so many steps may be otherwise
HELD_UP = (
    4  # one of so many, where its lateness is far above what it varies by: others may be held up as well
)
FAR = 3.0  # median absolute deviations
LEAST = 0.02  # of a step: what is less holds up nobody


def busy(parts: Parts) -> float | None:
    """Return the seconds of a step without waiting or exposed transfers; None: not known."""
    if parts.wait is None or parts.exposed is None:
        return None
    return parts.step_s - parts.wait - parts.exposed


def behind_the_others(of_ranks: Mapping[int, float]) -> Iterator[tuple[int, float]]:
    """Yield (rank, its figure minus the median of the others); nothing for a single rank."""
    order = sorted(of_ranks.values())
    others = len(order) - 1
    if others < 1:
        return
    for number, own in of_ranks.items():
        at = bisect_left(order, own)
        half = others // 2
        middle = order[half + (half >= at)]
        if others % 2 == 0:
            middle = (middle + order[half - 1 + (half - 1 >= at)]) / 2
        yield number, own - middle


def slowest_of(
    rows: Sequence[RankRow], windows: Sequence[Collection[float]]
) -> tuple[float, int] | tuple[None, None]:
    """Return (seconds, rank) of the one busy longest beyond the others in nearly all steps, else Nones.

    `windows`: the lateness of each rank in the newest steps, of which `RankRow.late_s` is the median.
    """
    typical = [row.step_s for row in rows if row.step_s is not None]
    step_s = median(typical) if typical else 0.0
    found: list[tuple[float, int]] = []
    for row in rows:
        window = windows[row.rank]
        least = step_s * (LEAST if len(window) >= FEW else MUCH)
        if row.late_s is not None and row.late_s > least and steadily(window, least):
            found.append((row.late_s, row.rank))
    return max(found, default=(None, None))


def steadily(late: Collection[float], least: float) -> bool:
    """Whether a rank was late by more than `least` seconds in nearly all steps of a window, or in most of
    them by far more than chance: a busy machine holds up another rank now and then by as much as this one is
    late."""
    otherwise = sum(seconds <= least for seconds in late)
    if otherwise <= len(late) // EXCEPTIONS:
        return True
    if otherwise > len(late) // HELD_UP:
        return False
    middle = median(late)
    return middle > FAR * median(abs(seconds - middle) for seconds in late)
