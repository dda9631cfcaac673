"""A question under a misspelt name, in a list or in a quote is a box that says so, not a list."""

from __future__ import annotations

import pytest

from slides.audience_deck import audience_deck
from slides.deck import Box, List
from slides.drawing.layout import layout
from slides.drawing.text import plain
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks

BODY = ("Which?", "", "- [x] THE-KEY", "  > WHY", "- [ ] another", "= THE-NUMBER", "{{THE-GAP|~x}}")
SECRETS = ("THE-KEY", "WHY", "THE-NUMBER", "THE-GAP", "[x]", "☑")


def within(before: str, indent: str, name: str = "quiz", close: bool = True) -> str:
    rows = [before + f"::: {name} {{#q}}", *(indent + row for row in BODY), *[indent + ":::"] * close]
    return "\n".join(["# Title", "", *rows, "", "after it" if close else ""])


MISPLACED = {
    "in an item": within("- ", "  "),
    "in an item of a numbered list": within("1. ", "   "),
    "in an item, closed at the margin": within("- ", "  ", close=False) + "\n:::\n\nafter it",
    "in an item of an item": within("- one\n  - ", "    "),
    "below an item's words": within("- one\n\n    ", "    "),
    "in a quote": within("> ", "> "),
    "in a quote without a blank": within(">", ">"),
    "in an item, misspelt": within("- ", "  ", "quizz"),
    "in an item, never closed": within("- ", "  ", close=False),
    "a poll in a quote": within("> ", "> ", "poll"),
}
MISSPELT = {
    "misspelt": within("", "", "quizz"),
    "misspelt, never closed": within("", "", "quizz", close=False),
    "another letter lost": within("", "", "qestion"),
    "said in another way, never closed": within("", "", "question", close=False),
    "like nothing, but with a tick": within("", "", "ask-them"),
}


def shown(text: str) -> list[str]:
    """The drawn slide, as its teacher's screen and as an audience's has it."""
    deck = split(text, "deck.md")
    pages = (layout(parse_slide(one, 0), 9, 100) for one in (deck, audience_deck(deck)))
    return ["\n".join(map(plain, page)) for page in pages]


@pytest.mark.parametrize("text", [*MISPLACED.values(), *MISSPELT.values()], ids=[*MISPLACED, *MISSPELT])
def test_nothing_of_its_key_is_shown_and_what_stands_below_it_is(text: str) -> None:
    for page in (*shown(text), audience_deck(split(text, "deck.md")).source):
        assert not [word for word in SECRETS if word in page]
        assert ("after it" in page) == ("after it" in text)


@pytest.mark.parametrize("text", MISPLACED.values(), ids=MISPLACED)
def test_a_question_in_a_list_or_a_quote_is_a_box_with_its_line_and_the_mend(text: str) -> None:
    slide = parse_slide(split(text, "deck.md"), 0)
    (box,) = [one for one in blocks(slide.blocks) if isinstance(one, Box)]
    assert "asks nothing within a " in box.problem.message and "from its first column" in box.problem.mend
    assert ":::" in text.split("\n")[box.problem.line - 1]


@pytest.mark.parametrize("name", ["quizz", "qestion", "question", "Quiz"])
def test_a_misspelt_name_is_told_with_the_one_that_was_meant(name: str) -> None:
    slide = parse_slide(split(within("", "", name), "deck.md"), 0)
    (box,) = [one for one in slide.blocks if isinstance(one, Box)]
    assert box.problem.mend == "Did you mean `::: quiz`?" and box.problem.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "- [x] done\n- [ ] to do",
        "> - [x] done\n> - [ ] to do",
        "::: note\nwords\n:::\n\n- [x] done\n- [ ] to do",
        "::: columns\n- [x] done\n- [ ] to do\n+++\nright\n:::",
        "words that write `::: quiz`\n\n- [x] done\n- [ ] to do",
        "- ::: demo is how a demo is written\n- [x] done\n- [ ] to do",
    ],
)
def test_an_ordinary_list_of_tasks_stays_one(text: str) -> None:
    slide = parse_slide(split(text, "deck.md"), 0)
    assert any(isinstance(one, List) for one in blocks(slide.blocks))
    assert all("☑ done" in page and "☐ to do" in page for page in shown(text))


def test_code_that_shows_how_to_write_a_question_stays_code() -> None:
    indented = "- one\n\nwords\n\n    ::: quiz\n    - [x] a\n    :::"
    for text in (indented, "- item\n\n  ```\n  ::: quiz\n  - [x] a\n  ```"):
        assert "- [x] a" in shown(text)[0]
