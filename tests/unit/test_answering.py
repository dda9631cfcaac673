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
def test_what_is_not_played_yet_says_so(directive: str) -> None:
    (trouble,) = parsed(directive, " ")  # type: ignore[misc]
    assert trouble.message == f"`::: {directive}` is not played by this version"
    assert trouble.line == 3
