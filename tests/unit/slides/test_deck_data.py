"""What a deck is made of: frozen, compared by value, and quick to import, since no slide is shown before."""

from __future__ import annotations

from dataclasses import is_dataclass

import pytest
from msgspec.structs import replace

from slides import deck


def test_nothing_is_compiled_for_it_at_each_start() -> None:
    """Six methods of each dataclass are: 24 of them were a sixth of the import of a screen."""
    made = [it for it in vars(deck).values() if isinstance(it, type) and it.__module__ == deck.__name__]
    assert len(made) >= 20 and [it for it in made if is_dataclass(it)] == []


def test_blocks_are_values() -> None:
    words = (deck.Inline("a"), deck.Inline("b", math=True))
    heading = deck.Heading(1, words, line=3, at=1)
    assert heading == deck.Heading(1, words, line=3, at=1) != deck.Paragraph(words, line=3, at=1)
    assert hash(heading) == hash(replace(heading)) and replace(heading, level=2).content is words
    assert replace(heading, at=2).at == 2 and heading.at == 1
    with pytest.raises(AttributeError):
        heading.level = 2  # type: ignore[misc]
