"""Which blocks of a deck are questions of this version."""

from __future__ import annotations

from pathlib import Path

import pytest

import slides
from quiz.question import Question
from slides.reading.split import split
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session
from tui.deck import deck_upload
from tui.deck.contents import Contents
from tui.deck.question_of_block import Withheld
from tui.export import question_parts

BODY = "How many?\n\n- [ ] one\n- [{}] two\n:::\n"


def parsed(directive: str, tick: str = "x") -> object:
    session = Session(Contents(split(f"# A\n\n::: {directive} {{#q}}\n{BODY.format(tick)}", "deck.md")))
    (quiz,) = session.contents.quizzes(0)
    return Answering(session).parsed(quiz)


def test_a_quiz_is_a_question() -> None:
    assert isinstance(parsed("quiz"), Question)


@pytest.mark.parametrize("directive", ["predict metric=m.step_s.median", "poll"])
def test_a_key_is_not_asked_for_where_none_need_be(directive: str) -> None:
    text = f"# A\n\n::: {directive} {{#q}}\n{BODY.format(' ')}\n::: demo ddp {{#m}}\n"
    session = Session(Contents(split(text, "deck.md")))
    question = Answering(session).parsed(session.contents.quizzes(0)[0])
    assert isinstance(question, Question) and not question.keyed


def test_what_is_neither_measured_nor_a_poll_needs_a_key() -> None:
    (trouble,) = parsed("predict", " ")  # type: ignore[misc]
    assert trouble.message == "no option is right"


def test_of_two_questions_of_one_id_the_second_is_none() -> None:
    """Answers of one would be the other's; an audience's second one is withheld too."""
    text = "# A\n\n::: quiz {#q}\n" + BODY.format("x") + "\n---\n\n# B\n\n::: quiz {#q}\n" + BODY.format("x")
    contents = Contents(split(text, "deck.md"))
    answering = Answering(Session(contents))
    first, second = (answering.parsed(contents.quizzes(n)[0]) for n in (0, 1))
    assert isinstance(first, Question)
    assert isinstance(second, tuple) and "also used on line 3" in second[0].message and second[0].line == 14
    withheld = Withheld(contents, "seed")
    bodies = [contents.quizzes(n)[0].body for n in (0, 1)]
    assert withheld.body(0, bodies[0]) and withheld.body(1, bodies[1]) is None


def deck(options: str) -> Contents:
    return Contents(split(f"# A\n\n::: quiz {{#q}}\nHow many?\n\n{options}\n:::\n", "deck.md"))


def test_a_question_that_an_edit_gave_other_options_is_asked_anew() -> None:
    session = Session(deck("- [x] one\n- [ ] two"), screen="me")
    answering = Answering(session)
    answering.open_shown()
    answering.pick(1)
    assert session.state.questions["q"].answers == {"me": (1,)}
    session.replace_deck(deck("- [x] uno\n- [ ] two"))  # another word is no other answer
    answering.open_shown()
    assert session.state.questions["q"].answers == {"me": (1,)}
    session.replace_deck(deck("- [ ] none\n- [x] uno\n- [ ] two"))
    answering.open_shown()
    state = session.state.questions["q"]
    assert (state.options, state.answers, state.counts) == (3, {}, (0, 0, 0))
    answering.pick(1)
    answering.reveal()
    session.replace_deck(deck("- [x] uno\n- [ ] two"))
    answering.open_shown()
    assert session.state.questions["q"].phase == "revealed"


def test_a_prediction_says_what_it_cannot_measure() -> None:
    (trouble,) = parsed("predict metric=nothing.step_s.median", " ")  # type: ignore[misc]
    assert trouble.message == "no demo of this deck is called nothing"
    (trouble,) = parsed("predict metric=nothing", " ")  # type: ignore[misc]
    assert "not a figure" in trouble.message and trouble.line == 3


def test_hands_for_lines_of_code_go_by_line() -> None:
    code = "\n".join(f"line({n})" for n in range(1, 13))
    text = f"# A\n\n::: quiz {{#q kind=line}}\nWhich?\n\n```python\n{code}\n```\n\n= 4\n:::\n"
    session = Session(Contents(split(text, "deck.md")), screen="me")
    answering = Answering(session)
    answering.open_shown()
    counts = answering.hands.read("4:13 12:2")
    assert counts == (0, 0, 0, 13, *[0] * 7, 2)
    answering.hands.send(counts)  # type: ignore[arg-type]
    assert answering.hands.written() == "4:13 12:2" and session.state.questions["q"].answered == 15
    for wrong in ("13:1", "4", "1 2 3", "4:13 4:2"):
        assert "as in 1:4 12:13" in str(answering.hands.read(wrong))


def test_a_digit_behind_the_last_pair_takes_none_of_them_away() -> None:
    session = Session(deck("- a => x\n- b => y\n- => z"), screen="me")
    answering = Answering(session)
    answering.open_shown()
    said = [answering.pick(option) for option in (0, 1, 2)]
    assert answering.picked("q") == (0, 1) and "again to take it out" in said[-1]
    answering.pick(0)
    assert answering.picked("q") == (-1, 1)
    answering.pick(2)
    assert answering.picked("q") == (2, 1)


def test_a_prediction_of_one_run_is_noted() -> None:
    from tui.health.deck_findings import unmeasured

    block = "::: predict {{#q kind=numeric metric=m.{} unit={} runs={}}}\nHow long?\n:::\n"
    text = f"# A\n\n{block}\n::: demo ddp {{{{#m}}}}\n"

    def notes(*written: str) -> list[str]:
        return [note.message for note in unmeasured(Contents(split(text.format(*written), "deck.md")))]

    assert "one run" in notes("step_s.median", "ms", "1")[0]
    assert notes("step_s.median", "ms", "3") == notes("memory_bytes.median", "MB", "1") == []


def test_what_explains_a_prediction_is_told_to_nobody_before_it_was_measured() -> None:
    """As the template of a deck has it: a number to predict, and a closing quote."""
    template = Path(slides.__file__).parent / "templates" / "deck.md"
    contents = Contents(split(template.read_text("utf-8"), "deck.md"))
    secret = "drawn on the same axis"
    assert secret in contents.deck.source
    session = Session(contents, screen="me")
    (quiz,) = [q for n in range(len(contents)) for q in contents.quizzes(n) if q.id == "guess"]
    question = Answering(session).parsed(quiz)
    assert isinstance(question, Question) and secret not in question.stem and secret in question.explain
    assert secret.encode() not in deck_upload.for_audience(contents, "seed")
    assert secret not in repr(question_parts.alone(question, answers=False))
