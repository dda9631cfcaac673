"""The table of kinds: whole, and true of questions as they are made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import made_questions
import pytest
from hypothesis import given, settings

from quiz.grade import grade
from quiz.kinds.kind import QuestionKind, of
from quiz.kinds.registry import KINDS, PICKED, Kind
from runtime.classroom.question_state import COUNTED


def test_every_kind_has_a_row() -> None:
    assert set(KINDS) == set(get_args(Kind))


def test_a_kind_that_is_answered_or_graded_says_how() -> None:
    """What its row promises, its file does: otherwise it would be that of a free text."""
    for name, traits in KINDS.items():
        does = type(of(name))
        if traits.key:
            assert does.share is not QuestionKind.share, name
            assert does.held is not QuestionKind.held, name
        if traits.answered in ("options", "sequence", "line"):
            assert does.reply is not QuestionKind.reply, name
            assert does.first is not QuestionKind.first, name
        if traits.key and traits.answered != "options":
            assert does.key_in_words is not QuestionKind.key_in_words, name


def test_nobody_else_names_a_kind() -> None:
    """A new kind is its file, its row and its picture. A format says which kinds it has; what names a kind
    besides is listed with its reason."""
    root = Path(__file__).parents[4]
    allowed = {
        "quiz/parse.py": "boxes without a kind are single or multi",
        "quiz/answer_key.py": "what a measurement left open is a range of numbers",
        "quiz/question.py": "its docstring",
        "runtime/classroom/question_state.py": "the host may not import the table; held against it above",
        "runtime/classroom/question_without_votes_and_key.py": "likewise: an essay is not everybody's",
    }
    names = "|".join(KINDS)
    called = re.compile(rf"\bkind (?:[!=]= |(?:not )?in \()\"(?:{names})\"|case \"(?:{names})\"")
    found = {
        str(path.relative_to(root))
        for room in ("quiz", "tui", "runtime/classroom", "runtime/host")
        for path in (root / room).rglob("*.py")
        if "quiz/kinds" not in str(path) and "quiz/formats" not in str(path)
        and called.search(path.read_text("utf-8"))
    }  # fmt: skip
    assert found - set(allowed) == set()


def test_what_a_class_counts_is_what_is_picked() -> None:
    """The host counts by option what is answered by picking; it may not import the table."""
    assert set(COUNTED) == set(PICKED)


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
