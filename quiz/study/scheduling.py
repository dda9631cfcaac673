"""Says when a question is due again, by FSRS: its card after each answer, as `rating.py` rates it.

The scheduler is that of the `fsrs` package (FSRS-6, its published weights): a card is due when the chance to
recall it has fallen to `RETENTION`. Its learning steps, which are minutes, are left out: a wrong answer is
brought back in the same session by whoever asks, and `due` counts in whole days. Fuzzing is off: the same
answers give the same days.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from quiz.study.rating import Rating

if TYPE_CHECKING:
    from fsrs import Card as FsrsCard
    from fsrs import Scheduler

RETENTION = 0.9  # the chance of recall at which a question comes back
DAY_ENDS_H = 4  # o'clock: who studies past midnight has not begun the next day


class Card(NamedTuple):
    """What FSRS keeps of a question (JSON of its own), and when that is due (UTC)."""

    state: str
    due: datetime


@cache
def _scheduler() -> Scheduler:
    from fsrs import Scheduler

    return Scheduler(
        desired_retention=RETENTION, learning_steps=(), relearning_steps=(), enable_fuzzing=False
    )


def review(state: str, rated: Rating, now: datetime) -> Card:
    """The card after an answer at `now` (aware). `state` "" is a question that was never answered; so is one
    that cannot be read."""
    from fsrs import Card as FsrsCard

    try:
        return _reviewed(FsrsCard.from_dict(json.loads(state)), rated, now)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        # By itself a new card's number is the moment it was made, and making it waits for a new one.
        return _reviewed(FsrsCard(card_id=0), rated, now)


def _reviewed(card: FsrsCard, rated: Rating, now: datetime) -> Card:
    from fsrs import Rating as FsrsRating

    card, _ = _scheduler().review_card(card, FsrsRating(rated), _utc(now))
    return Card(json.dumps(card.to_dict()), card.due)


def day(at: datetime) -> date:
    """Return the day of a moment, in its own time zone."""
    return (at - timedelta(hours=DAY_ENDS_H)).date()


def day_end(now: datetime) -> datetime:
    """Return when the day of `now` ends, in its own time zone: what is due before is due today."""
    return datetime.combine(day(now) + timedelta(days=1), time(DAY_ENDS_H), now.tzinfo)


def _utc(now: datetime) -> datetime:
    return now.astimezone(UTC)
