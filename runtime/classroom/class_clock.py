"""The clock of a class and the minutes of each slide: what `Timer` and a move do to them.

`here` is the slide that the class stands on: to it goes the time that passes.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from runtime.classroom.actions import TimerOp


class TimerState(Struct, frozen=True):
    """`elapsed` and `spent` (seconds per slide id) up to `since`; running adds `now - since` to both.

    `began` and `paused` are wall-clock times: of the first start, and since when it stands (0: it does not).
    """

    running: bool = False
    started: bool = False
    since: float = 0.0
    elapsed: float = 0.0
    spent: dict[str, float] = {}
    began: float = 0.0
    paused: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether it was started since it was last at zero; that of an ended class stands until a move."""
        return self.started or self.elapsed > 0.0


def elapsed(timer: TimerState, now: float) -> float:
    """Return the seconds of class time at wall-clock `now`."""
    return timer.elapsed + (max(0.0, now - timer.since) if timer.running else 0.0)


def spent(timer: TimerState, here: str, slide: str, now: float) -> float:
    """Return the seconds spent on `slide` over all visits, at wall-clock `now`."""
    runs = timer.running and here == slide
    return timer.spent.get(slide, 0.0) + (max(0.0, now - timer.since) if runs else 0.0)


def settled(timer: TimerState, here: str, now: float) -> TimerState:
    """Return the clock with the time since `since` added to the current slide's."""
    if not timer.running:
        return replace(timer, since=now)
    passed = max(0.0, now - timer.since)
    booked = {**timer.spent, here: timer.spent.get(here, 0.0) + passed} if here else timer.spent
    return replace(timer, since=now, elapsed=timer.elapsed + passed, spent=booked)


def changed(timer: TimerState, here: str, op: TimerOp, now: float) -> TimerState:
    """Return the clock started, paused, or at zero again."""
    if op == "reset":
        return TimerState(since=now)  # the next move starts it again
    timer = settled(timer, here, now)
    if op == "start":
        return replace(timer, running=True, started=True, began=timer.began or now, paused=0.0)
    return replace(timer, running=False, started=True, paused=timer.paused or now)


def moved(timer: TimerState, here: str, slide: str, now: float) -> TimerState:
    """Return the clock as the class goes from `here` to `slide`: of a talk it starts on the first move off
    the first slide."""
    booked = settled(timer, here, now)
    if booked.started or not here or slide == here:
        return booked
    return replace(booked, started=True, running=True, since=now, began=booked.began or now, paused=0.0)
