"""When a question comes back: FSRS by its published weights, and days that end where somebody is."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial

import pytest
from fsrs import Card, Scheduler

from quiz.study import scheduling
from quiz.study.rating import AGAIN, EASY, GOOD, HARD

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)


def test_the_first_interval_is_the_published_stability_of_its_rating():
    # FSRS-6's first four weights are the initial stabilities in days: 0.212, 1.2931, 2.3065, 8.2956.
    days = [(scheduling.review("", rated, MONDAY).due - MONDAY).days for rated in (AGAIN, HARD, GOOD, EASY)]
    assert days == [1, 1, 2, 8]


def test_a_card_is_due_when_its_recall_has_fallen_to_nine_in_ten():
    card = scheduling.review("", GOOD, MONDAY)
    recall = partial(Scheduler().get_card_retrievability, Card.from_dict(json.loads(card.state)))
    # Whole days: that day it is above the wanted retention, a day later below it.
    assert recall(card.due) >= scheduling.RETENTION > recall(card.due + timedelta(days=1))


def test_same_answers_same_days():
    assert scheduling.review("", GOOD, MONDAY) == scheduling.review("", GOOD, MONDAY)


def test_a_day_ends_at_four_in_the_morning_of_where_somebody_is():
    assert scheduling.day_end(MONDAY) == datetime(2026, 3, 3, 4, tzinfo=UTC)
    east = timezone(timedelta(hours=9))
    late = datetime(2026, 3, 3, 3, 59, tzinfo=east)
    assert scheduling.day(late) == date(2026, 3, 2)
    assert scheduling.day_end(late) == late + timedelta(minutes=1)
    assert scheduling.day_end(scheduling.day_end(late)) == late + timedelta(minutes=1, days=1)


BROKEN = scheduling.review("", GOOD, MONDAY).state.replace('"stability": ', '"stability": -')


@pytest.mark.parametrize(
    "state", ["", "{", "[]", "null", "{}", '{"card_id": "x", "state": 9}', "\x00", BROKEN]
)
def test_a_card_that_cannot_be_read_is_a_new_one(state):
    assert scheduling.review(state, GOOD, MONDAY) == scheduling.review("", GOOD, MONDAY)
