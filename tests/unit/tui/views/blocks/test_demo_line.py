"""What stands under the words of a slide with a demo."""

from __future__ import annotations

import pytest

from slides.deck import Demo
from slides.drawing.text import plain
from tui.views.blocks.demo_line import demo_lines


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (Demo(id="a", name="interconnect"), "2 nodes · 2 ranks each"),  # of its own accord on two
        (Demo(id="a", name="ddp", params={"nodes": "2", "ranks": "1"}), "2 nodes · 1 rank each"),
        (Demo(id="a", name="ddp", params={"ranks": "4"}), "ddp · 4 ranks"),
    ],
)
def test_it_says_on_how_many_nodes(block: Demo, told: str) -> None:
    assert told in " ".join(plain(line) for line in demo_lines(block, None, "", 100))
