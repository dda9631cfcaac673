"""What each of the thirteen lessons has, as the course promises it, and that its translations keep up.

What it says, and its numbers: `tests/unit/slides/courses/test_course_lessons.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import slides
from runtime.catalog import registry
from runtime.estimate.inputs.layout import STRATEGIES
from runtime.estimate.strategy_table import table
from runtime.recordings import run_choice
from slides.deck import AnyBlock, Chart, Code, Demo, Estimate, Exercise, Quiz, Scene
from slides.reading_order import blocks
from tui.deck import languages
from tui.deck.contents import Contents, open_deck
from tui.views.blocks.estimate import asked

COURSE = Path(slides.__file__).parent / "courses" / "distributed"
LESSONS = sorted(COURSE.glob("[0-9]*.md"))
OURS = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
# A file of each lesson that does its idea with no library for it, whole, in a length that can be read.
BY_HAND = {
    "01": "step_by_hand",
    "02": "precision",
    "03": "torchrun_by_hand",
    "04": "byhand",
    "05": "ddp_by_hand",
    "06": "bucket_by_hand",
    "07": "fsdp_by_hand",
    "08": "hsdp_by_hand",
    "09": "tensor_by_hand",
    "10": "pipeline_by_hand",
    "11": "ring_attention",
    "12": "checkpoint_by_hand",
    "13": "plan_by_hand",
}
FACTS = ("Question", "You will", "You need", "Runs", "Time")
# Faults: a key in class, or a demo that is broken from the start.
BROKEN = {"slow_rank", "mistake", "forget_divide", "kill_rank", "skew"}
FAULT = re.compile(r"`!`|\bfault\b|memory fills up")


@cache
def contents(path: Path) -> Contents:
    return Contents(open_deck(str(path)))


def talk(path: Path) -> Iterator[AnyBlock]:
    for index in contents(path).visible:
        yield from blocks(contents(path).slide(index).blocks)


def notes(path: Path, index: int) -> str:
    return " ".join(note.markdown for note in contents(path).slide(index).notes)


@OURS
def test_its_card_of_quick_facts_is_right(path: Path) -> None:
    index = next(n for n in contents(path).visible if contents(path).heads[n].id == "facts")
    assert index == contents(path).visible[1]
    rows = dict(re.findall(r"^\| \*\*([\w ]+)\*\* +\| (.+?) +\|$", contents(path).heads[index].raw, re.M))
    assert tuple(rows) == FACTS
    said = {
        unit: int(count) for count, unit in re.findall(r"(\d+) (minutes|predictions|live runs)", rows["Time"])
    }
    predicted = sum(isinstance(block, Quiz) and block.directive == "predict" for block in talk(path))
    live = sum(isinstance(block, Demo) or (isinstance(block, Code) and block.run) for block in talk(path))
    assert (said["predictions"], said["live runs"]) == (predicted, live)
    assert said["minutes"] == math.ceil((contents(path).deck.time_s or 0) / 60)


@OURS
def test_it_shows_a_file_by_hand_of_at_most_a_hundred_lines(path: Path) -> None:
    name = BY_HAND[path.name[:2]]
    assert f"file=demo:{name} " in path.read_text("utf-8")
    file = registry.demo_file(name)
    assert file is not None and len(file.read_text("utf-8").splitlines()) <= 100


@OURS
def test_it_has_a_fault(path: Path) -> None:
    broken = any(isinstance(block, Demo) and BROKEN & block.params.keys() for block in talk(path))
    said = any(FAULT.search(notes(path, n) + contents(path).heads[n].raw) for n in contents(path).visible)
    assert broken or said


@OURS
def test_it_has_figures_of_real_devices_with_their_source(path: Path) -> None:
    """On a chart, on a slide whose notes name who measured them."""
    named = re.compile(r"et al\.|paper|torchtitan|Li et|Narayanan|Horovod|MiCS|Bekman")
    device = re.compile(r"GPU|V100|A100|H100|H800|TPU|NVLink|Horovod")
    found = [
        contents(path).heads[index].id
        for index in contents(path).visible
        if any(isinstance(block, Chart) for block in blocks(contents(path).slide(index).blocks))
        and named.search(notes(path, index))
        and device.search(contents(path).heads[index].raw)
    ]
    assert found


@OURS
def test_its_story_goes_on(path: Path) -> None:
    first, last = contents(path).visible[0], contents(path).visible[-1]
    if path.name[:2] != "01":
        assert "What broke last" in notes(path, first) or "What broke last time" in notes(path, first)
    if path.name[:2] != "13":
        assert "hat breaks next" in notes(path, last) or "what broke" in notes(path, last).lower()
    commands = [block for block in blocks(contents(path).slide(last).blocks) if isinstance(block, Code)]
    assert commands and "teachrun" in commands[0].source + notes(path, last)
    assert "`teachrun study --due`" in notes(path, last)


@OURS
def test_the_room_is_drawn_from_a_run_of_its_own(path: Path) -> None:
    """A scene, and a demo whose notes or words send the class to it by `V`."""
    assert any(isinstance(block, Scene) for block in talk(path))
    sent = [
        index
        for index in contents(path).visible
        if any(isinstance(block, Demo) for block in blocks(contents(path).slide(index).blocks))
        and re.search(r"`V`", contents(path).heads[index].raw)
        and "room" in contents(path).heads[index].raw
    ]
    assert sent


@OURS
def test_every_demo_has_a_recording_that_differs_in_nothing_but_its_length(path: Path) -> None:
    for block in talk(path):
        if isinstance(block, Demo):
            found = run_choice.fitting(block.name, block.params)
            assert not run_choice.distance(found.differs), (block.id, found.differs)


@OURS
def test_its_right_answers_stand_in_different_places(path: Path) -> None:
    """Who always picks the second option must not pass."""
    places = [
        re.findall(r"^- \[([ x])\]", head.raw, re.M).index("x")
        for head in contents(path).heads
        if "kind=single" in head.raw and "- [x]" in head.raw
    ]
    assert len(set(places)) > 1 or len(places) < 2


@pytest.mark.parametrize("path", [COURSE / "overture.md", *LESSONS], ids=lambda path: path.stem)
def test_its_translations_are_whole_and_as_new_as_it(path: Path) -> None:
    assert languages.translations(path) == ("hi-Latn",)
    assert languages.problems(open_deck(str(path)), "hi-Latn") == []


def test_the_last_lesson_but_one_has_five_broken_trainings_and_an_exercise_of_them() -> None:
    path = next(path for path in LESSONS if path.name.startswith("12"))
    assert sum(head.title.startswith("Broken:") for head in contents(path).heads) == 5
    backup = [block for n in contents(path).backup for block in blocks(contents(path).slide(n).blocks)]
    assert any(isinstance(block, Exercise) for block in backup)


def test_code_grows_into_the_distributed_script_and_the_table_of_strategies_grows() -> None:
    assert "diff=demo:alone file=demo:together" in (COURSE / "03-ranks.md").read_text("utf-8")
    before: list[str] = []
    for number in ("05", "07", "11", "13"):
        held = contents(next(path for path in LESSONS if path.name.startswith(number)))
        tables = [block for n in range(len(held.heads)) for block in blocks(held.slide(n).blocks)
                  if isinstance(block, Estimate) and block.table]  # fmt: skip
        assert len(tables) == 1, number
        rows = table(asked(tables[0]))
        names = [row.name.split()[0] for row in rows]
        assert names[: len(before)] == before, number
        assert [row.new for row in rows] == [bool(before) and name not in before for name in names], number
        before = names
    assert before == [*STRATEGIES]
