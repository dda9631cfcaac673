"""A student at the keyboard: home, a lesson, a wrong answer that comes back, the end card, what is due."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from made_screen import FakeLink, painted, press
from read_letters import read

from quiz.study.records import Answer
from runtime.classroom.actions import Measured
from runtime.classroom.question_state import Sample
from runtime.protocol.messages import Act, Launch, Publish
from tui.screens.home import HomeApp
from tui.screens.study import Ended, StudyApp, Sure
from tui.study import course
from tui.study.lessons_and_rounds import Desk
from tui.study.study_session import Opened

SIZE = (100, 30)
LESSON = """\
---
title: Rings
---
# Start {#start}

words

<!-- notes: what the LECTURER says -->

---

# Sums {#sums}

::: quiz {#sum kind=single tags=ring}
What is summed?

- [ ] losses
  > because SECRET
- [x] gradients
:::

<!-- notes: TELLS-THE-ANSWER -->

---

# Live {#live}

::: demo ddp ranks=2 steps=5
"""


class Student:
    def __init__(self, folder: Path) -> None:
        self.time = datetime(2026, 3, 2, 18, tzinfo=UTC)
        file = folder / "01-rings.md"
        file.write_text(LESSON)
        self.desk = Desk(folder / "p.sqlite", [course.lesson(file)], lambda: self.time)
        self.links: list[FakeLink] = []

    def _connect(self, receive: Any, word: Any) -> FakeLink:
        link = FakeLink(receive, word)
        link.screen = self.desk.screen
        self.links.append(link)
        return link

    def all_answers(self) -> list[Answer]:
        """What is kept, the oldest first: asked on the thread that writes, so after all that was written."""
        return self.desk.ask(self.desk.store.answers)

    def app(self, opened: Opened | None = None, desk: Desk | None = None) -> StudyApp:
        desk = desk or self.desk
        opened = opened or desk.open_lesson(desk.lessons[0])
        lesson = opened.lesson
        return StudyApp(
            opened,
            self._connect,
            save=desk.save,
            keeps_place=lambda at: desk.keep_lesson(lesson, at) if lesson else desk.keep_round(at),
            card=lambda at: desk.end(opened.title, at),
            trouble=lambda: desk.trouble,
        )


@pytest.fixture
def student(tmp_path: Path) -> Iterator[Student]:
    made = Student(tmp_path)
    yield made
    made.desk.close()


def text(app: Any) -> str:
    return read("\n".join(row.text.rstrip() for row in painted(app.screen)))


async def test_a_wrong_answer_is_explained_comes_back_and_ends_on_the_card(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert "LECTURER" in text(app)
        assert "NEXT" not in text(app)
        await press(pilot, "right")
        # What a lecturer notes beside a question would tell its answer.
        assert "comes after your answer" in text(app)
        assert "TELLS-THE-ANSWER" not in text(app)
        await pilot.press("1", "enter")
        assert isinstance(app.screen, Sure)
        assert "because SECRET" not in text(app)
        await press(pilot, "u")
        shown = text(app)
        assert "because SECRET" in shown
        assert "TELLS-THE-ANSWER" in shown
        assert "0 of 1 right" in shown
        assert "it comes back at the end, with its demo ddp" in shown
        await press(pilot, "right", "right")
        assert "slide 4/4" in text(app)  # the same question, with its demo
        assert app.room.demo().name == "ddp"
        await press(pilot, "2", "enter", "s")
        assert "✓ right" in text(app)
        await press(pilot, "right")
        assert isinstance(app.screen, Ended)
        shown = text(app)
        assert "Rings: done" in shown
        assert "0 of 1 right at once · 1 when it came back" in shown
        assert "teachrun run ddp ranks=2 steps=5" in shown
        assert "tomorrow" in shown
        await pilot.press("escape")
        assert not isinstance(app.screen, Ended)
        await press(pilot, "right_square_bracket", "enter")  # skipping steps ends it as well
    assert app.home_again
    assert student.links == []  # nothing was started: no demo was
    kept = student.all_answers()
    assert [(one.question, one.right, one.sure) for one in kept] == [
        ("sum", False, False),
        ("sum", True, True),
    ]
    assert student.desk.home().lessons[0].done


async def test_from_the_end_a_key_leads_to_the_open_question(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await press(pilot, "end", "right", "right", "right")
        assert isinstance(app.screen, Ended)
        assert "Rings: 1 question open" in text(app)
        await press(pilot, "enter")
        assert not isinstance(app.screen, Ended)
        assert app.room.answering.current()[0].id == "sum"
        await press(pilot, "end", "right", "right", "right")
        await pilot.press("q")
    assert app.home_again and not app.onward
    assert not student.desk.home().lessons[0].done


async def test_the_host_begins_with_the_first_demo_and_is_told_no_answers(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "2", "enter", "enter")
        assert "1 of 1 right" in text(app)
        await pilot.press("right")
        assert student.links == []
        await press(pilot, "d")
        link = student.links[0]
        assert [launch.demo for launch in link.of(Launch)] == ["ddp"]
        assert [publish.audience for publish in link.of(Publish)] == [b""]
        assert {type(act.action).__name__ for act in link.of(Act)} == {"Move"}
        await press(pilot, "left")
        assert "✓ right" in text(app)  # the host's state knows no answer, the screen does


async def test_giving_up_explains_and_counts_as_not_known(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "e")
        assert "because SECRET" in text(app)
    kept = student.all_answers()
    assert [(one.right, one.choice) for one in kept] == [(False, ())]


async def test_who_goes_back_from_the_end_is_not_done(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "2", "enter", "s")
        await press(pilot, "end", "right")
        assert isinstance(app.screen, Ended)
        assert student.desk.home().lessons[0].done
        await press(pilot, "escape", "left")
    assert not student.desk.home().lessons[0].done
    assert student.desk.home().onward[0].aside == "slide 2, Sums"


async def test_it_goes_on_where_it_was_left(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "1", "enter", "u")
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text(app)
        assert "slide 2/4" in shown
        assert "because SECRET" in shown
        await pilot.press("z")
        assert "not while you study" in text(app)


async def test_what_is_due_is_asked_alone_and_the_answer_is_kept(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "1", "enter", "u")
    student.time += timedelta(days=1)
    home = HomeApp(student.desk.home(), "dark")
    async with home.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text(home)
        assert "1 question is due" in shown
        assert "ring" in shown
        await pilot.press("d")
    assert home.return_value.target == "due"
    app = student.app(student.desk.open_round())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert "Due today   slide 1/1" in text(app)
        await press(pilot, "2", "enter", "s", "right")
        assert "1 of 1 right at once" in text(app)
    assert student.desk.due() == []
    assert student.desk.home().today == ()


async def test_an_answer_that_is_typed(student):
    file = student.desk.lessons[0].path
    file.write_text("# Bytes {#bytes}\n\n::: quiz {#sent kind=numeric}\nHow many?\n\n= 12 GB\n:::\n")
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "enter", *"12GB", "enter")
        assert not isinstance(app.screen, Sure)  # it can be changed still
        await pilot.press("enter")
        assert isinstance(app.screen, Sure)
        await press(pilot, "s")
        assert "1 of 1 right" in text(app)
    kept = student.all_answers()
    assert [(one.kind, one.text, one.right, one.sure) for one in kept] == [("numeric", ("12GB",), True, True)]


async def test_home_chooses_by_keys(student):
    home = HomeApp(student.desk.home(), "dark")
    async with home.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "T", "enter")
    assert home.return_value.text == "Rings"
    assert (home.look, home.changed) == ("light", True)
    home = HomeApp(student.desk.home(), "dark")
    async with home.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert home.return_value is None


async def test_a_store_that_cannot_be_written_is_said_and_study_goes_on(student, tmp_path):
    other = Desk(tmp_path / "p.sqlite", student.desk.lessons, lambda: student.time)
    app = student.app(desk=other)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert "not kept" in text(app)
        await press(pilot, "right", "1", "enter", "u")
        assert "0 of 1 right" in text(app)
    assert "not kept" in other.close()


async def test_a_poll_is_kept_at_once_and_a_prediction_waits_for_its_measurement(student):
    file = student.desk.lessons[0].path
    file.write_text(
        "# Poll {#p}\n\n::: poll {#who}\nWho?\n\n- you\n- me\n:::\n\n---\n\n# Slower {#s}\n\n"
        "::: predict {#slower metric=one.step_s.median unit=ms runs=2 kind=numeric}\nHow long?\n:::\n\n"
        "<!-- notes: TELLS-THE-ANSWER -->\n\n---\n\n# Demo {#d}\n\n::: demo ddp {#one} ranks=2 steps=5\n"
    )
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await press(pilot, "2", "enter")
        assert not isinstance(app.screen, Sure)  # nothing to be sure of
        assert app.session.question("who").phase == "revealed"
        await press(pilot, "right")
        assert "TELLS-THE-ANSWER" not in text(app)
        await press(pilot, "e")
        assert "d measures it; e again gives it up" in text(app)
        await press(pilot, *"100", "enter", "d")
        assert isinstance(app.screen, Sure)
        assert [launch.params["steps"] for launch in student.links[0].of(Launch)] == ["5"]
        await press(pilot, "s", "e")
        assert "it is being measured" in text(app)
        for run in ("run-1", "run-2"):
            app.session.act(Measured("slower", Sample("one", run, 0.11, "LIVE CPU")))
        await press(pilot, "e")
        assert "1 of 1 right" in text(app)
        assert "TELLS-THE-ANSWER" in text(app)
    kept = student.all_answers()
    assert [(one.question, one.right, one.sure) for one in kept] == [
        ("who", None, None),
        ("slower", True, True),
    ]


async def test_keys_pressed_while_a_sitting_ends_lead_home_all_the_same(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "1", "enter", "u", "right", "d")
        app.room.shutdown_s = 0.1  # the host of a test does not answer
        await pilot.press("q", "left", "T")
    assert app.home_again


async def test_what_was_said_of_an_answer_does_not_follow_to_the_next_slide(student):
    app = student.app()
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "right", "1", "enter", "u")
        assert "it comes back" in text(app)
        await press(pilot, "right")
        assert "it comes back" not in text(app)


TALL = """\
# Which? {{#which}}

::: quiz {{#one kind=single}}
A question whose text goes on for longer than a line of a small terminal has room for, as many do, and on?

- [ ] first
  > It is not the first, for a reason.
- [ ] second
  > It is not the second, for another reason.
- [ ] third
  > It is not the third, for a third reason.
- [x] fourth
  > It is THE-REASON.

> All of them explained.
:::
{notes}
---

# Live

::: demo ddp ranks=2 steps=5
"""


async def test_the_key_of_the_demo_starts_it_over_the_question_how_sure(student):
    lesson = student.desk.lessons[0]
    lesson.path.write_text(TALL.format(notes="").replace("---\n\n# Live\n\n", ""))
    app = student.app(student.desk.open_lesson(lesson))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await press(pilot, "4", "enter")
        assert isinstance(app.screen, Sure)
        await press(pilot, "d")
        assert not isinstance(app.screen, Sure) and "THE-REASON" in text(app)
        assert [type(one) for link in student.links for one in link.sent if isinstance(one, Launch)] == [
            Launch
        ]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_after_a_wrong_answer_what_is_right_is_in_sight(student, size):
    lesson = student.desk.lessons[0]
    lesson.path.write_text(TALL.format(notes="\n<!-- notes: THE-LECTURE goes on -->\n"))
    app = student.app(student.desk.open_lesson(lesson))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()  # a question of the first slide takes answers once that is there
        await press(pilot, "1", "enter")
        assert isinstance(app.screen, Sure)
        await press(pilot, "u")
        shown = text(app)
        assert re.search("fourth +✓ right", shown) and "THE-REASON" in shown and "THE-LECTURE" in shown
        await press(pilot, "end")
        shown = text(app)
        assert "Once more" in shown and "LECTURE" not in shown
        assert all(option in shown for option in ("first", "second", "third", "fourth"))
