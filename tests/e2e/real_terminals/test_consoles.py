"""Two teachers and a room in real terminals; and a screen that crashes and comes back by itself."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from read_letters import read
from tmux import Pane, Tmux, alive
from waiting import wait

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

DECK = """---
title: A short class
time: 10m
---
# Opening {#opening}

The first slide.

<!-- notes: SECRET of the first slide -->

---

# Second {#second}

more words

<!-- pause -->

the words of a later step

---

# Third {#third}

The last slide.
"""


def row_of(text: str, words: str) -> str:
    """As far as it is the slide's: beside it stands what changes."""
    row = next((row for row in text.splitlines() if words in row), "")
    return row[: row.rfind("│") + 1]


def screen_of(pane: Pane) -> int:
    """The process that draws: the one in the pane waits for it."""
    children = Path(f"/proc/{pane.pid}/task/{pane.pid}/children").read_text().split()
    mine = [int(child) for child in children if b"tui.cli" in Path(f"/proc/{child}/cmdline").read_bytes()]
    assert len(mine) == 1
    return mine[0]


def test_two_teachers_one_room_and_a_crash(deck_home: Path) -> None:
    with Tmux(deck_home, 110, 32) as tmux:
        ann = tmux.open("present", str(deck_home / "deck.md"), "--name", "Ann", "--console")
        ann.until("SECRET of the first slide")
        ann.until("console 1")
        bob = tmux.open("attach", "--name", "Bob", "--console")
        bob.until("The first slide")
        room = tmux.open("audience")
        room.until("The first slide")
        ann.until(r"others +Bob")

        # Any console drives, until one takes the lead.
        bob.keys("Right")
        for screen in (ann, bob, room):
            screen.until(lambda text: "more words" in read(text))
        assert "later step" in ann.text() and "later step" not in read(
            room.text()
        )  # the next step, on consoles
        bob.keys("L")
        ann.until("Bob drives now; L takes over")
        ann.keys("]")
        ann.until("The last slide")
        ann.until("LOOKING AROUND")
        bob.keys("b")
        ann.until("ROOM: BLACK")
        room.until(lambda text: not text.strip())
        ann.keys("b")
        ann.until("Bob drives; L takes over")
        ann.keys("L")
        bob.until("Ann drives now; L takes over")
        ann.keys("Escape")
        room.until(lambda text: "more words" in read(text))

        # Killed, the screen is back with its place, its layout, its sizes and its lead.
        ann.keys("a", "+", "+")
        ann.until(lambda text: 0 < row_of(text, "more words").find("│") < 60)
        before = row_of(ann.text(), "more words")
        crashed = screen_of(ann)
        os.kill(crashed, signal.SIGKILL)
        ann.until("this screen crashed and is back")
        ann.until("you drive alone")
        ann.until(lambda text: row_of(text, "more words") == before)
        ann.keys("]")
        room.until("slide 3/3")  # its words are in letters: `a` was for the room too
        assert screen_of(ann) != crashed
        bob.keys("q")
        bob.until("EXIT=0")
        ann.keys("q")
        ann.until("1 screen follows. End the class")
        ann.keys("y")
        ann.until("nothing left")
        ann.until("EXIT=0")


def test_a_class_that_was_lost_is_offered_and_a_rehearsal_ends_in_its_minutes(deck_home: Path) -> None:
    deck = str(deck_home / "deck.md")
    with Tmux(deck_home, 100, 30) as tmux:
        first = tmux.open("present", deck)
        first.until("The first slide")
        first.keys("Right", "Right")
        first.until("the words of a later step")
        wait(
            lambda: any('"second","step":1' in file.read_text() for file in deck_home.rglob("journal.jsonl"))
        )
        screen = screen_of(first)
        os.kill(first.pid, signal.SIGKILL)
        wait(lambda: not alive(screen))  # it does not outlive the process that waits for it
        again = tmux.open("present", deck)
        again.until(r"stopped at slide 2 of 3.*Go on with it\?")
        again.keys("y")
        again.until("the words of a later step")
        again.keys("q")
        again.until("nothing left")
        rehearsal = tmux.open("present", "--rehearse", deck)
        rehearsal.until("The first slide")
        rehearsal.until("rehearsal")
        rehearsal.keys("Right", "q")
        rehearsal.until(r"planned 10:00 · spent 0:0")
        rehearsal.until(r"2  Second +3:20 +0:0")
        report = tmux.open("class", "report")
        report.until(r"2  Second")
        assert "rehearsal" not in report.text()
