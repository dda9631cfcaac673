"""Which blocks of a deck are questions of this version."""

from __future__ import annotations

import pytest

from quiz.question import Question
from slides.split import split
from tui.answering import Answering
from tui.session import Contents, Session

BODY = "How many?\n\n- [ ] one\n- [{}] two\n:::\n"


def parsed(directive: str, tick: str = "x") -> object:
    session = Session(Contents(split(f"# A\n\n::: {directive} {{#q}}\n{BODY.format(tick)}", "deck.md")))
    (quiz,) = session.contents.quizzes(0)
    return Answering(session).parsed(quiz)


def test_a_quiz_is_a_question() -> None:
    assert isinstance(parsed("quiz"), Question)


@pytest.mark.parametrize("directive", ["predict", "poll"])
def test_a_key_is_not_asked_for_where_none_need_be(directive: str) -> None:
    question = parsed(directive, " ")
    assert isinstance(question, Question) and not question.keyed


def test_a_prediction_says_what_it_cannot_measure() -> None:
    (trouble,) = parsed("predict metric=nothing.step_s.median", " ")  # type: ignore[misc]
    assert trouble.message == "no demo of this deck is called nothing"
    (trouble,) = parsed("predict metric=nothing", " ")  # type: ignore[misc]
    assert "no figure" in trouble.message and trouble.line == 3
