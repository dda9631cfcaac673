"""`::: exercise NAME` on a slide: its box, its key, and what check and a document say of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from made_screen import Screenful, press, until
from msgspec.structs import replace

from runtime.catalog.params import Refusal
from runtime.diagnosis.evidence import Evidence
from runtime.host.blocks import exercises
from runtime.practice.exercise import find, listed
from runtime.practice.outcome import CheckState, Outcome
from runtime.protocol.class_messages.screen_messages import EXERCISE
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.messages import Grid, Output, RunSnippet
from runtime.puzzles.registry import PUZZLES
from runtime.snippets.language_commands import Executor
from slides.deck import Exercise
from slides.drawing.cells import line_width
from slides.drawing.large import read_letters
from slides.drawing.text import plain
from slides.reading.split import split
from slides.screen_size import Size
from tui import cli
from tui.actions.running import exercise as actions
from tui.classroom.runs.snippet_outputs import Heard
from tui.deck.contents import Contents
from tui.practice import tries_and_hints
from tui.practice.next_exercises import following
from tui.rendering.pages.offscreen import Offscreen
from tui.screens.home import HomeApp
from tui.study.home_and_end_pages import Home, Row, home
from tui.views import exercise_screen as exercise_view
from tui.views.blocks import terminal
from tui.views.blocks.exercise import exercise_lines, in_print, told

RING = find("ring-reduce-scatter")
DECK = "# Write it\n\n::: exercise ring-reduce-scatter\n\n---\n\n# Nothing here\n"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def text(block: Exercise, width: int = 80, *, hints: bool = True) -> str:
    lines = exercise_lines(block, "deck.md", width, hints=hints)
    assert all(line_width(line) <= width for line in lines)
    return "\n".join(map(plain, lines))


def test_the_box_is_in_letters_where_a_room_has_them() -> None:
    pages = Offscreen(Contents(split(DECK, "deck.md")))
    large, small = ([plain(line) for line in pages.screen(0, Size(*size))] for size in ((160, 45), (80, 24)))
    said = "\n".join(filter(None, (read_letters.words(large[n : n + 3]) for n in range(len(large) - 2))))
    frames = [row.strip()[2:-2] for row in large if row.strip().startswith("│")]
    said += "\n".join(filter(None, (read_letters.words(frames[n : n + 3]) for n in range(len(frames) - 2))))
    assert RING is not None and RING.title in said and RING.title not in "\n".join(large)
    assert RING.title in "\n".join(small)


def test_the_box_says_how_far_it_is() -> None:
    block = Exercise(RING.name)
    assert RING.title in text(block) and "Every rank holds a tensor" in text(block)
    assert "not begun" in text(block) and "@ opens it" in text(block)
    assert "@" not in text(block, hints=False), "an audience's screen has no such key"
    tries_and_hints.save(RING.name, tries_and_hints.Progress(tries=1, passed=2))
    assert f"2 of {len(RING.checks)} checks" in text(block)
    tries_and_hints.save(RING.name, tries_and_hints.Progress(tries=1, passed=4, solved=1.0))
    assert "solved" in text(block)
    for width in (6, 12, 20, 40, 200):
        text(block, width)


def test_a_puzzle_has_such_a_box_too() -> None:
    block = Exercise("pipeline-fill")
    assert "Puzzle" in text(block) and "Fill the pipeline" in text(block) and "not begun" in text(block)
    tries_and_hints.save("pipeline-fill", tries_and_hints.Progress(tries=1, score=20))
    assert "20 steps, best 18 steps" in text(block)
    assert told(block)[0] == "puzzle: Fill the pipeline; 20 steps, best 18 steps"
    assert in_print(block)[0] == "Puzzle: Fill the pipeline"


def test_a_class_in_lines_and_a_document_say_it_too() -> None:
    tries_and_hints.save(RING.name, tries_and_hints.Progress(tries=1, passed=2))
    said = told(Exercise(RING.name))
    assert said[0] == f"exercise: {RING.title}; 2 of {len(RING.checks)} checks"
    assert said[-1].endswith("teachrun practice ring-reduce-scatter opens it")
    title, badge, words = in_print(Exercise(RING.name))
    assert RING.title in title and badge.startswith("2 of") and "`" not in words[0] and "**" not in words[0]


def test_a_name_that_is_none_is_a_box_and_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "Did you mean send-receive?" in text(Exercise("send-recieve"))
    assert "there is no exercise" in told(Exercise("mine"))[0], "a folder of that name is not run"
    assert "there is no exercise" in text(Exercise("../mine"))
    deck = tmp_path / "deck.md"
    deck.write_text("# One\n\n::: exercise send-recieve\n")
    assert cli.main(["check", str(deck)]) == 1
    assert "deck.md:3" in (said := capsys.readouterr().out) and "did you mean send-receive" in said.lower()


async def test_its_key_lends_the_terminal_and_the_box_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    lent: list[Sequence[str]] = []

    async def lend(screen: object, command: Sequence[str]) -> int:
        lent.append(command)
        tries_and_hints.save(RING.name, tries_and_hints.Progress(tries=1, passed=2))
        return 0

    monkeypatch.setattr(actions, "lend", lend)
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "not begun" in full.text()
        await pilot.press("at")
        await full.app.workers.wait_for_complete()
        await pilot.pause()
        assert [command[-2:] for command in lent] == [("practice", RING.name)]
        assert f"2 of {len(RING.checks)} checks" in full.text()
        await press(pilot, "right_square_bracket", "at")
        assert len(lent) == 1 and "no exercise on this slide" in full.text()


def test_the_study_page_names_the_next_exercise() -> None:
    names = list(listed())
    assert following()[0].lesson == names[0] and f"0 of {len(names)} solved" in following()[0].aside
    tries_and_hints.save(names[0], tries_and_hints.Progress(tries=1, solved=1.0))
    tries_and_hints.save(names[1], tries_and_hints.Progress(tries=1, passed=2))
    row = following()[0]
    assert row.lesson == names[1] and row.aside.startswith("2 of ") and "1 of " in row.aside
    lessons = tuple(Row("lesson", f"l{n}", f"Lesson {n}", 3, 20) for n in range(13))
    for size in ((80, 24), (160, 45), (60, 16)):
        page = Home((), (), lessons, hands=following())
        text = "\n".join(map(plain, home(page, len(lessons), *size)))
        assert "HANDS ON" in text and row.text[:30] in text and "Lesson 12" in text
    for name in names:
        tries_and_hints.save(name, tries_and_hints.Progress(tries=1, solved=1.0))
    assert [row.lesson for row in following()] == ["gradients-first"]
    for puzzle in PUZZLES:
        tries_and_hints.save(puzzle.name, tries_and_hints.Progress(tries=1, solved=1.0))
    assert following() == ()


async def test_the_exercise_of_the_study_page_is_opened_and_is_nothing_that_is_due() -> None:
    app = HomeApp(Home((), (), (Row("lesson", "one", "One"),), hands=following()), "dark")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("d", "down", "enter")
    assert app.return_value is not None and app.return_value.target == "exercise"


def ended(block: str, run: str, state: str, code: int | None) -> Output:
    return Output(block, run, EXERCISE, state, "", code, None, 1, 9, 0, 0, 0, (), screen=Grid(80, ()))


async def test_the_room_works_on_one_in_a_terminal_that_all_screens_show() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: full.links)
        assert "R opens it for the room" in full.text()
        await pilot.press("R")
        [asked] = full.link.of(RunSnippet)
        assert (asked.lang, asked.source, asked.terminal) == ("exercise", RING.name, True)
        look = full.session.state.look
        assert look.full and look.snippet == asked.block
        for run, code in (("r1", 2), ("r2", 0)):
            for state in ("running", "done"):
                full.link.receive(ended(asked.block, run, state, code if state == "done" else None))
            if code:  # why it could not be opened stays to be read
                await pilot.pause()
                assert full.session.state.look.snippet == asked.block
        await until(pilot, lambda: "R opens it for the room" in full.text())
        assert not full.session.state.look.full and not full.session.state.look.snippet
        await pilot.press("R")
        await pilot.press("ctrl+right_square_bracket", "right_square_bracket", "R")
        assert len(full.link.of(RunSnippet)) == 2, "there is none on the next slide"


@pytest.mark.parametrize("name", ["ring-reduce-scatter", "pipeline-fill"])
def test_the_host_opens_only_what_comes_with_it(name: str, tmp_path: Path) -> None:
    found = exercises.command(name)
    assert isinstance(found, Executor) and found.words[-2:] == ("practice", name)
    for bad in ("", "../mine", str(tmp_path), "--again", "nothing; rm"):
        assert isinstance(exercises.command(bad), Refusal)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (100, 30), (120, 16)])
def test_a_smaller_screen_of_the_room_has_what_the_ranks_made_of_it(columns: int, rows: int) -> None:
    """The terminal is as wide as the one that types into it: its halves stand one below the other."""
    found = Diagnosis("wrong", "the sum is wrong", (), "the ranks meet too late, all of them", 18)
    outcome = Outcome(RING, Path("ring.py"), [CheckState(it) for it in RING.checks], Evidence(4))
    outcome.diagnosis = found
    source = tuple(RING.solution.read_text().splitlines())
    wide = exercise_view.screen(
        exercise_view.Shown(RING, tries_and_hints.Progress(), source, outcome), 156, 40
    )
    grid = Grid(156, tuple(((plain(line), "", "", 0),) for line in wide))
    heard = Heard(replace(ended("exercise/x", "r", "running", None), screen=grid))
    here = [plain(it) for it in terminal.pane(heard, columns, rows, typing=False, full=True, hints=False)]
    said = (read_letters.words(here[n : n + 3]) for n in range(rows - 2))  # the largest words
    text = "\n".join([*here, *said])
    assert len(here) == rows and "Reduce-scatter by a ring" in here[1]
    assert "the sum is wrong" in text and "too late, all of them" in text and "Every rank holds" in text
    fits = [plain(it) for it in terminal.pane(heard, 160, 45, typing=False, full=True, hints=False)]
    assert any("Every rank holds" in it and "LIVE CPU" in it for it in fits), "both halves side by side"
    typed = terminal.pane(heard, columns, rows, typing=True, full=True, hints=False)
    assert "Every rank holds" in plain(typed[3]), "who types sees the terminal as it is"
