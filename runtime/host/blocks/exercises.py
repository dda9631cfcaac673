"""An exercise or a puzzle that the room works on: a program of ours in a terminal, by its name alone."""

from __future__ import annotations

import shlex
import sys

from runtime.catalog.params import Refusal, printable
from runtime.snippets import terminal
from runtime.snippets.language_commands import Executor


def command(name: str) -> Executor | Refusal:
    """Return the words that open it, or why it cannot be opened here. A folder of that name is not."""
    from runtime.practice.exercise import BrokenExercise, shipped
    from runtime.puzzles.registry import listed

    try:
        if name not in listed():
            shipped(name)
    except (BrokenExercise, OSError) as error:
        return Refusal(printable(str(error)), "`teachrun list exercises` names them")
    found = terminal.command(shlex.quote(sys.executable))  # whether there can be terminals at all
    if isinstance(found, Refusal):
        return found
    return Executor((sys.executable, "-P", "-m", "teachrun", "practice", name))
