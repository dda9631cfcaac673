"""Starts the screen of an exercise, for `teachrun practice` and for the study page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import tell_left

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise


def show(chosen: Exercise | None, theme: str) -> int:
    """Show one, or the first that is not solved yet, until it is left; returns the exit status."""
    from runtime.practice.exercise import listed
    from tui.config import settings
    from tui.keys import table
    from tui.practice import progress
    from tui.start.terminal_screen import prepare

    every = list(listed().values())
    if chosen is None:
        known = progress.load()
        chosen = next((it for it in every if not known.get(it.name, progress.Progress()).solved), every[0])
    folders = [it.folder for it in every]
    if chosen.folder not in folders:
        every, folders = [chosen], [chosen.folder]
    mine = settings.given()
    if mine.keys is not None:
        table.rebind(mine.keys)
    theme = theme or mine.theme
    prepare(theme)
    from tui.screens.exercise import ExerciseScreen

    app = ExerciseScreen(every, folders.index(chosen.folder), theme)
    app.run(mouse=False)
    if app.left:
        tell_left(app.left)
    return DONE
