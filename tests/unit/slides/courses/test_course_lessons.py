"""What every lesson of the course keeps, and the numbers that stand in it, computed again."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

import slides
from quiz.question import Question
from runtime.catalog import registry
from runtime.recordings import run_choice
from runtime.recordings.recording import load
from runtime.recordings.replay import Replay
from slides.deck import Chart, Code, Demo, Heading, Quiz, Scene
from slides.deck import Estimate as Sliders
from slides.reading_order import blocks
from slides.screen_size import Size
from tui.classroom.answering import prediction
from tui.deck import question_of_block
from tui.deck.contents import Contents, open_deck
from tui.health.deck_findings import examine, unmeasured, unrecorded
from tui.study import course
from tui.views import registry as views

COURSE = Path(slides.__file__).parent / "courses" / "distributed"
LESSONS = sorted(COURSE.glob("[0-9]*.md"))
OURS = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
OVERTURE = COURSE / "overture.md"
SEEN = (Chart, Code, Demo, Scene, Sliders)


@cache
def contents(path: Path) -> Contents:
    return Contents(open_deck(str(path)))


def talk(path: Path) -> Iterator[tuple[int, list[object]]]:
    for index in contents(path).visible:
        yield index, list(blocks(contents(path).slide(index).blocks))


def every(path: Path, kind: type) -> list[object]:
    return [block for _, found in talk(path) for block in found if isinstance(block, kind)]


@OURS
def test_it_says_what_it_is_about_and_where_that_comes_from(path: Path) -> None:
    head = yaml.safe_load(path.read_text("utf-8").split("\n---\n")[0].removeprefix("---\n"))
    assert {"title", "time", "prerequisites", "ranks", "question"} <= head.keys()
    assert len(head["sources"]) >= 4 and all(isinstance(source, str) for source in head["sources"])


@OURS
def test_its_quick_facts_say_what_the_whole_takes_and_what_without_the_optional_slides(path: Path) -> None:
    """In whole minutes, rounded up, by `course show` as on the card."""
    planned = [(slide.time_s or 0.0, slide.optional) for slide in contents(path).plan.slides]
    minutes = [
        math.ceil(sum(s for s, _ in planned) / 60),
        math.ceil(sum(s for s, optional in planned if not optional) / 60),
    ]
    told = course.lesson(path)
    assert [told.lasts, told.short_cut] == minutes
    for file in (path, path.parent / "hi-Latn" / path.name):
        row = re.search(r"^\| \*\*Time\*\* +\| (.*)$", file.read_text("utf-8"), re.MULTILINE)
        assert row is not None
        assert [int(n) for n in re.findall(r"\d+", row[1])[:2]] == minutes


@pytest.mark.parametrize("path", [OVERTURE, *LESSONS], ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [Size(80, 24), Size(100, 30), Size(160, 45)], ids=str)
def test_nothing_goes_wrong_with_it_in_class(path: Path, size: Size) -> None:
    assert examine(contents(path), size) == []
    assert unrecorded(contents(path)) == [] and unmeasured(contents(path)) == []


@OURS
def test_every_slide_shows_its_title(path: Path) -> None:
    titled = [index for index, found in talk(path) if any(isinstance(block, Heading) for block in found)]
    assert titled == list(contents(path).visible)


@OURS
def test_length_and_times_add_up(path: Path) -> None:
    deck = contents(path).deck
    times = [contents(path).slide(index).time_s or 0.0 for index, _ in talk(path)]
    assert 18 <= len(times) <= 22 and all(times)
    assert sum(times) == deck.time_s and 45 * 60 <= sum(times) <= 50 * 60
    assert before_a_run(path) <= 180


def before_a_run(path: Path) -> float:
    """Seconds of the talk before its first run."""
    times = [contents(path).slide(index).time_s or 0.0 for index, _ in talk(path)]
    first = next(n for n, (_, found) in enumerate(talk(path)) if any(isinstance(b, Demo) for b in found))
    return sum(times[:first])


def test_the_overture_takes_eight_minutes() -> None:
    times = [contents(OVERTURE).slide(index).time_s or 0.0 for index, _ in talk(OVERTURE)]
    assert sum(times) == contents(OVERTURE).deck.time_s == 8 * 60
    assert every(OVERTURE, Scene) and before_a_run(OVERTURE) <= 180


@OURS
def test_more_is_seen_than_read_and_a_stranger_could_teach_it(path: Path) -> None:
    shown = [any(isinstance(block, SEEN) for block in found) for _, found in talk(path)]
    assert sum(shown) * 2 >= len(shown)
    for index, found in talk(path):
        said = " ".join(note.markdown for note in contents(path).slide(index).notes)
        assert len(said.split()) >= 30, contents(path).slide(index).title
        if any(isinstance(block, Demo) for block in found):
            assert re.search(r"[Ii]f the demos? fails?", said) or "`s` shows" in said


@OURS
def test_what_it_asks_and_runs(path: Path) -> None:
    quizzes = [quiz for quiz in every(path, Quiz) if isinstance(quiz, Quiz)]
    assert Counter(quiz.directive for quiz in quizzes)["predict"] >= 3
    whole = contents(path)  # with what stands after its end, for a class that has the time
    quizzes = [quiz for index in range(len(whole.heads)) for quiz in whole.quizzes(index)]
    assert Counter(quiz.directive for quiz in quizzes)["quiz"] >= 4
    for quiz in quizzes:
        question = question_of_block.question(quiz)
        assert isinstance(question, Question) and question.explain, quiz.id
        if question.kind in ("single", "multi"):
            assert all(option.explain for option in question.options), quiz.id
    demos = [demo for demo in every(path, Demo) if isinstance(demo, Demo)]
    assert len({demo.line for demo in demos}) >= 2
    assert all(isinstance(registry.check(demo.name, demo.params), registry.Launchable) for demo in demos)
    assert every(path, Scene) and [code for code in every(path, Code) if getattr(code, "path", "")]
    assert "room*" in path.read_text("utf-8")  # the view of the run just made


@pytest.mark.parametrize(
    "path", sorted(COURSE.rglob("*.md")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_view_that_it_names_is_one(path: Path) -> None:
    named = re.findall(r"`V`[^*`]{0,30}\*([a-z]+)\*", path.read_text("utf-8"))
    assert set(named) <= views.OURS.keys()


@OURS
def test_what_is_predicted_is_a_figure_that_its_demos_have(path: Path) -> None:
    """Looked for in the recorded runs that ship with the lesson."""
    for quiz in every(path, Quiz):
        assert isinstance(quiz, Quiz)
        plan = prediction.predicted(contents(path), quiz) if quiz.directive == "predict" else None
        for demo in plan.blocks if isinstance(plan, prediction.Prediction) else ():
            replay = Replay(demo.id, load(run_choice.fitting(demo.name, demo.params).folder))
            replay.seek(1e6, 0.0)
            assert plan and prediction.figure_of(replay.snapshot(), plan.figure) is not None, quiz.id


@OURS
def test_no_key_stands_where_the_machine_decides(path: Path) -> None:
    """How long something takes is another answer on other cores: what is measured there is the key. But for
    schedules whose pads are longer than anything that a machine does."""
    timed = ("step_s", "tokens_per_s", "total_s")
    for quiz in every(path, Quiz):
        assert isinstance(quiz, Quiz)
        if quiz.directive == "predict" and any(f".{figure}." in quiz.attrs["metric"] for figure in timed):
            question = question_of_block.question(quiz)
            assert isinstance(question, Question)
            assert not question.keyed or quiz.id == "onefb-time", quiz.id
