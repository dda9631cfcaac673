"""The screen of a puzzle: boards are played with keys, scored at every one, kept, and fit every terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.registry import PUZZLES, listed
from slides.drawing.cells import line_width
from slides.drawing.text import plain
from tui import cli
from tui.practice import puzzle_keys, tries_and_hints
from tui.practice.puzzle_keys import Board
from tui.screens.puzzle import PuzzleScreen
from tui.views.puzzle.screen import Shown, screen


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def shown(app: PuzzleScreen) -> str:
    return "\n".join(plain(line) for line in app.lines.lines)


def opened(name: str) -> PuzzleScreen:
    return PuzzleScreen(list(PUZZLES), PUZZLES.index(listed()[name]), "")


async def test_a_pipeline_is_filled_a_device_after_the_other() -> None:
    app = opened("pipeline-fill")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "24 blocks still to be placed" in shown(app)
        await pilot.press("down", "enter")
        assert "device 1, step 1: F0 needs F0 of device 0 first, which is not there" in shown(app)
        await pilot.press("up")
        for row in listed()["pipeline-fill"].best()[1].splitlines():
            await pilot.press(*({"F": "f", "B": "b", ".": "right"}[kind] for kind in row), "home", "down")
        assert tries_and_hints.load()["pipeline-fill"].solved
        assert "18 steps · best known 18 steps" in shown(app) and "no answer is better" in shown(app)
        await pilot.press("u")
        assert "B3 needs B3 of device 2 first, which is not there" in shown(app)
        await pilot.press("S")
        assert "no answer is better" in shown(app)
        await pilot.press("q")
    assert tries_and_hints.load()["pipeline-fill"].score == 18
    assert opened("pipeline-fill").shown.board.answer == tries_and_hints.load()["pipeline-fill"].answer


async def test_a_collective_is_taken_along() -> None:
    app = opened("gradients-first")
    async with app.run_test(size=(100, 30)) as pilot:
        assert "18 steps" in shown(app) and "2 steps more than the best known" in shown(app)
        await pilot.press("right", "enter", "right", "right", "enter")  # g3 behind g2 and g1
        assert app.shown.board.answer == "g4 g2 g1 g3"
        assert "no answer is better" in shown(app) and tries_and_hints.load()["gradients-first"].solved
        await pilot.press("i")
        assert "Hint" in shown(app)
        await pilot.press("]")
        assert "Gather ahead" in shown(app)
        await pilot.press("S")
        assert "after 3 answers that count" in shown(app)
        await pilot.press("q")


async def test_a_layout_is_turned_until_it_fits() -> None:
    app = opened("layout-8b")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "does not fit" in shown(app)
        await pilot.press("down", "down", "right", "right", "right")
        assert app.shown.board.answer.split()[2] == "zero=3"
        assert "no answer is better" in shown(app)
        await pilot.press("q")


def test_enter_goes_through_what_may_stand_there() -> None:
    board = puzzle_keys.begin(listed()["pipeline-fill"], "F/.F/..F")
    board = Board(board.puzzle, board.answer, 2, 3)
    once = puzzle_keys.press(board, "puzzle_put")
    assert once.answer.splitlines()[2] == "..FB"
    again = puzzle_keys.press(once, "puzzle_put")  # F1 has not come this far: nothing else may stand there
    assert again.answer.splitlines()[2] == "..F"
    assert puzzle_keys.press(again, "puzzle_take").answer.splitlines()[2] == "."  # the one to the left
    taken = puzzle_keys.press(Board(once.puzzle, once.answer, 2, 4), "puzzle_take")
    assert taken.answer == board.answer.replace("/", "\n")


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (160, 45), (200, 60)])
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda it: it.name)
def test_every_puzzle_fits_every_terminal(puzzle: Puzzle, size: tuple[int, int]) -> None:
    width, height = size
    for answer in (puzzle.start(), puzzle.best()[1]):
        lines = screen(Shown(Board(puzzle, answer), tries_and_hints.Progress(), "1 of 11"), width, height)
        assert len(lines) == height
        assert {line_width(line) for line in lines} == {width}
        text = "\n".join(map(plain, lines))
        assert "best known" in text and "quit" in text
        assert ("no answer is better" in text) == (answer != puzzle.start()) or height < 24


def test_an_answer_is_checked_without_a_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answer"
    file.write_text("g4 g2 g1 g3\n")
    assert cli.main(["practice", "gradients-first", "--check", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] and found["score"] == found["best"] == 16
    file.write_text("g4 g3 g2 g1")
    assert cli.main(["practice", "gradients-first", "--check", str(file)]) == 1
    assert "18 steps, best known 16 steps" in capsys.readouterr().out
    file.write_bytes(b"\xff\x1b[31m")
    assert cli.main(["practice", "gradients-first", "--check", str(file)]) == 1
    assert "there is no collective" in capsys.readouterr().err


def test_puzzles_are_listed_beside_exercises(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "exercises", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["exercises"]) == 24
    assert [one["name"] for one in found["puzzles"]] == [puzzle.name for puzzle in PUZZLES]
