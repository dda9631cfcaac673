"""What people write beyond CommonMark: footnotes, definitions, raised words, marks, pictures in a row."""

from __future__ import annotations

import pytest

from slides.deck import Box, Columns, List
from slides.drawing.layout import layout_blocks
from slides.drawing.superscripts import on_screen
from slides.drawing.text import plain
from slides.problems import Problem
from slides.reading.parse import parse_blocks
from slides.reading_order import blocks, inlines


def shown(text: str) -> list[str]:
    return [
        "".join(part.text for part in on_screen(tuple(inlines(block))))
        for block in blocks(parse_blocks(text))
    ]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("2^10^ bytes and 5^th^", "2¹⁰ bytes and 5ᵗʰ"),
        ("H~2~O ~~gone~~ ~5 and ~6 GB", "H₂O gone ~5 and ~6 GB"),
        ("<sup>Coming soon</sup> x<sup>2</sup>", "Coming soon x²"),
        ("a[^1][^2] and b[^note]", "a¹² and b[note]"),
        ("as [@doe99, p. 3; -@smith] says, a@b.org too", "as [doe99, p. 3; smith] says, a@b.org too"),
        (
            "thanks :pray: :+1: at 10:30:05, std::on::x, :nosuchname:",
            "thanks 🙏 👍 at 10:30:05, std::on::x, :nosuchname:",
        ),
        ("a ==mark== b, a==b and c==d, a == b == c", "a mark b, a==b and c==d, a == b == c"),
        ("`[^1] :pray: ==x==` stays", "[^1] :pray: ==x== stays"),
    ],
)
def test_words(written: str, seen: str) -> None:
    assert shown(written) == [seen]


def test_a_mark_is_seen() -> None:
    (block,) = parse_blocks("a ==mark== b")
    assert [part.text for part in inlines(block) if part.style.bold] == ["mark"]


def test_a_footnote_is_where_it_was_written() -> None:
    assert shown("words[^1]\n\n[^1]: what it says\n[^2]: more\n") == ["words¹", "¹ what it says ² more"]


def test_definitions_stand_below_their_words() -> None:
    (found,) = parse_blocks("Rank\n: one process\n\nWorld\n: all of them\n: *together*\n")
    assert isinstance(found, List) and len(found.items) == 2
    texts = [["".join(part.text for part in inlines(block)) for block in item.blocks] for item in found.items]
    assert texts == [["Rank", "one process"], ["World", "all of them", "together"]]


def test_pictures_in_a_row_are_drawn_beside_each_other() -> None:
    (found,) = parse_blocks("![a](a.png) ![b](b.png){width=50%}\n![c](c.png)\n")
    assert isinstance(found, Columns) and len(found.columns) == 3
    (words,) = parse_blocks("see ![a](a.png) ![b](b.png)\n")
    assert not isinstance(words, Columns)


def test_a_box_names_its_file_and_not_the_folders_around_it() -> None:
    box = Box(Problem("/home/someone/secret/deck.md", 3, "what", "mend"), line=3)
    drawn = "\n".join(plain(line) for line in layout_blocks((box,), 0, 60))
    assert "deck.md:3" in drawn and "someone" not in drawn


@pytest.mark.parametrize("kind", ["svg+xml", "png", "x-own"])
def test_the_bytes_of_a_picture_within_a_deck_are_no_words(kind: str) -> None:
    text = f"![ring](<data:image/{kind},%3csvg a%3e>)\n\n| ![a](data:image/{kind},%3csvg) b |\n|---|\n"
    found = parse_blocks(text)
    said = "".join(part.text for block in blocks(found) for part in inlines(block))
    assert "%3csvg" not in said and "a b" in said
