"""Which layout a slide has."""

from __future__ import annotations

import pytest

from slides.drawing.layout_choice import layout_of
from slides.reading.parse import parse_slide
from slides.reading.split import split


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("# Title\n\nwords\n\nmore", "title"),
        ("# Title\n\n- a list", ""),
        ("## Title\n\nwords", ""),
        ("# Alone", "section"),
        ("words", ""),
        ("", ""),
        ("<!-- slide: {layout: quote} -->\n# Title\n\nwords", "quote"),
    ],
)
def test_what_its_author_leaves_open_is_seen_from_what_it_holds(text: str, layout: str) -> None:
    assert layout_of(parse_slide(split(text, "deck.md"), 0)) == layout
