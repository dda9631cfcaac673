"""Words of letters made of blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.drawing.large import enlarged, read_letters
from slides.drawing.text import Span, Style, plain

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ.,:;?%+=()-/"


@given(st.lists(st.text(LETTERS, min_size=1, max_size=7), min_size=1, max_size=4), st.booleans())
def test_what_is_written_in_letters_is_read_again(words: list[str], bold: bool) -> None:
    lines = enlarged.text([(Span(" ".join(words), Style(bold=bold)),)], 2000)
    assert read_letters.words([plain(line) for line in lines]) == " ".join(words)


@pytest.mark.parametrize(
    "words", ["0.25x of 100 %", "Own 2(n-1)/n", "NCCL_DEBUG", "it's 5.55 = ln 256", "4Ψ + 12Ψ/N", "ω ÷ τ"]
)
def test_zeros_and_marks_too(words: str) -> None:
    assert read_letters.words([plain(line) for line in enlarged.text([(Span(words),)], 2000)]) == words


@pytest.mark.parametrize("rows", [["abc", "def", "ghi"], ["███", "███", "███"], ["▌"], []])
def test_what_is_no_letters_says_nothing(rows: list[str]) -> None:
    assert read_letters.words(rows) == ""
