"""When a student is asked again: after long, and by the days that people count."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from made_student import MONDAY, answered_wrong, give, go

from quiz.reply import Reply
from tui.study.lessons_and_rounds import AT_ONCE
from tui.study.study_session import Sitting


def test_after_400_days_all_is_due_and_asked_in_portions(student, tmp_path):
    many = "\n---\n\n".join(
        f"# Q{n} {{#s{n}}}\n\n::: quiz {{#k{n} kind=truefalse}}\nQ{n}?\n\n= true\n:::\n" for n in range(60)
    )
    student.file.write_text(many)
    at = student.lesson()
    for n in range(60):
        give(at, go(at, f"k{n}"), Reply((0,)), sure=True)
    student.time += timedelta(days=400)
    assert len(student.due()) == 60
    assert student.desk.home().today[0].text == "60 questions are due"
    opened = student.desk.open_round()
    assert opened is not None
    assert len(opened.asked) == AT_ONCE
    due = Sitting.of(opened, student.desk.save)
    for question in due.waiting():
        give(due, go(due, question.id), Reply((0,)))
    due.ended = True
    student.desk.keep_round(due)
    assert len(student.due()) == 60 - AT_ONCE


def test_a_night_belongs_to_the_day_before(student):
    east = timezone(timedelta(hours=9))
    student.time = datetime(2026, 3, 2, 23, 50, tzinfo=east)
    answered_wrong(student, "truth")
    student.time = datetime(2026, 3, 3, 1, 10, tzinfo=east)
    assert student.due() == []  # somebody is still at it
    assert student.desk.home().days == 1
    student.time = datetime(2026, 3, 3, 7, 0, tzinfo=east)
    assert set(student.due()) == {"truth"}
    student.time = datetime(2026, 3, 2, 12, 0, tzinfo=timezone(timedelta(hours=-8)))
    assert student.due() == []
    student.time = MONDAY - timedelta(days=30)  # a clock set back
    assert set(student.due()) == {"truth"}
