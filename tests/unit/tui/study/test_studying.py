"""A student over three simulated days, at the desk and the sittings that the screens use."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from made_student import MONDAY, Student

from quiz.reply import Reply, read_reply
from runtime.catalog import registry
from runtime.classroom.actions import Answer
from tui.plain import studying
from tui.study.home_and_end_pages import Row
from tui.study.study_session import Sitting

LESSON = """\
---
title: Rings
---
# Start {#start}

words

---

# Sums {#sums}

::: quiz {#sum kind=single tags=ring}
What is summed?

- [x] gradients
- [ ] losses
:::

---

# Live {#live}

::: demo ddp ranks=2 steps=5 budget=30s

---

# Bytes {#bytes}

::: quiz {#bytes-sent kind=numeric points=2 tags=ring,bytes}
How many?

= 12 GB
:::

---

# Order {#order}

::: quiz {#steps kind=order}
In order:

1. forward
2. backward
3. step
:::
"""


class Pupil(Student):
    """Who types the answers."""

    def answer(self, at: Sitting, block: str, typed: str, sure: bool | None = None) -> bool:
        """Go to a question, take five seconds, answer it."""
        session, answering = at.session, at.answering
        index = at.slide_of(block)
        assert index is not None
        session.go((index, 0))
        answering.open_shown()
        at.arrived()
        self.time += timedelta(seconds=5)
        current = answering.current()
        assert current is not None
        reply = read_reply(current[0], typed)
        assert isinstance(reply, Reply), reply
        if typed:
            session.act(Answer(block, reply.choice, reply.text))
            answering.lock()
        else:
            answering.reveal()
        if (question := at.unsaid()) is not None:
            at.say(question, sure)
        given = at.given()
        assert given is not None
        outcome = at.keep(given)
        answering.reveal()
        return outcome is not None and outcome.right

    def right_order(self, at: Sitting, block: str) -> str:
        question = next(q for q in at.answering.shown() if q.id == block)
        return " ".join(str(n + 1) for n in question.key)


@pytest.fixture
def student(tmp_path: Path) -> Iterator[Pupil]:
    made = Pupil(tmp_path, LESSON, "01-rings.md")
    yield made
    made.desk.close()


def test_three_days_and_the_right_cards_come_back(student):
    # Monday evening: the lesson. One right, one wrong, one only seen.
    at = student.lesson()
    assert student.answer(at, "sum", "1", sure=True)
    assert not student.answer(at, "bytes-sent", "11 GB")
    at.session.go((4, 0))
    at.answering.open_shown()
    student.keep(at)
    assert student.due() == ["steps"]  # seen, not answered
    # The wrong one comes back at the end of the lesson, with the demo of the slide before it.
    again = at.book.slide(5)
    assert [type(block).__name__ for block in again.blocks] == ["Heading", "Quiz", "Demo"]
    block = at.book.quizzes(5)[0].id
    assert student.answer(at, block, "12 GB")
    assert len(at.book) == 6
    card = student.desk.end_card("Rings", at)
    assert (card.points, card.out_of, card.right, card.asked, card.later, card.left) == (1, 3, 1, 2, 1, 1)

    # Tuesday morning: what was wrong and what was only seen, not the one that was sure.
    student.time = MONDAY.replace(hour=7) + timedelta(days=1)
    student.come_back()
    assert student.due() == ["steps", "bytes-sent"]
    at = student.sitting(student.desk.open_round())
    first, second = at.asked
    at.session.go((0, 0))
    at.answering.open_shown()
    assert student.answer(at, first, student.right_order(at, first))
    assert not student.answer(at, second, "")  # not known
    assert at.left() == 1  # once more, now with its demo
    assert at.book.demos(2)[0].name == "ddp"
    third = at.book.quizzes(2)[0].id
    assert student.answer(at, third, "12 GB")
    at.ended = True
    student.desk.keep_round(at)
    assert student.due() == []

    # Wednesday: the forgotten one again, and then a day later; what was right at once waits two days.
    student.time += timedelta(days=1)
    student.come_back()
    assert student.due() == ["bytes-sent"]
    at = student.sitting(student.desk.open_round())
    assert student.answer(at, "bytes-sent~0", "12 GB")
    at.ended = True
    student.desk.keep_round(at)
    assert student.due() == []
    student.time += timedelta(days=1)
    assert student.due() == ["steps", "bytes-sent"]
    # A week after Monday the sure one has still a day to go.
    student.time = MONDAY + timedelta(days=7)
    assert "sum" not in student.due()
    student.time = MONDAY + timedelta(days=8)
    assert "sum" in student.due()


def test_a_lesson_resumes_with_its_answers_and_what_was_to_come_back(student):
    at = student.lesson()
    student.answer(at, "sum", "2")
    student.answer(at, "bytes-sent", "12 GB")
    student.keep(at)
    student.come_back()
    opened = student.desk.open_lesson(student.desk.lessons[0])
    assert opened.place is not None
    assert opened.place.slide == "bytes"
    again = student.sitting(opened)
    assert again.name == at.name
    assert len(again.book) == 6
    assert again.score == (2, 3)
    assert {id: s.phase for id, s in again.session.state.questions.items()} == {
        "sum": "revealed",
        "bytes-sent": "revealed",
    }
    assert again.session.question("sum").key == (0,)
    # When it is done it begins anew, and what was seen of it stays seen.
    again.ended = True
    student.desk.keep_lesson(student.desk.lessons[0], again)
    assert student.desk.open_lesson(student.desk.lessons[0]).name == at.name  # there are open questions
    for question in again.waiting():
        again.answer(question, question.key, (), True)
    student.desk.keep_lesson(student.desk.lessons[0], again)
    anew = student.desk.open_lesson(student.desk.lessons[0])
    assert anew.name != at.name
    assert anew.answers == []


def test_what_was_shuffled_is_kept_in_the_order_of_its_author(student):
    at = student.lesson()
    student.answer(at, "steps", "1 2 3")
    given = at.session.question("steps").answers["student"]
    shown = [option.text for option in at.read("steps").options]
    written = ["forward", "backward", "step"]
    kept = student.all_answers()[0]
    assert [written[n] for n in kept.choice] == [shown[n] for n in given]
    student.keep(at)
    again = student.lesson()  # and is shown again as it was asked
    assert again.session.question("steps").answers["student"] == given


def test_a_round_resumes_at_its_first_open_question_and_not_another_day(student):
    at = student.lesson()
    for block in ("sum", "bytes-sent"):
        student.answer(at, block, "")
    student.time = MONDAY.replace(hour=7) + timedelta(days=1)
    left = student.sitting(student.desk.open_round())
    student.answer(left, "sum~0", "2")
    student.come_back()
    assert student.desk.home().today[0].target == "round"
    assert "2 of them left" in student.desk.home().today[0].text  # the other, and this once more
    again = student.sitting(student.desk.open_round())
    assert again.name == left.name
    assert again.first_open() == 1
    assert [asked.question for asked in again.asked.values()] == ["sum", "bytes-sent", "sum"]
    student.time += timedelta(days=1)
    assert student.sitting(student.desk.open_round()).name != left.name


def test_a_question_is_asked_three_times_at_most(student):
    at = student.lesson()
    block = "sum"
    for _ in range(3):
        student.answer(at, block, "2")
        block = at.book.quizzes(len(at.book) - 1)[0].id
    assert len(at.book) == 5 + 2
    assert at.left() == 2  # the other two of the lesson


def test_a_question_that_left_its_lesson_is_not_asked(student):
    at = student.lesson()
    student.answer(at, "sum", "2")
    student.time += timedelta(days=1)
    file = student.file
    file.write_text(LESSON.replace("#sum ", "#other "))
    student.come_back()
    assert student.due() == []
    assert student.desk.open_round() is None
    student.come_back()
    file.unlink()
    assert student.due() == []


def test_home_says_what_is_due_where_one_was_and_what_is_weak(student):
    home = student.desk.home()
    assert home.today == () and "once you have seen them" in home.rest
    assert [(row.text, row.seen, row.total) for row in home.lessons] == [("Rings", 0, 5)]
    at = student.lesson()
    student.answer(at, "bytes-sent", "11 GB")
    student.keep(at)
    home = student.desk.home()
    assert "comes back tomorrow" in home.rest
    assert home.onward[0].aside == "slide 4, Bytes"
    assert home.lessons[0].seen == 4
    assert {weak.name for weak in home.weak} == {"ring", "bytes"}
    assert (home.days, home.month) == (1, "March")
    student.time += timedelta(days=1)
    assert student.desk.home().today == (Row("due", "", "1 question is due"),)


def test_the_command_of_a_missed_topic_runs_the_demo_as_its_slide_has_it(student):
    at = student.lesson()
    student.answer(at, "bytes-sent", "11 GB")
    missed = student.desk.end_card("Rings", at).misses
    assert [(miss.topic, miss.command) for miss in missed] == [
        (topic, "teachrun run ddp ranks=2 steps=5 budget=30s") for topic in ("bytes", "ring")
    ]
    name, params = registry.parse_words(shlex.split(missed[0].command)[2:])
    assert isinstance(registry.check(name, params), registry.Launchable)


def test_what_is_due_is_asked_in_lines(student, monkeypatch, capsys):
    at = student.lesson()
    for block in ("sum", "bytes-sent"):
        student.answer(at, block, "")
    student.time += timedelta(days=1)
    # Wrong, a word that is not an answer, right; then the wrong one once more.
    monkeypatch.setattr("sys.stdin", io.StringIO("2\nmany\n12 GB\n1\n"))
    assert studying.main(student.desk) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 questions are due\nRings: 0 of 5 slides, 2 due\n")
    assert "a number, with its unit where it has one" in said
    assert said.count("What is summed?") == 2
    assert "2 of 3 points, 1 of 2 right at once" in said
    assert "worth another look: ring: teachrun run ddp ranks=2 steps=5 budget=30s" in said
    assert student.due() == []


class Typing(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        return True


def test_who_types_is_asked_how_sure(student, monkeypatch, capsys):
    at = student.lesson()
    for block in ("sum", "bytes-sent"):
        student.answer(at, block, "")
    student.time += timedelta(days=1)
    monkeypatch.setattr("sys.stdin", Typing("1\nsure\n12 GB\n\n"))
    studying.main(student.desk)
    assert capsys.readouterr().out.count("How sure were you?") == 2
    kept = student.all_answers()
    assert [(one.question, one.sure) for one in kept[2:]] == [("sum", True), ("bytes-sent", None)]


def test_what_is_skipped_in_lines_stays_due(student, monkeypatch, capsys):
    at = student.lesson()
    for block in ("sum", "bytes-sent"):
        student.answer(at, block, "")
    student.time += timedelta(days=1)
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nq\n"))
    studying.main(student.desk)
    assert student.due() == ["bytes-sent"]


def test_a_lesson_is_done_only_when_its_questions_were_answered(student):
    at = student.lesson()
    student.answer(at, "sum", "1", sure=True)
    at.ended = True
    student.keep(at)
    assert not student.desk.home().lessons[0].done and at.left() > 0
    student.come_back()
    again = student.lesson()
    assert len(again.firsts()) == 1 and again.left() == at.left()  # gone on with, not begun anew
