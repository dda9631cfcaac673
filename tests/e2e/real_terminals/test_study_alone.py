"""A student in a real terminal: an answer, kill -9, and the lesson goes on where it was."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from teachrun_process import Ended, teachrun
from tmux import Tmux

pytestmark = pytest.mark.slow

LESSON = """\
---
title: Rings
---
# Start {#start}

words

---

# Sums {#sums}

::: quiz {#sum kind=single tags=ring}
What is summed?

- [ ] losses
- [x] gradients
:::

---

# Last {#last}

the end
"""


def study(tmux: Tmux, *words: str, typed: str = "") -> Ended:
    return teachrun("study", *words, typed=typed, env=os.environ | tmux.env)


def test_killed_and_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "rings").mkdir()
    (tmp_path / "rings" / "01-rings.md").write_text(LESSON)
    course = str(tmp_path / "rings")
    with Tmux(tmp_path, 80, 24) as tmux:
        pane = tmux.open("study", course)
        pane.until("slide 1/3")
        pane.keys("Right")
        pane.until("What is summed")
        pane.keys("1", "Enter")
        pane.until("How sure")
        pane.keys("u")
        pane.until("slide 2/4")  # it comes back
        # The place and the answer are written beside the screen: they are there before the kill.
        export = pane.until(lambda _: _kept(tmux))
        assert export
        os.kill(pane.pid, signal.SIGKILL)
        pane.until("EXIT=137")

        again = tmux.open("study", course)
        again.until("0 of 1 right")
        second = tmux.open("study", course)
        second.until("not kept")  # one writer: the other one says so
        second.keys("q")
        second.until(r"is\s+studying")  # and what was done there is not kept
        second.until("EXIT=1")
        again.keys("End")
        again.until("slide 4/4")
        again.keys("2", "Enter", "s")
        again.until("✓ right")
        again.keys("Right")
        again.until("Rings: done")
        again.keys("Enter")
        again.until("EXIT=0")

        whole = json.loads(study(tmux, "--export", "-").out)
        assert [(row["question"], row["right"], row["sure"]) for row in whole["answers"]] == [
            ("sum", False, False),
            ("sum", True, True),
        ]
        assert whole["lessons"][0]["done"] is True
        assert "Nothing was deleted" in study(tmux, "--delete", typed="n\n").out
        assert "Deleted" in study(tmux, "--delete", typed="y\n").out
        assert study(tmux, "--export", "-").code == 2


def _kept(tmux: Tmux) -> bool:
    done = study(tmux, "--export", "-")
    return done.code == 0 and len(json.loads(done.out)["answers"]) == 1
