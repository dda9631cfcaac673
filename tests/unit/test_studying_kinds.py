"""Every kind of question alone: what is graded, what is only kept, and what comes back; predictions by what
was measured; questions of other decks, with their demos; lessons that were edited or moved."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from quiz.question import Question
from quiz.reply import Reply, read_reply
from runtime import actions, consent
from runtime.questions import Sample
from tui.commands import studyplain
from tui.commands.study import trust
from tui.predicting import Prediction
from tui.study import asked, course
from tui.study.asked import Gathered
from tui.study.desk import AT_ONCE, Desk
from tui.study.moved import moved
from tui.study.sitting import Opened, Sitting

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)

KINDS = """\
---
title: Kinds
---
# Single {#s}

::: quiz {#single kind=single shuffle=yes tags=one}
Which?

- [ ] losses
- [x] gradients
- [ ] weights
:::

---

# Multi {#m}

::: quiz {#multi kind=multi points=2}
Which?

- [x] all-reduce
- [ ] print
- [x] broadcast
:::

---

# True {#t}

::: quiz {#truth kind=truefalse}
Equal?

= true
:::

---

# Bytes {#n}

::: quiz {#bytes kind=numeric}
How many?

= 16.6 ± 0.1 GB
:::

---

# Text {#x}

::: quiz {#word kind=text}
Which?

= all-reduce | allreduce
:::

---

# Order {#o}

::: quiz {#order kind=order}
In order:

1. forward
2. backward
3. step
:::

---

# Match {#p}

::: quiz {#match kind=match}
Match:

- ring => bandwidth
- tree => latency
- => nothing
:::

---

# Cloze {#c}

::: quiz {#cloze kind=cloze}
A {{ring|circle}} of {{= 4 ± 1}} is {{fast|~slow}}.
:::

---

# Line {#l}

::: quiz {#line kind=line}
Which?

```python
loss = model()
loss.backwards()
```

= 2
:::

---

# Poll {#q}

::: poll {#poll}
Who?

- you
- me
:::

---

# Essay {#e}

::: quiz {#essay kind=essay}
Why?
:::

---

# Broken {#b}

::: quiz {#broken kind=single}
No option is right.

- [ ] a
:::

---

# Slower {#f}

::: predict {#slower metric=seven.step_s.median over=one unit=x runs=1 kind=single tags=buckets}
How much slower?

- [ ] 1x
- [ ] 2x
- [ ] 4x
:::

---

# Time {#g}

::: predict {#time metric=one.step_s.median unit=ms runs=1 kind=numeric}
How long?
:::

---

# Demos {#d}

::: demo ddp {#one} ranks=2 steps=5

---

# More {#d2}

::: demo ddp {#seven} ranks=2 steps=5 bucket_mb=0.25
"""

# What is typed for each, right and wrong; of what is shuffled by its texts.
TYPED = {
    "multi": ("13", "12"),
    "truth": ("true", "false"),
    "bytes": ("16.6 GB", "17 GB"),
    "word": ("AllReduce", "gather"),
    "cloze": ("circle; 5; fast", "ring; 4; slow"),
    "line": ("2", "1"),
}
GRADED = ("single", *TYPED, "order", "match")


class Student:
    def __init__(self, folder: Path, text: str = KINDS) -> None:
        self.folder, self.time = folder, MONDAY
        self.file = folder / "course" / "01-kinds.md"
        self.file.parent.mkdir()
        self.file.write_text(text)
        self.desk = self.sit_down()

    def sit_down(self, *courses: Path) -> Desk:
        lessons = course.find([str(path) for path in courses or (self.file.parent,)]).lessons
        return Desk(self.folder / "p.sqlite", lessons, lambda: self.time)

    def come_back(self, *courses: Path) -> None:
        assert self.desk.close() == ""
        self.desk = self.sit_down(*courses)

    def opened(self) -> Opened:
        return self.desk.open_lesson(self.desk.lessons[0])

    def lesson(self) -> Sitting:
        return Sitting.of(self.opened(), self.desk.save)

    def keep(self, at: Sitting) -> None:
        self.desk.keep_lesson(self.desk.lessons[0], at)

    def due(self) -> set[str]:
        return {card.question for card in self.desk.due()}

    def kept(self) -> dict[str, dict[str, object]]:
        rows = self.desk._ask(self.desk._progress.export)["answers"]
        assert isinstance(rows, list)
        return {row["question"]: row for row in rows}


@pytest.fixture
def student(tmp_path: Path) -> Iterator[Student]:
    made = Student(tmp_path)
    yield made
    made.desk.close()


def go(at: Sitting, block: str) -> Question:
    """To the slide of a question, as a screen goes there."""
    index = at.slide_of(block)
    assert index is not None
    at.session.go((index, 0))
    at._answering.open_shown()
    at.arrived()
    current = at._answering.current()
    assert current is not None and current[0].id == block
    return current[0]


def give(at: Sitting, question: Question, reply: Reply, sure: bool | None = None) -> bool | None:
    """Answer, lock and say how sure; whether it was right, None where nobody can say."""
    at.session.act(actions.Answer(question.id, reply.choice, reply.text))
    at._answering.lock()
    unsaid = at.unsaid()
    assert (unsaid is None) == (not at.asked[question.id].graded)
    if unsaid is not None:
        at.say(unsaid, sure)
    assert at.given() == question
    outcome = at.keep(question)
    at._answering.reveal()
    assert at.given() is None
    return outcome.right if outcome is not None else None


def reply(question: Question, right: bool) -> Reply:
    if question.id.partition("~")[0] in TYPED:
        typed = TYPED[question.id.partition("~")[0]][not right]
        read = read_reply(question, typed)
        assert isinstance(read, Reply), read
        return read
    if right:
        return Reply(question.key)
    return Reply((*question.key[1:], question.key[0]) if len(question.key) > 1 else (0,))


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
    assert student.due() == set()
    student.time += timedelta(days=1)
    student.come_back()
    assert student.due() == set(GRADED)
    # They are asked anew by themselves, each as its kind is.
    opened = student.desk.open_round()
    assert opened is not None
    due = Sitting.of(opened, student.desk.save)
    for question in due.waiting():
        assert give(due, go(due, question.id), reply(question, True)) is True
    assert due.left() == 0
    assert student.due() == set()


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
    assert again._answering.picked("poll") == (1,)
    assert again._answering.typed("essay") == ("because",)
    rows = student.kept()
    assert (rows["poll"]["right"], rows["poll"]["rated"], rows["essay"]["out_of"]) == (None, None, 0.0)
    student.time += timedelta(days=1)
    assert student.due() == set()


def measure(at: Sitting, block: str, **values: float) -> None:
    for name, value in values.items():
        at.session.act(actions.Measured(block, Sample(name, f"run-{name}", value, "LIVE CPU")))


def test_a_prediction_is_held_against_what_was_measured_and_comes_back_with_its_demos(student):
    at = student.lesson()
    question = go(at, "slower")
    at.session.act(actions.Answer("slower", (0,)))
    at._answering.close()
    unsaid = at.unsaid()
    assert unsaid == question
    at.say(unsaid, True)
    student.time += timedelta(seconds=60)
    assert at.given() is None  # nothing was measured yet
    measure(at, "slower", one=0.1, seven=0.21)
    at._answering.reveal()
    assert at.given() == question
    outcome = at.keep(question)
    assert outcome is not None
    assert not outcome.right
    row = student.kept()["slower"]
    assert (row["right"], row["sure"], row["seconds"]) == (False, True, 0.0)  # until it was locked
    assert [one["value"] for one in row["measured"]] == [0.1, 0.21]
    student.keep(at)

    student.come_back()  # what was measured is on the slide again
    again = student.lesson()
    assert [sample.value for sample in again.session.question("slower").samples] == [0.1, 0.21]
    assert again.session.question("slower").key == (1,)

    student.time += timedelta(days=1)
    assert student.due() == {"slower"}
    opened = student.desk.open_round()
    assert opened is not None
    due = Sitting.of(opened, student.desk.save)
    (block,) = due.asked
    question = go(due, block)
    found = due._answering.prediction()
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
    due._answering.close()
    measure(due, block, one=0.1, seven=0.19)
    due._answering.reveal()
    outcome = due.keep(question)
    assert outcome is not None
    assert outcome.right
    assert student.due() == set()


def test_a_prediction_in_lines_is_left_for_a_screen(student, monkeypatch, capsys):
    at = student.lesson()
    question = go(at, "slower")
    at.session.act(actions.Answer("slower", (0,)))
    measure(at, "slower", one=0.1, seven=0.21)
    at._answering.reveal()
    at.keep(question)
    student.time += timedelta(days=1)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert studyplain.main(student.desk) == 0
    said = capsys.readouterr().out
    assert "1 question is due" in said
    assert "left: 1 to predict and to measure, on the screen of teachrun study --due" in said
    assert student.due() == {"slower"}


@pytest.mark.parametrize(
    ("typed", "right"), [("100 ms", True), ("0.119 s", True), ("81", True), ("79", False), ("130 ms", False)]
)
def test_a_number_that_was_predicted_may_miss_by_a_fifth(student, typed, right):
    at = student.lesson()
    question = go(at, "time")
    read = read_reply(question, typed)
    assert isinstance(read, Reply)
    at.session.act(actions.Answer("time", read.choice, read.text))
    at._answering.close()
    measure(at, "time", one=0.1)
    at._answering.reveal()
    outcome = at.keep(question)
    assert outcome is not None
    assert outcome.right is right


def test_a_prediction_that_nobody_measured_is_neither_right_nor_wrong(student):
    at = student.lesson()
    question = go(at, "slower")
    at._answering.reveal()
    assert at.given() == question
    assert at.keep(question) is None
    student.keep(at)
    student.time += timedelta(days=1)
    assert student.due() == set()  # where its demo does not run it would be due for ever


def test_time_that_is_over_is_kept_as_not_known(student):
    student.file.write_text(KINDS.replace("kind=truefalse", "kind=truefalse time=30s"))
    at = student.lesson()
    question = go(at, "truth")
    student.time += timedelta(seconds=31)
    at._answering.tick()
    assert at.unsaid() is None
    assert at.given() == question
    outcome = at.keep(question)
    assert outcome is not None
    assert not outcome.right


# --- decks that change ------------------------------------------------------------------------------------


def answered_wrong(student: Student, *blocks: str) -> None:
    at = student.lesson()
    for block in blocks:
        assert give(at, go(at, block), reply(go(at, block), False)) is False
    student.keep(at)


def test_a_question_keeps_its_card_where_it_is_moved_or_reworded(student):
    answered_wrong(student, "truth", "line")
    student.time += timedelta(days=1)
    head, *slides = KINDS.split("\n---\n\n")
    text = "\n---\n\n".join((head, *reversed(slides))).replace("Equal?", "Is it equal?")
    student.file.write_text(text.replace("= true", "= false"))
    student.come_back()
    assert student.due() == {"truth", "line"}
    opened = student.desk.open_round()
    assert opened is not None
    due = Sitting.of(opened, student.desk.save)
    truth = next(one for one in due.waiting() if one.kind == "truefalse")
    assert truth.stem == "Is it equal?"
    assert give(due, go(due, truth.id), Reply((1,))) is True  # by the key that it has now


def test_a_question_that_became_a_poll_is_not_due(student):
    answered_wrong(student, "truth")
    student.time += timedelta(days=1)
    student.file.write_text(KINDS.replace("{#truth kind=truefalse}", "{#truth kind=essay}"))
    student.come_back()
    assert student.due() == set()


@pytest.mark.parametrize("name", ["01-kinds.md", "07-kinds.md"])
def test_a_course_that_was_moved_keeps_its_progress(student, name):
    answered_wrong(student, "truth", "line")
    student.time += timedelta(days=1)
    target = student.folder / ("elsewhere" if name.startswith("01") else "course")
    target.mkdir(exist_ok=True)
    shutil.move(student.file, target / name)
    student.come_back(target)
    assert student.due() == {"truth", "line"}
    row = student.desk.home().lessons[0]
    assert row.seen > 0
    again = student.lesson()  # and a lesson that was half done goes on
    assert [one.asked.question for one in again.firsts()] == ["truth", "line"]


def test_a_copy_of_a_course_and_another_of_the_same_name_begin_anew(student):
    answered_wrong(student, "truth", "line")
    copy = student.folder / "copy" / "01-kinds.md"
    copy.parent.mkdir()
    shutil.copy(student.file, copy)
    known = {str(student.file): {"truth", "line"}}
    lesson = course.lesson(copy)
    assert moved(known, [lesson], lambda lesson: {"truth", "line"}) == {}
    student.file.unlink()
    assert moved(known, [lesson], lambda lesson: {"other", "x"}) == {}
    assert moved(known, [lesson], lambda lesson: {"truth", "x"}) == {str(student.file): lesson}
    assert moved({**known, lesson.id: {"a"}}, [lesson], lambda lesson: {"truth"}) == {}
    link = student.folder / "link.md"
    link.symlink_to(copy)
    assert moved({str(link): {"truth"}}, [lesson], lambda lesson: {"truth"}) == {str(link): lesson}


def test_a_course_behind_a_closed_door_is_not_there(student, monkeypatch):
    answered_wrong(student, "truth")
    student.time += timedelta(days=1)
    other = student.folder / "other" / "01-kinds.md"
    other.parent.mkdir()
    shutil.copy(student.file, other)
    usual = Path.is_file

    def closed(path: Path) -> bool:
        if path == student.file:
            raise PermissionError(13, "no")
        return usual(path)

    monkeypatch.setattr(Path, "is_file", closed)
    student.come_back(other.parent)
    assert student.due() == set()
    assert student.desk.home().lessons[0].seen == 0


SCRIPTED = """\
# Start {#start}

::: demo ./tiny.py ranks=2

---

# Same {#same}

::: quiz {#q kind=truefalse}
Asked in NAME?

= true
:::
"""


def test_two_courses_with_the_same_names_do_not_meet_and_scripts_are_those_of_their_deck(student, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "tiny.py").write_text("print()")
        (folder / "01-a.md").write_text(SCRIPTED.replace("NAME", folder.name))
    student.come_back(*folders)
    for lesson in student.desk.lessons:
        at = Sitting.of(student.desk.open_lesson(lesson), student.desk.save)
        give(at, go(at, "q"), Reply((1,)))
        end = student.desk.end_card("", at)
        assert end.misses[0].command == f"teachrun run {lesson.path.parent / 'tiny.py'} ranks=2"
    student.time += timedelta(days=1)
    opened = student.desk.open_round()
    assert opened is not None
    due = Sitting.of(opened, student.desk.save)
    assert [one.stem for one in due.waiting()] == ["Asked in one?", "Asked in two?"]
    assert len(opened.decks) == 2  # of the same name in both
    gathered = Gathered(due.book, opened.asked, dict(opened.decks))
    scripts = {folder / "01-a.md": (str(folder / "tiny.py"),) for folder in folders}
    assert asked.unasked(gathered) == scripts
    consent.agree(folders[0] / "01-a.md", scripts[folders[0] / "01-a.md"])
    assert list(opened.unasked()) == [folders[1] / "01-a.md"]
    assert not trust(opened)  # as --trust does
    assert opened.unasked() == {}


# --- time -------------------------------------------------------------------------------------------------


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
    assert student.due() == set()  # somebody is still at it
    assert student.desk.home().days == 1
    student.time = datetime(2026, 3, 3, 7, 0, tzinfo=east)
    assert student.due() == {"truth"}
    student.time = datetime(2026, 3, 2, 12, 0, tzinfo=timezone(timedelta(hours=-8)))
    assert student.due() == set()
    student.time = MONDAY - timedelta(days=30)  # a clock set back
    assert student.due() == {"truth"}
