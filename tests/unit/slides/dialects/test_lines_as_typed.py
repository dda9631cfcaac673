"""Dialects: whose lines stay as they were typed, and whose are joined."""

from __future__ import annotations

from made_decks import slides

from slides.drawing.layout import layout_blocks
from slides.drawing.text import plain


def test_mdp_draws_lines_as_they_were_typed() -> None:
    """Columns made of spaces, line ends and drawings of characters: nothing is joined to a paragraph."""
    text = "%title: T\n\n-> alone\nquit        *q*\n            *Q*\n\n\\    not code\n\n- item\n  goes on\n"
    found = layout_blocks(slides(text, "mdp")[0].blocks, 99, 60)
    rows = [row for line in found if (row := plain(line).rstrip())]
    assert rows == ["alone", "quit        q", "            Q", "    not code", "•  item", "   goes on"]


def test_mdp_shows_no_backslash_that_stands_before_a_letter() -> None:
    text = "%title: T\n\n\\int main() {\n\\}\n\nas `\\d` is\n"
    found = layout_blocks(slides(text, "mdp")[0].blocks, 99, 60)
    assert [plain(line).strip() for line in found if plain(line).strip()] == [
        "int main() {",
        "}",
        "as \\d is",
    ]


def test_presenterm_keeps_the_lines_of_a_quote_and_joins_those_of_a_paragraph() -> None:
    text = "# A\n\n> one\n> two\n\nthree\nfour\n"
    found = layout_blocks(slides(text, "presenterm")[0].blocks, 99, 60)
    rows = [row for line in found if (row := plain(line).strip(" ▌│▏▎"))]
    assert rows[-3:] == ["one", "two", "three four"]
