"""The kinds of time and memory: their glyphs, and words on bars."""

from __future__ import annotations

import pytest

from slides.drawing.large import read_letters
from slides.drawing.text import plain
from tui.figures.categories import WAIT


@pytest.mark.parametrize("word", ["optimizer", "opt", "parameters", "full 6.9 MB", "wait"])
@pytest.mark.parametrize("width", range(44, 50))
def test_a_word_in_letters_can_be_read_in_a_bar_of_any_width(word: str, width: int) -> None:
    """The rows of letters are of different length: they have one middle."""
    rows = [plain(line) for line in WAIT.rows(width, [word], 3)]
    assert [len(row) for row in rows] == [width] * 3
    assert read_letters.words([row.replace(WAIT.glyph, " ") for row in rows]) == word
