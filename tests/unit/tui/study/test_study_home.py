"""What home and end card of a student say, at every size; courses by name; the host of one who studies."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from made_student import MONDAY

from slides.drawing.text import plain
from slides.languages.program_words import say_in
from tui.study import course, home_and_end_pages
from tui.study.course import CourseError
from tui.study.home_and_end_pages import End, Home, Miss, Row, Weak
from tui.study.lessons_and_rounds import AT_ONCE, Desk, day_word
from tui.study.study_session import Sitting


def test_a_broken_store_does_not_stop_study(tmp_path):
    (tmp_path / "progress.sqlite").write_bytes(b"somebody else's file" * 200)
    lessons = course.find([]).lessons
    desk = Desk(tmp_path / "progress.sqlite", lessons, lambda: MONDAY)
    assert "move it away" in desk.home().trouble
    at = Sitting.of(desk.open_lesson(lessons[0]), desk.save)
    desk.keep_lesson(lessons[0], at)
    assert desk.home().onward
    assert "not kept" in desk.close()


def test_courses_by_name_folder_and_file(tmp_path):
    assert "distributed/05-ddp" in [lesson.id for lesson in course.find(["distributed"]).lessons]
    assert course.find(["05-ddp"]).lessons[0].course == "distributed"
    with pytest.raises(CourseError, match="Did you mean distributed"):
        course.find(["distribute"])
    with pytest.raises(CourseError, match=r"NN-name\.md"):
        course.find([str(tmp_path)])
    for name in ("02-b.md", "01-a.md", "notes.md"):
        (tmp_path / name).write_text(f"# {name}\n")
    found = course.find([str(tmp_path)]).lessons
    assert [lesson.title for lesson in found] == ["01-a.md", "02-b.md"]
    assert course.file_of(found[0].id) == tmp_path / "01-a.md"
    (tmp_path / "02-b.md").unlink()
    (tmp_path / "02-b.md").mkdir()
    assert len(course.find([str(tmp_path)]).troubles) == 1


def test_an_overture_comes_before_the_lessons_only_where_it_is_asked_for(tmp_path):
    named = [lesson.name for lesson in course.find([], openings=True).lessons]
    assert named[:2] == ["overture", "01-one-step"] and len(named) == 14
    assert [one.number for one in course.find([], openings=True).lessons] == list(range(14))
    assert course.find([]).lessons[0].name == course.find(["distributed"]).lessons[0].name == "01-one-step"
    for name in ("01-a.md", "overture.md"):
        (tmp_path / name).write_text(f"# {name}\n")
    found = course.find([str(tmp_path)], openings=True).lessons
    assert [lesson.title for lesson in found] == ["overture.md", "01-a.md"]
    (tmp_path / "overture.md").unlink()
    assert [one.title for one in course.find([str(tmp_path)], openings=True).lessons] == ["01-a.md"]


def test_days_in_words():
    today = MONDAY.date()
    assert day_word(today, MONDAY) == day_word(today - timedelta(days=3), MONDAY) == "today"
    assert day_word(today + timedelta(days=1), MONDAY) == "tomorrow"
    assert day_word(today + timedelta(days=8), MONDAY) == "on Tuesday 10 March"
    assert day_word(today + timedelta(days=366), MONDAY) == "on Wednesday 3 March 2027"


HOME = Home(
    today=(Row("due", "", "23 questions are due", aside=f"the first {AT_ONCE} of them now"),),
    onward=(Row("lesson", "l3", "Lesson 3", aside="slide 4, Bytes"),),
    lessons=tuple(
        Row("lesson", f"l{n}", f"Lesson {n}", seen=n, total=9, done=n == 2, due=n % 3) for n in range(30)
    ),
    weak=(Weak("ring", 1, 3), Weak("\x1b[31mred", 0, 1)),
    days=4,
    month="March",
    trouble="the disk is full. Make room",
)


CARD = End(
    "Rings",
    3,
    5,
    2,
    4,
    later=1,
    left=2,
    misses=(Miss("ring", 1, 3, "teachrun run ddp ranks=2"), Miss("bytes", 0, 1, "")),
    coming=(("tomorrow", 2), ("on Tuesday 10 March", 1)),
)


@pytest.mark.parametrize("width", [60, 100])
def test_lessons_have_the_numbers_by_which_exercises_name_them(width):
    numbered = [Row("lesson", f"l{n}", f"Title {n}", 0, 9, number=n) for n in (0, 1, 12)]
    shown = [plain(line) for line in home_and_end_pages.home(Home((), (), tuple(numbered)), 0, width, 30)]
    titles = [line for line in shown if "Title" in line]
    assert [line.partition("  ━")[0].split() for line in titles] == [
        ["▸", "Title", "0"], ["1", "Title", "1"], ["12", "Title", "12"],
    ]  # fmt: skip
    assert len({line.index("Title") for line in titles}) == 1
    assert max(map(len, shown)) <= width


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (160, 45)])
def test_home_and_end_card_fit_every_terminal(size):
    width, height = size
    for chosen in range(len(HOME.rows)):
        lines = [plain(line) for line in home_and_end_pages.home(HOME, chosen, width, height)]
        assert len(lines) == height
        assert max(map(len, lines)) <= width
        assert sum("▸" in line for line in lines) == 1  # what is chosen can be seen
        assert any("Make room" in line for line in lines)
        assert not any("\x1b" in line for line in lines)
    lines = [plain(line) for line in home_and_end_pages.end(CARD, width, height)]
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "3 of 5 points" in text
    assert "teachrun run ddp ranks=2" in text
    assert ("on Tuesday 10 March   1 question" if height > 16 else "on Tuesday 10 March 1") in text
    assert "2 of 4 right at once · 1 when it came back · 2 open" in " ".join(text.split())


def test_an_end_card_is_in_the_language_of_its_lesson():
    lines = [plain(line) for line in home_and_end_pages.end(CARD, 100, 30, say_in("hi-Latn"))]
    text = " ".join(" ".join(lines).split())
    for words in ("2 sawaal baaki", "5 mein se 3 points", "4 mein se 2 turant sahi", "1 phir aane par"):
        assert words in text
    english = " ".join(" ".join(map(plain, home_and_end_pages.end(CARD, 100, 30))).split())
    ours = {word for word in re.findall("[a-z]{4,}", english.lower()) if word in text.lower()}
    both = {"points", "slides", "lessons", "enter"}  # words of both languages; the rest are names and a date
    assert ours <= {"rings", "ring", "bytes", "teachrun", "ranks", "march", *both}
    assert "Mangalvaar 10 March" in text


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (160, 45)])
def test_home_is_in_the_language_of_the_lessons(size):
    say = say_in("hi-Latn")
    lines = [plain(line) for line in home_and_end_pages.home(HOME, 0, *size, say)]
    assert len(lines) == size[1] and max(map(len, lines)) <= size[0]
    text = " ".join(" ".join(lines).split())
    for words in ("Padhaai", "AAJ", "chuniye", "Enter kholiye", "q bahar"):
        assert words in text
    assert not {"TODAY", "choose", "quit", "new", "done"} & set(text.split())


def test_an_end_card_says_what_is_open_and_what_is_next():
    card = End("Rings", 0, 1, 0, 1, left=5, onward="Trees")
    text = "\n".join(plain(line) for line in home_and_end_pages.end(card, 80, 24))
    assert "Rings: 5 questions open" in text and "done" not in text
    assert "NEXT  Trees" in text and "Enter o to the open questions" in " ".join(text.split())
    done = "\n".join(plain(line) for line in home_and_end_pages.end(replace(card, left=0), 80, 24))
    assert "Rings: done" in done and "open" not in done and "Enter n next lesson" in " ".join(done.split())


def test_nothing_punishes():
    empty = Home((), (), HOME.lessons[:1], rest="Nothing is due.")
    spans = [span for line in home_and_end_pages.home(empty, 0, 80, 24) for span in line]
    assert "studied" not in "".join(span.text for span in spans)
    card = End("Rings", 0, 2, 0, 2)
    inks = {span.style.ink for line in home_and_end_pages.end(card, 80, 24) for span in line}
    assert "bad" not in inks | {span.style.ink for span in spans}
