"""The README has two commands that set up and go: one runs a lesson, one the tests, as `.ci/run` does.

Its five minutes lead to a demo."""

from __future__ import annotations

import re
from pathlib import Path

from tui.deck.built_in import first_lesson
from tui.deck.contents import Contents, open_deck

ROOT = Path(__file__).parents[2]


def test_there_is_one_command_for_each() -> None:
    """`.ci/run` takes the line that ends in pytest out of the README: without it nothing is tested."""
    lines = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert [line.endswith("pytest") for line in lines] == [False, True]
    assert "teachrun" in lines[0] and "README.md" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_its_five_minutes_go_to_the_first_demo_of_the_lesson() -> None:
    (named,) = re.findall(
        r"goes to slide (\d+), the first with a demo", (ROOT / "README.md").read_text("utf-8")
    )
    contents = Contents(open_deck(first_lesson()))
    first = contents.next_demo(-1)
    assert first is not None and contents.label(first) == named
