"""How late a class is, and what to leave out: told from a plan, a state and a time of day, all made here."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.classroom.actions import Drop, Entry, Move, Plan, Planned, Timer, Until
from runtime.classroom.state import ClassState, fold
from tui.classroom.pace import Pace, in_words, pace, shares, signed, to_drop, until
from tui.classroom.typed_end_time import end_at

T0 = 10_000.0  # when the class comes together; all times in here are since then
IDS = ("a", "b", "c", "d", "e")


def plan(*times: float | None, total: float | None = None, optional: str = "", end: str = "") -> Plan:
    slides = zip(IDS, times, strict=False)
    return Plan(total, end, tuple(Planned(id, id.upper(), s, id in optional) for id, s in slides))


def after(*moments: tuple[float, object]) -> ClassState:
    """A class of console `me` in which these were done at these times; it stands on slide a at 0."""
    done = [(0.0, Move("a", 0)), *moments]
    return fold(Entry(n, T0 + t, "me", "all", action) for n, (t, action) in enumerate(done, 1))  # type: ignore[arg-type]


def at(plan: Plan, state: ClassState, now: float) -> Pace:
    return pace(plan, state, IDS[IDS.index(state.pos.slide) : len(plan.slides)], T0 + now)


def test_untimed_slides_share_what_the_timed_leave() -> None:
    assert shares(plan(60, None, 120, None, total=300)) == {"a": 60, "c": 120, "b": 60, "d": 60}
    assert shares(plan(60, None, total=30)) == {"a": 60, "b": 0}
    assert shares(plan(None, None), available_s=100) == {"a": 50, "b": 50}
    assert shares(plan(60, None)) == {"a": 60}  # no whole to share: no plan is made up
    assert shares(plan(None, None)) == {}


def test_without_any_plan_nothing_is_known() -> None:
    assert at(plan(None, None), after((10, Move("b", 0))), 50) == Pace()


def test_on_time_while_a_slide_takes_no_longer_than_planned_and_late_from_then_on() -> None:
    deck, state = plan(60, 60, 60), after((100, Move("b", 0)))  # the clock starts at 100, on b
    assert at(deck, after(), 50).behind_s is None  # nothing has begun
    assert at(deck, state, 100).behind_s == -60  # a took no class time
    now = at(deck, state, 190)
    assert (now.slide_left_s, now.behind_s, now.left_s) == (-30, -30, 90)
    assert at(deck, state, 300).behind_s == 80


def test_a_slides_spend_goes_on_when_it_is_visited_again() -> None:
    deck = plan(0, 60, 60, 60)
    back = after((0, Move("b", 0)), (60, Move("c", 0)), (90, Move("b", 0)))
    assert at(deck, back, 90).slide_left_s == 0
    assert at(deck, back, 90).behind_s == 0  # c has its 30 s, d its 60: looking back costs nothing yet
    assert at(deck, back, 110).behind_s == 20
    forth = fold([Entry(9, T0 + 110, "me", "all", Move("c", 0))], back)
    assert at(deck, forth, 110).slide_left_s == 30


def test_a_paused_clock_stands_but_an_end_time_does_not_wait() -> None:
    deck = plan(0, 60, 60)
    state = after((0, Move("b", 0)), (30, Timer("pause")))
    assert at(deck, state, 200).behind_s == 0
    late = at(deck, after((0, Move("b", 0)), (30, Timer("pause")), (30, Until(T0 + 120))), 100)
    assert (late.left_s, late.behind_s) == (20, 70)


def test_of_plan_and_end_time_the_one_that_presses_more_counts() -> None:
    deck, moved = plan(0, 60, 60, total=120), (0.0, Move("b", 0))
    assert at(deck, after(moved, (0, Until(T0 + 1000))), 90).behind_s == 30
    assert at(deck, after(moved, (0, Until(T0 + 100))), 0).behind_s == 20


def test_an_end_time_alone_is_shared_among_the_slides() -> None:
    deck, state = plan(None, None, None, None), after((1000, Move("b", 0)), (1000, Until(T0 + 1400)))
    now = at(deck, state, 1000)
    assert (now.total_s, now.slide_left_s, now.left_s) == (400, 100, 400)
    assert now.behind_s == -100  # a was left at once


def test_optional_slides_are_named_once_the_class_is_late_and_no_longer_counted_when_dropped() -> None:
    deck = plan(0, 60, 60, 120, 60, optional="cde")
    state = after((0, Move("b", 0)))
    assert at(deck, state, 80).drop == ()  # 20 s are not late
    late = at(deck, state, 130)
    assert (late.behind_s, late.bank) == (70, ("c", "d", "e"))
    assert (late.drop, late.drop_s) == (("d",), 120)
    saved = fold([Entry(9, T0 + 130, "me", "all", Drop(("d",)))], state)
    assert at(deck, saved, 130).behind_s == -50
    assert at(deck, saved, 130).bank == ("c", "e")


def test_the_fewest_slides_are_dropped_and_of_so_few_the_least_time() -> None:
    bank = {"a": 60.0, "b": 180.0, "c": 90.0, "d": 120.0}
    assert to_drop(bank, 80) == ("c",)
    assert to_drop(bank, 200) == ("a", "b")
    assert to_drop(bank, 1000) == ("a", "b", "c", "d")
    assert to_drop(bank, 0) == () == to_drop({}, 50)


@given(st.dictionaries(st.sampled_from(IDS), st.floats(1, 1e4)), st.floats(-100, 1e5))
def test_what_is_dropped_suffices_if_anything_does(bank: dict[str, float], late: float) -> None:
    won = sum(bank[slide] for slide in to_drop(bank, late))
    assert won >= late - 1e-6 or won == pytest.approx(sum(bank.values()))


def test_the_end_is_the_nearest_time_of_day() -> None:
    noon = time.mktime((2026, 3, 10, 12, 0, 0, 0, 0, -1))
    assert end_at("15:30", noon) == noon + 3.5 * 3600
    assert end_at("11.45", noon) == noon - 900  # a quarter of an hour over
    assert end_at("0:15", noon + 11 * 3600) == noon + 12.25 * 3600  # past midnight
    assert end_at("half past", noon) is None is end_at("25:00", noon) is end_at("", noon)


def test_an_end_of_the_deck_that_was_over_before_the_class_is_none() -> None:
    noon = time.mktime((2026, 3, 10, 12, 0, 0, 0, 0, -1))
    assert until(plan(60, end="12:30"), ClassState(), noon) == noon + 1800
    assert until(plan(60, end="11:30"), ClassState(), noon) is None


def test_pace_has_words_and_signs() -> None:
    assert in_words(100) == ("-1:40 behind", "warning")
    assert in_words(-80) == ("+1:20 ahead", "accent")
    assert in_words(12)[0] == in_words(-12)[0] == "on time"
    assert signed(-3725) == "-1:02:05"
