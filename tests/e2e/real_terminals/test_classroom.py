"""The whole story in real terminals: present, run, answer, follow, lose the screen and get it back."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest
from folders import at_slide
from read_letters import read
from tmux import Tmux, alive
from waiting import wait

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

DECK = """---
title: A short class
---
# Opening {#opening}

The first slide.

<!-- notes: SECRET of the first slide -->

---

# Four copies {#copies}

::: demo ddp ranks=4 steps=100000 width=64

<!-- notes: SECRET of the demo -->

---

# Who waits? {#waits}

::: quiz {#who kind=single}
Which rank waits least?

- [ ] the fastest
  > FEEDBACK-A
- [x] the slowest
  > FEEDBACK-B

> GENERAL
:::

---

# The end {#end}
"""


FIRST = "The first slide"


def steps(text: str) -> int:
    found = re.search(r"steps\s+(\d+)/", text)
    return int(found[1]) if found else -1


def test_a_class_from_the_first_slide_to_the_last_process(deck_home: Path) -> None:
    deck = str(deck_home / "deck.md")
    with Tmux(deck_home, 120, 36) as tmux:
        teacher = tmux.open("present", deck)
        teacher.until(FIRST)
        room = tmux.open("audience")
        room.until(FIRST)
        assert "SECRET" not in room.text()

        # One key, four real ranks, in both terminals.
        teacher.keys("Right")
        room.until(lambda text: "4 ranks" in read(text))
        teacher.keys("c")
        teacher.until("SECRET of the demo")
        teacher.until(r"PyTorch\s+loaded\b", 60)
        teacher.keys("c", "c", "c", "d")  # its other layouts, and away
        teacher.until(lambda text: steps(text) >= 3, 60)
        assert "LIVE CPU" in teacher.text()
        room.until(lambda text: steps(text) >= 3)

        # A question: picked, locked, revealed; the audience sees the key only then.
        teacher.keys("Right", "2", "Enter")
        teacher.until("locked")
        room.until("slide 3/4.*")
        assert "FEEDBACK" not in read(room.text())
        teacher.keys("e")
        teacher.until(lambda text: "FEEDBACK-B" in read(text))
        teacher.until("1 of 1 point")
        room.until(lambda text: "FEEDBACK-B" in read(text))

        # The screen is killed; the demo goes on, and another screen has it all back.
        teacher.keys("Left")
        before = steps(teacher.until(lambda text: steps(text) > 0))
        os.kill(teacher.pid, signal.SIGKILL)
        began = time.monotonic()
        again = tmux.open("attach")
        text = again.until(lambda text: steps(text) > before)
        assert time.monotonic() - began < 30.0  # a hang guard; the time itself is measured by the benchmark
        assert "4 ranks" in text
        again.keys("Right")
        again.until("1 of 1 point")

        # The last console ends everything, and says so.
        again.keys("q")
        again.until(r"(?i)demo")
        again.keys("y")
        again.until("nothing left")
        again.until("EXIT=0")
    # The audience lost its terminal just now: its screen notices by itself.
    wait(lambda: ours(deck_home) == [])


def ours(home: Path) -> list[str]:
    """Command lines of living processes that belong to this test's classes."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if str(home).encode() in environ.read_bytes():
                found.append(environ.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return [line for line in found if "runtime." in line or "tui.cli" in line]


def test_a_hung_up_terminal_ends_its_screen_and_keeps_the_class(deck_home: Path) -> None:
    with Tmux(deck_home) as tmux:
        teacher = tmux.open("present", str(deck_home / "deck.md"))
        teacher.until("The first slide")
        teacher.keys("Right")
        teacher.until("Four copies")
        pid = teacher.pid
        # There is a class to keep: its host was told the place. Not starting a host is another test.
        wait(lambda: at_slide(deck_home, "copies"))
    wait(lambda: not alive(pid))
    assert any("-m runtime.host " in line for line in ours(deck_home))
    with Tmux(deck_home) as tmux:
        tmux.open("attach").until("Four copies")


def test_resizing_during_everything_breaks_nothing(deck_home: Path) -> None:
    with Tmux(deck_home) as tmux:
        teacher = tmux.open("present", str(deck_home / "deck.md"))
        teacher.until("The first slide")
        teacher.keys("Right", "d")
        for cols, rows in ((20, 5), (160, 45), (60, 16), (3, 2), (80, 24)):
            teacher.resize(cols, rows)
            time.sleep(0.3)
        teacher.until("Four copies")
        teacher.keys("?")
        teacher.resize(20, 5)
        time.sleep(0.3)
        teacher.resize(100, 30)
        teacher.until("key closes")
        teacher.keys("x", "q")
        teacher.until(r"EXIT=0|\?|y")


def test_a_terminal_closed_over_a_scene_leaves_no_folder(home: Path) -> None:
    made = home / "temporary"
    made.mkdir()
    with Tmux(home, 80, 24) as tmux:
        tmux.env["TMPDIR"] = str(made)
        tmux.open("scene", "training-step").until("Forward, backward")
        assert [one.name.startswith("teachrun-scene-") for one in made.iterdir()] == [True]
        tmux.call("kill-server")
        wait(lambda: not list(made.iterdir()))


def test_who_follows_without_a_name_follows_the_class_begun_last(deck_home: Path) -> None:
    deck = deck_home / "deck.md"
    (deck_home / "other.md").write_text("# Another\n\nOTHER-WORDS\n\n---\n\n# Next\n\nmore\n")
    with Tmux(deck_home, 100, 30) as tmux:
        older = tmux.open("present", str(deck))
        older.until(FIRST)
        wait(lambda: len(_locks(deck_home)) == 1)
        tmux.open("present", str(deck_home / "other.md")).until("OTHER-WORDS")
        wait(lambda: len(_locks(deck_home)) == 2)
        older.keys("Right")  # something happens in it last
        older.until("Four copies")
        wait(lambda: at_slide(deck_home, "copies"))
        tmux.open("audience").until("OTHER-WORDS")


def _locks(home: Path) -> list[Path]:
    return list(home.rglob("*.lock"))
