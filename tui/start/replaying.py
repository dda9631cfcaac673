"""Starts the screen on which a class that was held is walked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.command_line.exit_codes import DONE
from tui.start import terminal_screen

if TYPE_CHECKING:
    from tui.replay.moment_drawing import Walk


def show(walk: Walk, theme: str) -> int:
    """Show it until it is left; returns the exit status."""
    theme = terminal_screen.prepare_page(theme)
    from tui.screens.replay import ReplayScreen

    ReplayScreen(walk, theme).run(mouse=False)
    return DONE
