"""Words of letters made of blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.drawing.large import read_letters, three_rows
from slides.drawing.text import Span, Style, plain

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ.,:;?%+=()-/"


@given(st.lists(st.text(LETTERS, min_size=1, max_size=7), min_size=1, max_size=4), st.booleans())
def test_what_is_written_in_letters_is_read_again(words: list[str], bold: bool) -> None:
    lines = three_rows.text([(Span(" ".join(words), Style(bold=bold)),)], 2000)
    assert read_letters.words([plain(line) for line in lines]) == " ".join(words)


@pytest.mark.parametrize(
    "words", ["0.25x of 100 %", "Own 2(n-1)/n", "NCCL_DEBUG", "it's 5.55 = ln 256", "4Ψ + 12Ψ/N", "ω ÷ τ"]
)
def test_zeros_and_marks_too(words: str) -> None:
    assert read_letters.words([plain(line) for line in three_rows.text([(Span(words),)], 2000)]) == words


@pytest.mark.parametrize("rows", [["abc", "def", "ghi"], ["███", "███", "███"], ["▌"], []])
def test_what_is_no_letters_says_nothing(rows: list[str]) -> None:
    assert read_letters.words(rows) == ""


@pytest.mark.parametrize("slim", [False, True])
def test_a_line_of_code_is_as_wide_in_many_colours_as_in_one(slim: bool) -> None:
    """A listing of which other lines are dimmed at each step does not jump, and each cell has one colour."""
    tokens = [
        "    dist",
        ".",
        "reduce_scatter",
        "(mine, [*",
        "g",
        ".",
        "chunk(",
        "MACHINE",
        ")], group=",
        "self",
        ".within)",
    ]
    colours = ("name", "text", "good")
    many = tuple(Span(token, Style(colours[n % 3])) for n, token in enumerate(tokens))
    one = Span("".join(tokens), Style("dim"))
    rows = (
        three_rows.as_they_are([many], 200, slim=slim),
        three_rows.as_they_are([(one,)], 200, slim=slim),
    )
    assert rows[0] and rows[1] and list(map(plain, rows[0])) == list(map(plain, rows[1]))
    # Every token is in its own colour: what is written in it alone is what stands in its cells.
    for colour in colours:
        own = [
            tuple(span if span.style.ink == colour else Span(" " * len(span.text)) for span in row)
            for row in rows[0]
        ]
        said = "".join(token if colours[n % 3] == colour else " " for n, token in enumerate(tokens))
        assert "".join(read_letters.words(list(map(plain, own))).split()) == "".join(said.split())


def test_a_high_bracket_is_whole_when_each_cell_is_made_nine() -> None:
    rows = list(map(plain, three_rows.block([(Span(sign),) for sign in "⎛⎜⎝"])))
    assert [row.strip() for row in rows] == ["⎛", *"⎜⎜⎜⎜⎜⎜⎜", "⎝"]
    assert len({row.index(row.strip()) for row in rows}) == 1
