"""The layouts of a slide and the modes of its text, as pictures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_letters import read

from slides.deck import LAYOUTS
from slides.drawing.author_layouts import extent, is_tall
from slides.drawing.cells import line_width
from slides.drawing.large.letters import letters
from slides.drawing.layout import layout
from slides.drawing.text import plain
from slides.drawing.text_size import BIG, CHOICE, COMPACT, NORMAL, SMALL, Mode, following
from slides.reading.parse import parse_slide
from slides.reading.split import split


def drawn(text: str, width: int, height: int = 0, mode: Mode = NORMAL, step: int | None = None) -> str:
    slide = parse_slide(split(text, "deck.md"), 0, trusted=False)
    lines = layout(slide, slide.steps - 1 if step is None else step, width, height, mode=mode)
    assert all(line_width(line) <= width for line in lines)
    return "\n".join(plain(line).rstrip() for line in lines) + "\n"


def of(name: str, text: str) -> str:
    return f"<!-- slide: {{layout: {name}}} -->\n{text}"


def test_letters_are_made_of_half_and_quarter_blocks() -> None:
    assert "\n".join(letters("DDP, 4 ranks", 80, ("full",)) or []) == (
        """\
█▀▀▀▄ █▀▀▀▄ █▀▀▀▄         ▄█                      █
█   █ █   █ █▄▄▄▀       ▄▀ █     █▄▀▀  ▀▀▀▄ █▀▀▀▄ █ ▄▀ ▄▀▀▀▀
█   █ █   █ █      ▄    ▀▀▀█▀    █    ▄▀▀▀█ █   █ █▀▄   ▀▀▀▄
▀▀▀▀  ▀▀▀▀  ▀     ▄▀       ▀     ▀     ▀▀▀▀ ▀   ▀ ▀  ▀ ▀▀▀▀"""
    )
    assert "\n".join(letters("DDP, 4 ranks", 80, ("narrow",)) or []) == (
        """\
▛▀▖▛▀▖▛▀▖    ▟           ▌
▌ ▌▌ ▌▙▄▘   ▞▐  ▐▞▘▝▀▖▛▀▖▌▞▗▀▀
▌ ▌▌ ▌▌  ▗  ▀▜▘ ▐  ▞▀▌▌ ▌▛▖ ▀▚
▀▀ ▀▀ ▘  ▞   ▝  ▝  ▝▀▘▘ ▘▘▝▝▀▘"""
    )


def test_letters_take_the_first_size_that_fits() -> None:
    wide = letters("rings", 60, ("double", "full", "narrow"))
    less = letters("rings", 30, ("double", "full", "narrow"))
    least = letters("rings", 15, ("double", "full", "narrow"))
    assert wide and less and least
    assert [len(rows) for rows in (wide, less, least)] == [8, 4, 4]
    assert letters("rings", 6, ("double", "full", "narrow")) is None
    assert letters("one two three four five", 30, ("full",)) is None  # more than two rows of letters
    assert letters("भार", 80, ("full",)) is None and letters("  ", 80, ("full",)) is None


TITLE = """\

       █▀▀▀▄ ▀
       █▄▄▄▀ █ █▀▀▀▄ ▄▀▀▀█ ▄▀▀▀▀
       █ ▀▄  █ █   █ ▀▄▄▄█  ▀▀▀▄
       ▀   ▀ ▀ ▀   ▀  ▄▄▄▀ ▀▀▀▀

        ━━━━━━━━━━━━━━━━━━━━━━━━

           of four processes

                 A. Rao
"""


def test_a_title_stands_in_the_middle() -> None:
    assert drawn("# Rings {#r}\n\nof four *processes*\n\nA. Rao", 40, 14) == TITLE
    assert drawn("# Rings {#r}\n\nof four *processes*\n\nA. Rao", 40) == TITLE.removeprefix("\n")


def test_a_slide_with_a_demo_leaves_the_height_to_its_panel() -> None:
    def slide(text: str) -> object:
        return parse_slide(split(text, "deck.md"), 0)

    assert is_tall(parse_slide(split(of("section", "# A"), "d"), 0))
    assert not is_tall(parse_slide(split(of("section", "# A\n\n::: demo ddp"), "d"), 0))
    assert extent(parse_slide(split(of("code", "# A"), "d"), 0))
    assert not extent(parse_slide(split("# A\n\n- b", "d"), 0))


def test_who_speaks_and_when_are_in_letters_where_there_is_room() -> None:
    said = of("title", "# One step\n\nWhat it is full of\n\nAda, May 2026\n")
    large, small = drawn(said, 128, 43), drawn(said, 128, 18)
    assert "Ada, May 2026" in read(large) and "Ada" not in large
    assert "Ada, May 2026" in small, "else they keep their size"


def test_two_columns_are_parted_by_a_rule_a_heading_or_their_height() -> None:
    by_rule = drawn(of("two columns", "# T\n\none\n\n***\n\ntwo\n\nthree"), 50)
    assert by_rule == "T\n━\n\none                        two\n\n                           three\n"
    assert drawn(of("two columns", "# T\n\none\n\n+++\n\ntwo\n\nthree"), 50) == by_rule
    assert "+++" in drawn("# T\n\none\n\n+++\n\ntwo", 50)
    by_heading = drawn(of("two columns", "### A\n\none\n\n### B\n\ntwo"), 50)
    assert by_heading == drawn(of("two columns", "### A\n\none\n\n***\n\n### B\n\ntwo"), 50)
    by_height = drawn(of("two columns", "one\n\ntwo\n\n- a\n- b\n- c"), 46)
    assert by_height.split() == ["one", "•", "a", "•", "b", "two", "•", "c"]
    assert [row.find("•") for row in by_height.split("\n")] == [25, 25, 25, -1]


def test_a_big_number_and_its_words() -> None:
    text = drawn(of("big number", "# 4\n\nranks\n\n<!-- pause -->\n\non two cores"), 30, step=0)
    assert text.split("\n\n")[0].lstrip("\n").split("\n")[4].split() == ["██████████"]  # the bar of the 4
    assert "ranks" in text and "cores" not in text
    shown = drawn(of("big number", "# 4\n\nranks\n\n<!-- pause -->\n\non two cores"), 30)
    assert "on two cores" in shown and len(shown.split("\n")) == len(text.split("\n"))


def test_a_quote_and_whose_it_is() -> None:
    text = drawn(of("quote", "> Overlap hides\n> what bandwidth costs.\n\nA. Rao"), 60)
    rows = [row for row in text.split("\n") if row.strip()]
    assert rows[0].strip().startswith("▄▀ ▄▀") and "Overlap hides what bandwidth costs." in rows[0]
    assert rows[-1].strip() == "A. Rao" and rows[-1].index("A. Rao") > 40


def test_code_begins_right_under_its_heading() -> None:
    text = drawn(of("code", "# T\n\n```\nx = 1\n```"), 20)
    assert text == "T\n\nx = 1\n\n"


MANY = "# A heading\n\none\n\ntwo\n\n- a\n- b\n\n1. c\n\n   d\n\n2. e\n"


def test_big_text_is_fewer_words_and_more_air() -> None:
    text = drawn(MANY + "\n" + "word " * 40, 100, mode=BIG)
    assert "▛▀▌" in text and max(len(row) for row in text.split("\n")) < 60
    assert "•  a\n\n•  b" in text and "one\n\n\ntwo" in text


def test_compact_text_has_no_blank_lines_but_between_paragraphs() -> None:
    assert drawn(MANY, 60, mode=COMPACT) == (
        "A heading\n━━━━━━━━━\none\n\ntwo\n•  a\n•  b\n1. c\n\n   d\n2. e\n"
    )
    assert drawn("```\na\n\nb\n```", 30, mode=COMPACT) == "  a\n\n  b\n"


def test_a_thumbnail_breaks_no_word() -> None:
    table = "| strategy | parameters | gradients |\n|--|--|--|\n| sharded | everything | anything |\n"
    assert drawn(table, 20, mode=SMALL) == (
        "strategy  parameter…\n────────  ─────────…\nsharded   everythin…\n"
    )
    assert drawn("```\nmodel = DDP(TinyLM())\nloss\n```", 16, mode=SMALL) == "\n  model = DDP(Ti\n  loss\n\n"


def test_the_key_goes_round() -> None:
    assert [following(mode).name for mode in CHOICE] == ["big", "compact", "normal"]


_TEXTS = st.lists(
    st.sampled_from(
        ["# One", "## Two {#x}", "words and **more**", "> said", "- a\n- b", "```py {1|2}\nx\ny\n```",
         "![alt](no.png)", "| a | b |\n|--|--|\n| c | d |", "$$x^2$$", "***", "<!-- pause -->", "भार"]
    ),
    max_size=6,
)  # fmt: skip


@given(
    _TEXTS,
    st.sampled_from(("", *LAYOUTS)),
    st.integers(1, 90),
    st.integers(0, 30),
    st.sampled_from((*CHOICE, SMALL)),
)
@settings(max_examples=150, deadline=None)
def test_every_layout_takes_every_slide(
    parts: list[str], name: str, width: int, height: int, mode: Mode
) -> None:
    text = of(name, "\n\n".join(parts)) if name else "\n\n".join(parts)
    slide = parse_slide(split(text, "deck.md"), 0, trusted=False)
    heights = set()
    for step in range(slide.steps):
        lines = layout(slide, step, width, height, mode=mode)
        assert all(line_width(line) <= width for line in lines)
        heights.add(len(lines))
    assert len(heights) == 1  # nothing jumps


def test_no_more_is_laid_out_than_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"line {n}" for n in range(900))
    texts = (f"```\n{lines}\n```", "- " + "\n- ".join(lines.split("\n")), "\n\n".join(lines.split("\n")))
    for text in texts:
        slide = parse_slide(split(text, "deck.md"), 0, trusted=False)
        first, whole = layout(slide, 0, 60, most=100), layout(slide, 0, 60)
        assert 100 <= len(first) < 110 and first == whole[: len(first)] and len(whole) > 850


def test_what_is_too_long_for_markdown_is_shown_as_it_was_written() -> None:
    text = "# Log\n\n" + "\n".join(f"*line* {n} of it" for n in range(2000))
    assert "at most 20000 are read" in (shown := drawn(text, 80)) and "*line* 1999 of it" in shown
    asked = text + "\n\n::: quiz\nWhich?\n\n- [x] SECRET\n:::\n\n<!-- notes: SECRET -->\n"
    assert "SECRET" not in drawn(asked, 80) and "*line* 7" not in drawn(asked, 80)
    assert "SECRET" not in drawn(text + "\n\n<!-- notes: SECRET -->\n", 80)


def test_letters_give_way_to_the_height() -> None:
    text = "# Distributed data parallel\n\nHow four processes learn\n\nA. Rao"
    for height in range(5, 20):
        shown = drawn(text, 56, height)
        assert len(shown.split("\n")) - 1 <= max(height, 6), height
    assert "Distributed data parallel" in drawn(text, 56, 9) and "▐" in drawn(text, 56, 15)
    assert "██" in drawn(of("big number", "# 4"), 40, 9) and "██" not in drawn(of("big number", "# 4"), 40, 6)
