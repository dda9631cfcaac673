"""How an answer becomes a rating: by hand from the rule."""

from __future__ import annotations

import pytest

from quiz.study import rating
from quiz.study.rating import AGAIN, EASY, GOOD, HARD


@pytest.mark.parametrize(
    ("right", "seconds", "usual", "sure", "rated"),
    [
        (False, 1, 10, True, AGAIN),
        (False, 1, None, None, AGAIN),
        (True, 5, 10, None, GOOD),
        (True, 5, 10, True, EASY),
        (True, 5, 10, False, HARD),
        (True, 20, 10, None, HARD),
        (True, 20, 10, True, HARD),
        (True, 19.9, 10, True, EASY),
        (True, 999, None, None, GOOD),
    ],
)
def test_a_rating_follows_the_rule(right, seconds, usual, sure, rated):
    assert rating.rate(right, seconds, usual, sure) == rated


def test_there_is_no_usual_time_below_five_right_answers():
    assert rating.usual_time([10, 10, 10, 10]) is None
    assert rating.usual_time([10, 1000, 12, 8, 11]) == 11
