"""The table of kinds: whole, and true of questions as they are made."""

from __future__ import annotations

from typing import get_args

import made_questions
import pytest
from hypothesis import given, settings

from quiz.kinds import traits
from quiz.kinds.grade import grade
from quiz.kinds.traits import KINDS, Kind
from runtime.classroom.question_state import COUNTED


def test_every_kind_has_a_row() -> None:
    assert set(KINDS) == set(get_args(Kind))


def test_what_a_class_counts_is_what_is_picked() -> None:
    """The host counts by option what is answered by picking; it may not import the table."""
    assert set(COUNTED) == set(traits.PICKED)


@settings(max_examples=100, deadline=None)
@given(made_questions.questions(get_args(Kind)))
def test_what_is_right_is_where_the_table_says(question) -> None:
    key = KINDS[question.kind].key
    assert question.keyed == (key != "")
    if key:
        assert getattr(question, key)
    else:
        with pytest.raises(ValueError, match="no key"):
            grade(question, ())
