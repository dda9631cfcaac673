"""A film of a slide with a scene: it moves from step to step, and each step stands still to be read."""

from __future__ import annotations

from made_scene import known

from slides.drawing.text import Span, plain
from slides.reading.split import split
from slides.screen_size import Size
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen

SIZE = Size(100, 30)


def test_between_two_steps_there_are_pictures_that_are_neither() -> None:
    with known():
        of = Offscreen(Contents(split("# A\n\n::: scene token\n\n---\n\n# B\n\nwords\n", "d.md")))
        assert [of.moves(0, step) for step in range(4)] == [False, True, True, True]
        assert not of.moves(1, 0)
        first, last = of.screen(0, SIZE, 0), of.screen(0, SIZE, 1)
        half = of.screen(0, SIZE, 1, 0.5)
        assert half not in (first, last) and len(half) == len(first) == len(last)
        assert any("Rank 1 has it" in plain(line) for line in half)
        assert of.screen(1, SIZE, 0, 0.5) == of.screen(1, SIZE, 0)


def test_what_is_on_its_way_says_its_colours_cell_by_cell() -> None:
    """A row of a moving picture is written from an array on a screen; who draws a film looks at spans."""
    with known():
        of = Offscreen(Contents(split("# A\n\n::: scene token\n", "d.md")))
        half = of.screen(0, SIZE, 1, 0.5)
    spans = [span for line in half for span in line]
    assert {type(span) for span in spans} == {Span}
    assert any(span.style.ink.startswith("#") or span.style.ground.startswith("#") for span in spans)
