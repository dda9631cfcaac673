"""Text in cells: what is cut, where, and that nothing unsafe or torn reaches a line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from slides.drawing.cells import chop, clean, clip, clip_text, fit, graphemes, line_width, pad, width, wrap
from slides.drawing.text import PLAIN, Line, Span, Style, plain

FAMILY = "👨\u200d👩\u200d👧"
HINDI = "नमस्ते दुनिया"
BOLD = Style(bold=True)

# What decks hold, and what must not get through: any character, with the troublesome ones often.
troublesome = st.sampled_from(
    [*f"{FAMILY}❤\ufe0f🇮🇳क्ष漢、「」e\u0301\t\n\x1b[]m\x9b\u202e\u2066\u200b\u200c\ud800"]
)
texts = st.text(st.one_of(troublesome, st.characters(), st.sampled_from("ab 1")), max_size=40)
spans = st.lists(st.builds(Span, texts.map(clean), st.sampled_from([PLAIN, BOLD])), max_size=5)


def spelled(lines: list[Line]) -> list[str]:
    return [plain(line) for line in lines]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("漢字", 4),
        (HINDI, 8),
        ("e\u0301", 1),
        (FAMILY, 2),
        ("❤\ufe0f", 2),
        ("👍🏽", 2),
        ("क्\u200dष", 2),
    ],
)
def test_width(text: str, cells: int) -> None:
    assert width(clean(text)) == cells


@pytest.mark.parametrize(
    ("dirty", "clear"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jgone", "gone"),
        ("\x1b]0;title\x07shown", "shown"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b]never ended", "never ended"),
        ("bell\x07 back\x08", "bell back"),
        ("a\u202eevil\u202c \u2066b\u2069", "aevil b"),
        ("pass\u200bword\u2060 soft\u00ad", "password soft"),
        ("a\u200db", "ab"),
        (FAMILY, FAMILY),
        ("❤\ufe0f", "❤\ufe0f"),
        ("\ufe0fx", "x"),
        ("नमस्\u200cते", "नमस्\u200cते"),
        ("a\tb\t漢\tc", "a   b   漢  c"),
        ("one\ntwo\u2003three", "one two three"),
        ("bad \ud800 half", "bad \ufffd half"),
        ("flag \U000e0067\U000e007f", "flag "),
    ],
)
def test_clean(dirty: str, clear: str) -> None:
    assert clean(dirty) == clear


@given(texts)
def test_clean_leaves_no_controls_and_is_stable(text: str) -> None:
    clear = clean(text)
    assert not [c for c in clear if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(clear) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\u061c"
    )
    assert clean(clear) == clear


def test_words_wrap_and_blanks_at_a_break_go() -> None:
    assert spelled(wrap([Span("every rank holds the same model")], 12)) == [
        "every rank",
        "holds the",
        "same model",
    ]
    assert wrap([], 5) == [()]


def test_a_no_break_space_holds() -> None:
    assert spelled(wrap([Span("a model of 10\u00a0MB")], 13)) == ["a model of", "10 MB"]


def test_a_word_of_two_styles_is_not_broken() -> None:
    lines = wrap([Span("an all-"), Span("reduce", BOLD), Span("!")], 12)
    assert spelled(lines) == ["an", "all-reduce!"]
    assert lines[1] == (Span("all-"), Span("reduce", BOLD), Span("!"))


def test_long_words_break_between_graphemes() -> None:
    assert spelled(wrap([Span("see 0123456789")], 6)) == ["see", "012345", "6789"]
    assert spelled(wrap([Span(FAMILY * 3)], 5)) == [FAMILY * 2, FAMILY]
    assert spelled(wrap([Span("e\u0301" * 5)], 2)) == ["e\u0301" * 2, "e\u0301" * 2, "e\u0301"]


def test_ideographs_break_anywhere_but_before_a_closing_mark() -> None:
    assert spelled(wrap([Span("分散学習、全員で「平均」を取る。")], 10)) == [
        "分散学習、",
        "全員で「平",
        "均」を取",
        "る。",
    ]


def test_emoji_stay_whole() -> None:
    burning = "❤\ufe0f\u200d🔥"
    assert spelled(wrap([Span(f"{burning}ab {burning}")], 4)) == [f"{burning}ab", burning]
    assert spelled(wrap([Span(burning * 3)], 3)) == [burning] * 3


def test_what_is_wider_than_the_line_is_marked() -> None:
    assert spelled(wrap([Span("漢a")], 1)) == ["…", "a"]


def test_code_keeps_every_blank() -> None:
    assert spelled(chop([Span("    x = 1"), Span("  # one", BOLD)], 6)) == ["    x ", "= 1  #", " one"]


def test_clip_and_pad() -> None:
    assert clip_text("漢字仮名", 5) == "漢字…"
    assert clip_text("漢字仮名", 4) == "漢…"
    assert clip((Span("abc"), Span("def", BOLD)), 5) == (Span("abc"), Span("d…", BOLD))
    assert clip((Span("abc"),), 0) == ()
    assert plain(pad((Span("ab"),), 5, align="right")) == "   ab"
    assert plain(pad((Span("ab"),), 5, align="center")) == " ab  "
    assert plain(fit((Span(FAMILY * 3),), 4)) == FAMILY + "… "


@given(spans, st.integers(1, 30))
def test_wrapped_lines_fit_and_lose_only_blanks(line: list[Span], cells: int) -> None:
    lines = wrap(line, cells)
    assert all(line_width(piece) <= cells for piece in lines)
    if cells > 1:
        assert "".join(spelled(lines)).replace(" ", "") == plain(line).replace("\u00a0", "").replace(" ", "")


@given(spans, st.integers(2, 30))
def test_pieces_add_up_to_the_whole(line: list[Span], cells: int) -> None:
    pieces = chop(line, cells)
    assert "".join(spelled(pieces)) == plain(line)
    for piece in [*pieces, *wrap(line, cells), clip(tuple(line), cells), fit(tuple(line), cells)]:
        assert line_width(piece) == cell_len(plain(piece))


@given(texts)
def test_graphemes_add_up(text: str) -> None:
    clear = clean(text)
    assert "".join(graphemes(clear)) == clear
    assert sum(map(width, graphemes(clear))) == width(clear)
