"""A real terminal around the program: it starts, steps, and leaves no trace whichever way it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import at_slide, environ, stop_all
from made_pty import Pty
from teachrun_process import TEACHRUN
from waiting import wait

pytestmark = pytest.mark.slow
DECK = "# One {#one}\n\nFIRST-WORDS\n\n---\n\n# Two {#two}\n\nSECOND-WORDS\n"


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[list[Pty]]:
    """Terminals to fill; what is left of them and of their classes is ended afterwards."""
    (tmp_path / "deck.md").write_text(DECK)
    opened: list[Pty] = []
    yield opened
    for terminal in opened:
        terminal.close()
    stop_all(tmp_path)


def open_deck(tmp_path: Path, shown: list[Pty], ignore_hup: bool = False) -> Pty:
    argv = [*TEACHRUN, "present", str(tmp_path / "deck.md")]
    terminal = Pty(argv, {**os.environ, **environ(tmp_path), "TERM": "xterm-256color"}, ignore_hup=ignore_hup)
    shown.append(terminal)
    terminal.has(b"FIRST-WORDS")
    return terminal


def test_it_steps_and_quits_and_says_what_was_ended(tmp_path: Path, shown: list[Pty]) -> None:
    terminal = open_deck(tmp_path, shown)
    terminal.send(b"\x1b[6~")
    terminal.has(b"SECOND-WORDS")
    wait(lambda: at_slide(tmp_path, "two"))
    terminal.send(b"q")
    status = terminal.ended(20)
    assert status is not None and os.waitstatus_to_exitcode(status) == 0
    assert b"\x1b[?1049l" in terminal.seen and b"nothing left" in terminal.seen


def test_a_termination_signal_restores_the_terminal(tmp_path: Path, shown: list[Pty]) -> None:
    terminal = open_deck(tmp_path, shown)
    terminal.send(b"\x1b[6~")
    terminal.has(b"SECOND-WORDS")
    wait(lambda: at_slide(tmp_path, "two"))
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.ended() is not None
    assert b"\x1b[?1049l" in terminal.seen and b"the class goes on" in terminal.seen


@pytest.mark.parametrize("ignore_hup", [False, True])
def test_a_terminal_that_goes_away_ends_the_screen(
    tmp_path: Path, shown: list[Pty], ignore_hup: bool
) -> None:
    terminal = open_deck(tmp_path, shown, ignore_hup)
    terminal.hang_up()
    assert terminal.ended() is not None
