"""What is said where a slide has nothing to start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from slides.reading.split import split
from tui.classroom.runs.start_on_slide import no_demo
from tui.deck.contents import Contents

DEMO = "# Demo\n\n::: demo ddp\n:::\n"
HIDDEN = f"<!-- slide: {{hidden: true}} -->\n{DEMO}"


@pytest.mark.parametrize(
    ("slides", "said"),
    [
        (("# A", DEMO), "no demo on this slide: the next is on slide 2"),
        (("# A", HIDDEN, "# C", DEMO), "no demo on this slide: the next is on slide 3"),
        (("# A", HIDDEN), "no demo on this slide"),
    ],
)
def test_the_next_demo_is_one_of_a_slide_that_is_shown(slides: tuple[str, ...], said: str) -> None:
    contents = Contents(split("\n\n---\n\n".join(slides), "deck.md"))
    room: Any = SimpleNamespace(session=SimpleNamespace(contents=contents, index=0))
    assert no_demo(room) == said
