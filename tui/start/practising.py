"""Starts the screen of an exercise or a puzzle, for `teachrun practice` and for the study page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import tell_left
from tui.start import terminal_screen

if TYPE_CHECKING:
    from pathlib import Path

    from runtime.practice.exercise import Exercise
    from runtime.puzzles.puzzle import Puzzle
    from tui.practice.reviews import Review


def show(chosen: Exercise | None, theme: str, theirs: Path | None = None) -> int:
    """Show one, or the first that is not solved yet, until it is left; returns the exit status.

    `theirs` is somebody else's file, shown before one's own.
    """
    from runtime.practice.exercise import listed
    from tui.practice import tries_and_hints

    every = list(listed().values())
    if chosen is None:
        known = tries_and_hints.load()
        chosen = next(
            (it for it in every if not known.get(it.name, tries_and_hints.Progress()).solved), every[0]
        )
    folders = [it.folder for it in every]
    if chosen.folder not in folders:
        every, folders = [chosen], [chosen.folder]
    theme = terminal_screen.prepare_page(theme)
    from tui.screens.exercise import ExerciseScreen

    app = ExerciseScreen(every, folders.index(chosen.folder), theme, theirs=theirs)
    app.run(mouse=False)
    if app.left:
        tell_left(app.left)
    return DONE


def again(name: str, theme: str) -> Review | None:
    """Show the smaller version of an exercise until it is left; None where it was not solved."""
    from runtime.practice.exercise import shipped
    from tui.practice.reviews import Review, small

    exercise = small(shipped(name))
    theme = terminal_screen.prepare_page(theme)
    from tui.screens.exercise import ExerciseScreen

    app = ExerciseScreen([exercise], 0, theme)
    app.run(mouse=False)
    if app.left:
        tell_left(app.left)
    if app.solved_s is None:
        return None
    return Review(name, app.solved_s, bool(app.shown.progress.hints), app.was_shown)


def play(chosen: Puzzle, theme: str) -> int:
    """Show a puzzle until it is left; returns the exit status."""
    from runtime.puzzles.registry import PUZZLES

    theme = terminal_screen.prepare_page(theme)
    from tui.screens.puzzle import PuzzleScreen

    PuzzleScreen(list(PUZZLES), PUZZLES.index(chosen), theme).run(mouse=False)
    return DONE


def named(name: str, theme: str) -> int:
    """Show the exercise or puzzle of that name until it is left. Raises `BrokenExercise`."""
    from runtime.practice.exercise import shipped
    from runtime.puzzles.registry import listed

    puzzle = listed().get(name)
    return show(shipped(name), theme) if puzzle is None else play(puzzle, theme)
