"""Decks of Advanced Slides, and what they share with the other programs around reveal.js."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_decks import words

from slides.audience_deck import audience_deck
from slides.deck import Columns, Slide
from slides.dialects import detect, translate
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks, inlines


def slides(text: str, name: str = "") -> list[Slide]:
    found = translate(normalise(text), name or detect(normalise(text)), Path("deck.md"))
    deck = split(found.text, "deck.md")
    assert "secret" not in audience_deck(deck).source
    return [parse_slide(deck, head.index) for head in deck.slides]


DOWN = "# A\n\n--\n\n# B\n\n---\n\n# C\n"


@pytest.mark.parametrize(
    ("settings", "text", "name"),
    [
        ("separator: '\\r?\\n---\\r?\\n'\ntheme: black", DOWN, "obsidian"),
        ("separator: <!--s-->", DOWN.replace("---", "<!--s-->"), "obsidian"),
        ("notesSeparator: 'note:'\nwidth: 1200", DOWN, "obsidian"),
        ("enableTimeBar: true\nslideNumber: true", "# A\n\n---\n\n# C\n", "obsidian"),
        ("controls: true", "# A\n\n---\n\n![[ring.png]]\n", "obsidian"),
        ("theme: css/own.css", '<!-- slide template="[[two]]" -->\n# A\n\n---\n\n# C\n', "obsidian"),
        ("verticalSeparator: --", DOWN, "revealmd"),  # said, so whoever wrote it means it
        ("controls: true", "# A\n\n----\n\n# B\n\n--\n\n---\n\n# C\n", "revealmd"),
        ("controls: true", "# A\n\n```\n\n--\n\n```\n\n---\n\n# C\n", "revealmd"),
        ("controls: true", "# A\n\n---\n\n# C\n", "revealmd"),
    ],
)
def test_settings_of_reveal_js_are_of_obsidian_as_well(settings: str, text: str, name: str) -> None:
    assert detect(normalise(f"---\n{settings}\n---\n\n{text}")) == name


def test_slides_below_are_slides_whatever_parts_those_beside() -> None:
    text = f"---\nseparator: <!--s-->\n---\n\n{DOWN.replace('---', '<!--s-->')}"
    assert [slide.title for slide in slides(text)] == ["A", "B", "C"]


def test_what_is_between_marks_of_a_comment_is_for_nobody() -> None:
    text = "# A ![[a.png]]\n\nseen %%secret%%\n\n%%\nsecret\n\n- secret\n%%\n\nmore\n\n"
    text += "```\n%% code\n```\n\n`%%x%%`\n"
    found = words(slides(text))
    assert "seen" in found and "more" in found and "%%x%%" in found
    open_ended = words(slides("# A ![[a.png]]\n\nseen 100%%\n\nmore\n"))
    assert "100%%" in open_ended and "more" in open_ended


def test_items_behind_a_plus_come_one_by_one() -> None:
    (slide,) = slides("# A\n\n- a\n+ b\n+ c\n\n1) d\n2) e\n\n```\n+ code\n```\n\n![[a.png]]\n")
    assert slide.steps == 5 and "+" not in words([slide])


BESIDE = "# A ![[a.png]]\n\n::: left\nwords\n:::\n\n::: right\n- more\n:::\n\nbelow\n"


def test_boxes_left_and_right_are_columns_and_other_boxes_of_a_template_their_words() -> None:
    (slide,) = slides(BESIDE)
    (columns,) = (block for block in slide.blocks if isinstance(block, Columns))
    columned = [
        "".join(part.text for block in blocks(column) for part in inlines(block))
        for column in columns.columns
    ]
    assert columned == ["words", "more"]
    assert ":::" not in words([slide]) and "below" in words([slide])
    (slide,) = slides("# A ![[a.png]]\n\n::: source\nwords\n:::\n\n```\n::: left\n```\n")
    assert words([slide]).splitlines()[-1] == "words" and not isinstance(slide.blocks[-1], Columns)


def test_a_slide_that_is_skipped_is_none() -> None:
    found = slides('# A ![[a.png]]\n\n---\n\n<!-- slide skip="true" -->\nsecret\n\n---\n\n# B\n')
    assert [slide.title for slide in found] == ["A", "B"]


@pytest.mark.parametrize(
    ("name", "settings", "mark"),
    [
        ("obsidian", "theme: black", "well, Note: "),  # wherever it stands: its separator is not a line
        ("obsidian", "theme: black", "note:"),
        ("revealmd", "notesSeparator: <!--n-->", "<!--n-->\n"),
        ("revealmd", "notesSeparator: <!-- n -->", "seen <!-- n --> "),
        ("revealmd", "notesSeparator: '^Speaker:'", "speaker: "),
        ("revealmd", "notesSeparator: '\\n==\\n'", "==\n"),
        ("revealmd", "controls: true", "Note: "),
    ],
)
def test_notes_begin_where_their_separator_says(name: str, settings: str, mark: str) -> None:
    text = f"---\n{settings}\n---\n# A\n\nfirst\n\n{mark}secret\n\n- secret\n\n---\n\n# B\n"
    first, second = slides(text, name)
    shown = words([first])
    assert "first" in shown and "secret" not in shown and "secret" in first.notes[0].markdown
    assert ("seen" in shown) == ("seen" in mark) and second.title == "B"


def test_a_separator_in_code_parts_nothing() -> None:
    (slide,) = slides("---\ncontrols: true\n---\n# A\n\n```\nNote: x\n```\n\nseen\n", "revealmd")
    assert "seen" in words([slide]) and not slide.notes


def test_a_callout_says_what_it_is() -> None:
    (slide,) = slides("# A ![[a.png]]\n\n> [!info]- A title\n> of it\n\n> [!bug]\n> seen\n")
    assert "A titleof it" in words([slide]) and "Bugseen" in words([slide])
    bold = [part.text for block in blocks(slide.blocks) for part in inlines(block) if part.style.bold]
    assert bold == ["A title", "Bug"]


def test_icons_of_a_font_are_left_out_and_code_that_names_one_is_not() -> None:
    text = "# A\n\n:fas_envelope: write to :fab_github-alt: `:fas_rocket:` at 10:far_away\n\n--\n\n# B\n"
    assert "write to :fas_rocket: at 10:far_away" in words(slides(text, "obsidian"))
