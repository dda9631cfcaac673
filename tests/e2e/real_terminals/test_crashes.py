"""A screen that fails of a fault of its own in a real terminal: another one takes its place, and its keys."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import own_folders, stop_all
from tmux import Tmux
from waiting import wait

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SLIDES = 9
DECK = "\n\n---\n\n".join(f"# Number {n}\n\n- words of slide-{n}x" for n in range(1, SLIDES + 1))
# The program, but that the bookmark's key fails, and a question whether to go on with a class.
FAILING = """
import sys
from tui import cli
from tui.start import terminal_screen
prepare = terminal_screen.prepare
def failing(theme):
    kind = prepare(theme)
    do = kind.do
    async def fails(self, name):
        if name == "bookmark":
            raise RuntimeError("a fault")
        await do(self, name)
    kind.do = fails
    from tui import app_start
    press = app_start.Offer.press
    def unanswerable(self, event):
        if event.key == "B":
            raise RuntimeError("another fault")
        return press(self, event)
    app_start.Offer.press = unanswerable
    return kind
terminal_screen.prepare = failing
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.fixture
def home() -> Iterator[Path]:
    with own_folders() as home:
        (home / "deck.md").write_text(DECK)
        (home / "failing.py").write_text(FAILING)
        yield home
        stop_all(home)


def in_class(home: Path, slide: str) -> bool:
    """Whether the class has been at this slide."""
    return any(f'"{slide}"' in file.read_text() for file in home.rglob("journal.jsonl"))


def test_what_is_typed_while_a_screen_fails_and_comes_back_is_done(home: Path) -> None:
    with Tmux(home) as tmux:
        screen = tmux.open("present", str(home / "deck.md"), script=home / "failing.py")
        screen.until("slide-1x")
        screen.keys("Right")
        screen.until("slide-2x")
        wait(lambda: in_class(home, "number-2"))
        # In one write with the key that fails, while the screen ends, and while the next one begins.
        tmux.call("send-keys", "-t", screen.id, "B", "Right", "Right")
        screen.keys("Right", "Right", "Right")
        screen.until("slide-7x")
        screen.until("slide 7/9")
        screen.keys("q")
        screen.until("EXIT=0")


def test_a_screen_that_fails_before_it_is_in_its_class_begins_again(home: Path) -> None:
    with Tmux(home) as tmux:
        deck = str(home / "deck.md")
        first = tmux.open("present", deck)
        first.until("slide-1x")
        first.keys("Right")
        first.until("slide-2x")
        wait(lambda: in_class(home, "number-2"))
        os.kill(first.pid, signal.SIGKILL)
        second = tmux.open("present", deck, script=home / "failing.py")
        second.until("Go on with it")
        tmux.call("send-keys", "-t", second.id, "B")
        wait(lambda: any("another fault" in file.read_text() for file in home.rglob("crashes.log")))
        second.until("Go on with it")
        second.keys("y")
        second.until("slide-2x")
        second.keys("q")
        second.until("EXIT=0")
