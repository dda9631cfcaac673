"""A student's progress where lessons are edited, moved or copied, and where courses are called alike."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from made_student import KINDS, answered_wrong, give, go

from quiz.reply import Reply
from runtime.host import consent
from tui.commands.learning.study import trust
from tui.study import course, question_selection
from tui.study.question_selection import Gathered
from tui.study.renamed_lessons import moved
from tui.study.study_session import Sitting


def test_a_question_keeps_its_card_where_it_is_moved_or_reworded(student):
    answered_wrong(student, "truth", "line")
    student.time += timedelta(days=1)
    head, *slides = KINDS.split("\n---\n\n")
    text = "\n---\n\n".join((head, *reversed(slides))).replace("Equal?", "Is it equal?")
    student.file.write_text(text.replace("= true", "= false"))
    student.come_back()
    assert set(student.due()) == {"truth", "line"}
    due = student.sitting(student.desk.open_round())
    truth = next(one for one in due.waiting() if one.kind == "truefalse")
    assert truth.stem == "Is it equal?"
    assert give(due, go(due, truth.id), Reply((1,))) is True  # by the key that it has now


def test_a_question_that_became_a_poll_is_not_due(student):
    answered_wrong(student, "truth")
    student.time += timedelta(days=1)
    student.file.write_text(KINDS.replace("{#truth kind=truefalse}", "{#truth kind=essay}"))
    student.come_back()
    assert student.due() == []


@pytest.mark.parametrize("name", ["01-kinds.md", "07-kinds.md"])
def test_a_course_that_was_moved_keeps_its_progress(student, name):
    answered_wrong(student, "truth", "line")
    student.time += timedelta(days=1)
    target = student.folder / ("elsewhere" if name.startswith("01") else "course")
    target.mkdir(exist_ok=True)
    shutil.move(student.file, target / name)
    student.come_back(target)
    assert set(student.due()) == {"truth", "line"}
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
    assert student.due() == []
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
    due = student.sitting(opened)
    assert [one.stem for one in due.waiting()] == ["Asked in one?", "Asked in two?"]
    assert len(opened.decks) == 2  # of the same name in both
    gathered = Gathered(due.book, opened.asked, dict(opened.decks))
    scripts = {
        folder / "01-a.md": (consent.runnable("tiny.py", {}, folder / "01-a.md"),) for folder in folders
    }
    assert question_selection.unasked(gathered) == scripts
    consent.agree(folders[0] / "01-a.md", scripts[folders[0] / "01-a.md"])
    assert list(opened.unasked()) == [folders[1] / "01-a.md"]
    assert not trust(opened)  # as --trust does
    assert opened.unasked() == {}
