"""Every kind of question alone: what is graded, what is only kept, and what comes back; predictions by what
was measured."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from made_student import GRADED, KINDS, give, go, reply

from quiz.question import Question
from quiz.reply import Reply, read_reply
from runtime.classroom import actions
from runtime.classroom.question_state import Sample
from tui.classroom.answering.prediction import Prediction
from tui.plain import studying
from tui.study.study_session import Sitting


def wrong_single(question: Question) -> Reply:
    return Reply((next(n for n, option in enumerate(question.options) if not option.right),))


def test_every_kind_is_graded_and_what_was_wrong_is_due_tomorrow(student):
    at = student.lesson()
    for block in GRADED:
        question = go(at, block)
        assert at.asked[block].graded
        wrong = wrong_single(question) if block == "single" else reply(question, False)
        assert give(at, question, wrong) is False
    again = at.waiting()
    assert [one.id.partition("~")[0] for one in again if "~" in one.id] == list(GRADED)
    for question in [one for one in again if "~" in one.id]:
        assert give(at, go(at, question.id), reply(question, True)) is True
    assert student.due() == []
    student.time += timedelta(days=1)
    student.come_back()
    assert set(student.due()) == set(GRADED)
    # They are asked anew by themselves, each as its kind is.
    due = student.sitting(student.desk.open_round())
    for question in due.waiting():
        assert give(due, go(due, question.id), reply(question, True)) is True
    assert due.left() == 0
    assert student.due() == []


def test_a_poll_and_an_essay_are_kept_and_come_back_as_they_were_answered(student):
    at = student.lesson()
    assert give(at, go(at, "poll"), Reply((1,))) is None
    assert give(at, go(at, "essay"), Reply(text=("because",))) is None
    assert at.outcomes == []
    assert at.left() == len(GRADED) + 2  # with the two predictions; a broken one is not waited for
    student.keep(at)
    student.come_back()
    again = student.lesson()
    assert again.session.question("poll").phase == "revealed"
    assert again.answering.picked("poll") == (1,)
    assert again.answering.typed("essay") == ("because",)
    rows = student.kept()
    assert (rows["poll"]["right"], rows["poll"]["rated"], rows["essay"]["out_of"]) == (None, None, 0.0)
    student.time += timedelta(days=1)
    assert student.due() == []


def measure(at: Sitting, block: str, **values: float) -> None:
    for n in range(2):  # one run alone says nothing of how sure it is
        for name, value in values.items():
            at.session.act(actions.Measured(block, Sample(name, f"run-{name}-{n}", value, "LIVE CPU")))


def test_a_prediction_is_held_against_what_was_measured_and_comes_back_with_its_demos(student):
    at = student.lesson()
    question = go(at, "slower")
    at.session.act(actions.Answer("slower", (0,)))
    at.answering.close()
    unsaid = at.unsaid()
    assert unsaid == question
    at.say(unsaid, True)
    student.time += timedelta(seconds=60)
    assert at.given() is None  # nothing was measured yet
    measure(at, "slower", one=0.1, seven=0.21)
    at.answering.reveal()
    assert at.given() == question
    outcome = at.keep(question)
    assert outcome is not None
    assert not outcome.right
    row = student.kept()["slower"]
    assert (row["right"], row["sure"], row["seconds"]) == (False, True, 0.0)  # until it was locked
    assert [one["value"] for one in row["measured"]] == [0.1, 0.21] * 2
    student.keep(at)

    student.come_back()  # what was measured is on the slide again
    again = student.lesson()
    assert [sample.value for sample in again.session.question("slower").samples] == [0.1, 0.21] * 2
    assert again.session.question("slower").key == (1,)

    student.time += timedelta(days=1)
    assert set(student.due()) == {"slower"}
    opened = student.desk.open_round()
    assert opened is not None
    due = student.sitting(opened)
    (block,) = due.asked
    question = go(due, block)
    found = due.answering.prediction()
    assert found is not None
    plan = found[0]
    assert isinstance(plan, Prediction)
    assert [demo.params.get("bucket_mb") for demo in plan.blocks] == ["0.25", None]
    assert {demo.id: opened.decks[demo.id] for demo in plan.blocks} == {
        "seven": student.file,
        "one": student.file,
    }
    assert len(due.book.visible) == 1
    due.session.act(actions.Answer(block, (1,)))
    due.answering.close()
    measure(due, block, one=0.1, seven=0.19)
    due.answering.reveal()
    outcome = due.keep(question)
    assert outcome is not None
    assert outcome.right
    assert student.due() == []


def test_a_prediction_in_lines_is_left_for_a_screen(student, monkeypatch, capsys):
    at = student.lesson()
    question = go(at, "slower")
    at.session.act(actions.Answer("slower", (0,)))
    measure(at, "slower", one=0.1, seven=0.21)
    at.answering.reveal()
    at.keep(question)
    student.time += timedelta(days=1)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert studying.main(student.desk) == 0
    said = capsys.readouterr().out
    assert "1 question is due" in said
    assert "left: 1 to predict and to measure, on the screen of teachrun study --due" in said
    assert set(student.due()) == {"slower"}


@pytest.mark.parametrize(
    ("typed", "right"), [("100 ms", True), ("0.119 s", True), ("81", True), ("79", False), ("130 ms", False)]
)
def test_a_number_that_was_predicted_may_miss_by_a_fifth(student, typed, right):
    at = student.lesson()
    question = go(at, "time")
    read = read_reply(question, typed)
    assert isinstance(read, Reply)
    at.session.act(actions.Answer("time", read.choice, read.text))
    at.answering.close()
    measure(at, "time", one=0.1)
    at.answering.reveal()
    outcome = at.keep(question)
    assert outcome is not None
    assert outcome.right is right


def test_a_prediction_that_nobody_measured_is_neither_right_nor_wrong(student):
    at = student.lesson()
    question = go(at, "slower")
    at.answering.reveal()
    assert at.given() == question
    assert at.keep(question) is None
    student.keep(at)
    student.time += timedelta(days=1)
    assert student.due() == []  # where its demo does not run it would be due for ever


def test_time_that_is_over_is_kept_as_not_known(student):
    student.file.write_text(KINDS.replace("kind=truefalse", "kind=truefalse time=30s"))
    at = student.lesson()
    question = go(at, "truth")
    student.time += timedelta(seconds=31)
    at.answering.tick()
    assert at.unsaid() is None
    assert at.given() == question
    outcome = at.keep(question)
    assert outcome is not None
    assert not outcome.right
