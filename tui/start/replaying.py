"""Starts the screen on which a class that was held is walked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.command_line.exit_codes import DONE

if TYPE_CHECKING:
    from tui.replay.moment_drawing import Walk


def show(walk: Walk, theme: str) -> int:
    """Show it until it is left; returns the exit status."""
    from tui.config import settings
    from tui.keys import table
    from tui.start.terminal_screen import prepare

    mine = settings.given()
    if mine.keys is not None:
        table.rebind(mine.keys)
    theme = theme or mine.theme
    prepare(theme)
    from tui.screens.replay import ReplayScreen

    ReplayScreen(walk, theme).run(mouse=False)
    return DONE
