"""Pace: how long the slides are meant to take, how late the class is, and what to leave out. Pure.

The rule: if what is left takes as long as planned, when is the class over? A slide's own spend counts over
all visits, so going back costs only what is spent there; what was jumped over is time won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.classroom.actions import Plan
from runtime.classroom.class_clock import elapsed, spent
from runtime.classroom.state import ClassState
from tui.classroom.typed_end_time import end_at

ON_TIME_S = 30.0  # so much sooner or later is on time


def shares(plan: Plan, available_s: float | None = None) -> dict[str, float]:
    """Planned seconds by slide id: what the deck says, and an equal part of the rest for the others.

    `available_s` is the whole where the plan names none. Without a whole the others have no plan.
    """
    whole = plan.total_s if plan.total_s is not None else available_s
    timed = {slide.slide: slide.time_s for slide in plan.slides if slide.time_s is not None}
    untimed = [slide.slide for slide in plan.slides if slide.time_s is None]
    if whole is None or not untimed:
        return timed
    each = max(0.0, whole - sum(timed.values())) / len(untimed)
    return {**timed, **dict.fromkeys(untimed, each)}


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds, None where there is no plan to tell them from. Of `behind_s` less than 0 is ahead."""

    total_s: float | None = None  # what the class is meant to take
    left_s: float | None = None  # until the end time, or until the plan is used up; less than 0: over it
    slide_left_s: float | None = None  # of what is planned for the slide shown
    behind_s: float | None = None
    bank: tuple[str, ...] = ()  # optional slides still to come
    drop: tuple[str, ...] = ()  # those of them to leave out, to be on time
    drop_s: float = 0.0


NO_PLAN = Pace()


@dataclass(frozen=True, slots=True)
class Timing:
    """What the clocks say. `of_day` and `end` are times of day in words, `paused_s` for how long the class's
    clock stands; None where it does not."""

    of_day: str = ""
    elapsed: float | None = None
    paused_s: float | None = None
    end: str = ""
    pace: Pace = NO_PLAN


def until(plan: Plan, state: ClassState, now: float) -> float | None:
    """The wall-clock time at which the class has to end: as it was set, else as the deck says, unless that
    was over before the class began."""
    if state.until is not None:
        return state.until
    began = state.timer.began or now
    end = end_at(plan.end, began)
    return end if end is not None and end > began else None


def pace(plan: Plan, state: ClassState, to_come: Sequence[str], now: float) -> Pace:
    """The pace at wall-clock `now`; `to_come` are the talk's slides from the one shown on, by id.

    With an end time and a plan, the one that presses more counts.
    """
    end = until(plan, state, now)
    began = state.timer.began or now
    planned = shares(plan, None if end is None else max(0.0, end - began))
    if not planned and end is None:
        return Pace()
    used = elapsed(state.timer, now)
    here = state.pos.slide
    left = {
        slide: max(0.0, planned.get(slide, 0.0) - spent(state.timer, here, slide, now))
        for slide in to_come
        if slide == here or slide not in state.dropped
    }
    remaining = sum(left.values())
    total = plan.total_s if plan.total_s is not None else sum(planned.values())
    behind = used + remaining - total
    if end is not None:
        behind = max(behind, now + remaining - end)
    optional = {slide.slide for slide in plan.slides if slide.optional}
    bank = {slide: s for slide, s in left.items() if slide in optional and slide != here and s > 0}
    drop = to_drop(bank, behind) if state.timer.counts and behind > ON_TIME_S else ()
    return Pace(
        total_s=total,
        left_s=total - used if end is None else end - now,
        slide_left_s=planned[here] - spent(state.timer, here, here, now) if here in planned else None,
        behind_s=behind if state.timer.counts else None,
        bank=tuple(bank),
        drop=drop,
        drop_s=sum(bank[slide] for slide in drop),
    )


def cut(plan: Plan, seconds: float) -> tuple[str, ...] | None:
    """Return the optional slides to leave out so that the talk takes at most so long; None where even without
    all of them it takes longer."""
    planned = shares(plan)
    bank = {slide.slide: planned.get(slide.slide, 0.0) for slide in plan.slides if slide.optional}
    over = sum(planned.values()) - seconds
    drop = to_drop(bank, over - 0.5) if over > 0.5 else ()
    return drop if over - sum(bank[slide] for slide in drop) <= 0.5 else None


def least_s(plan: Plan) -> float:
    """Return the planned seconds of a talk without what is optional."""
    planned = shares(plan)
    return sum(planned.get(slide.slide, 0.0) for slide in plan.slides if not slide.optional)


def to_drop(bank: Mapping[str, float], late_s: float) -> tuple[str, ...]:
    """The fewest slides that win `late_s`, and of so few the least; all where even they do not. In order."""
    chosen: set[str] = set()
    while late_s > 0 and len(chosen) < len(bank):
        rest = {slide: s for slide, s in bank.items() if slide not in chosen}
        enough = [slide for slide, s in rest.items() if s >= late_s]
        best = min(enough, key=rest.__getitem__) if enough else max(rest, key=rest.__getitem__)
        chosen.add(best)
        late_s -= bank[best]
    return tuple(slide for slide in bank if slide in chosen)


def signed(seconds: float) -> str:
    """`+1:20` or `-0:45`; h:mm:ss from one hour on."""
    minutes, s = divmod(round(abs(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{s:02}" if hours else f"{minutes}:{s:02}"
    return ("-" if seconds < 0 else "+") + text


def in_words(behind_s: float) -> tuple[str, str]:
    """(words, ink). The sign is that of the time in hand: `-1:40 behind`, `+1:20 ahead`."""
    if abs(behind_s) <= ON_TIME_S:
        return "on time", "good"
    return (
        (f"{signed(-behind_s)} behind", "warning")
        if behind_s > 0
        else (f"{signed(-behind_s)} ahead", "accent")
    )
