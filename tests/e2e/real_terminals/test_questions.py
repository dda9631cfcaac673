"""A class of questions in real terminals: hands, two votes, a student, a prediction that ranks answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from read_letters import bars, read
from tmux import Tmux

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


DECK = """---
title: Questions
---
# Peers {#peers}

::: quiz {#which kind=single shuffle=yes}
Which is right?

- [ ] wrong
- [x] RIGHT
  > WHY
:::

---

# Predict {#predict}

::: predict {#guess metric=more.step_s.median over=fewer unit=x runs=1 steps=4}
How much longer is a step with a rank that sleeps 300 ms?

- [ ] 0.1x
- [ ] 1000x
:::

::: demo ddp {#fewer} ranks=2 steps=50 width=64
::: demo ddp {#more} ranks=2 steps=50 width=64 slow_rank=1 slow_ms=300
"""


def test_hands_two_votes_a_student_and_a_prediction(deck_home: Path) -> None:
    with Tmux(deck_home, 110, 40) as tmux:
        teacher = tmux.open("present", str(deck_home / "deck.md"))
        teacher.until("1-2 pick")
        student = tmux.open("audience", "--name", "Ann")
        student.until("1-2 pick")

        projector = tmux.open("audience")
        projector.until("slide 1/2")

        # A vote by hand and by key, hidden from everybody; then another.
        student.until("1-2 pick")
        student.keys("1")
        teacher.until("1 of 1 answered")
        projector.until("1 of 1 answered")  # how many, and not what
        teacher.keys("u", "3", "Space", "1", "Enter")
        teacher.until("4 hands, 1 by key")
        teacher.keys("X")
        student.until("second vote")
        student.keys("2")
        teacher.until("second vote.*1 of 1 answered")
        teacher.keys("Enter")
        teacher.until("locked")
        student.until("locked")
        assert all(not bars(pane.text()) and "WHY" not in read(pane.text()) for pane in (teacher, student))
        teacher.keys("e")
        teacher.until("first vote")
        assert (
            "WHY" in read(student.until("first vote"))
            and bars(student.text())
            and "Ann" not in student.text()
        )

        # Answers are locked, real ranks run, and what they took stands on the axis of the answers.
        teacher.keys("Right")
        student.until("slide 2/2")
        teacher.until(r"PyTorch\s+loaded\b|slide 2/2", 60)
        teacher.keys("1", "d")
        teacher.until("locked")
        teacher.until("measured, e shows it", 90)
        assert "more / fewer" not in student.text()
        teacher.keys("e")
        shown = teacher.until(r"more / fewer\s+(\d|median|one run)")
        assert "LIVE CPU" in shown
        student.until(r"more / fewer\s+(\d|median|one run)")
