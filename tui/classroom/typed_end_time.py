"""When a class is to end, as typed for the countdown or said by a deck: `15:30`, or `45m` from now."""

from __future__ import annotations

import time

from slides.reading import front_matter

_DAY_S = 24 * 3600.0


def end_at(text: str, near: float) -> float | None:
    """`15:30` as the wall-clock time (seconds) nearest to `near`; None where it is not a time of day."""
    at = front_matter.time_of_day(text)
    if at is None:
        return None
    day = time.localtime(near)
    around = [
        time.mktime((day.tm_year, day.tm_mon, day.tm_mday + off, *at, 0, 0, 0, -1)) for off in (-1, 0, 1)
    ]
    return min(around, key=lambda at: abs(at - near))


def meant(text: str, now: float) -> float | None:
    """The wall-clock time in `15:30`, the next one, or `45m` from `now` on; None for anything else."""
    at = end_at(text, now)
    if at is not None:
        return at if at > now else at + _DAY_S  # nobody sets an end that is over
    seconds = front_matter.seconds(text)
    return None if seconds is None else now + seconds
