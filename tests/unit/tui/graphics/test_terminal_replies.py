"""What a terminal answers never becomes a key, whenever and in whatever pieces it comes."""

from __future__ import annotations

import os
import pty
import sys
import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.graphics.protocol_choice import chosen, is_kitty, may_ask
from tui.graphics.terminal_replies import HASTY_S, PATIENT_S, Ear, Facts
from tui.terminal import background_colour

XTERM = "\x1bP>|XTerm(379)\x1b\\\x1b[?1;0;1024S\x1b[?63;1;2;4;6;9;15;22c"
KITTY = "\x1bP>|kitty(0.41.1)\x1b\\\x1b[6;20;10t\x1b[?62;52;c"
TYPED = ("q", "\x1b[6~", "\x1b[A", "\x1b", "\x1bP", "\x1b[<0;3;4M", "\x1b[97;5u", "\x1b[?2026;2$y", "é", "\r")


def heard(*pieces: str, asked: bool = True) -> tuple[str, Facts]:
    ear = Ear()
    if asked:
        ear.expect()
    typed = "".join(ear.take(piece, now=0.0) for piece in pieces)
    return typed + ear.late(now=10.0), ear.facts


def test_answers_are_understood() -> None:
    assert heard(XTERM) == ("", Facts("XTerm(379)", None, 1024, True, True))
    assert heard(KITTY) == ("", Facts("kitty(0.41.1)", (10, 20), None, False, True))
    assert heard("\x1b[?1;2c")[1] == Facts(complete=True)  # says nothing but that it is there
    assert heard("\x1b[?1;3;0S\x1b[6;0;0t\x1b[?64;40c")[1] == Facts(complete=True)


@given(
    st.sampled_from([XTERM, KITTY]),
    st.lists(st.sampled_from(TYPED), max_size=4).map("".join),
    st.lists(st.sampled_from(TYPED), max_size=4).map("".join),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_what_is_typed_around_them_comes_through_in_order(
    answer: str, before: str, after: str, cuts: list[int]
) -> None:
    stream = before + answer + after
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    typed, facts = heard(*(stream[a:b] for a, b in pairwise(edges)))
    assert typed == before + after
    assert facts.complete and facts.name == answer[4 : answer.index(")") + 1]


def test_one_that_answers_late_types_nothing_either() -> None:
    assert heard("l", XTERM, "j", asked=False)[0] == "lj"


def test_one_that_never_answers_costs_a_lone_escape_a_moment() -> None:
    ear = Ear()
    ear.expect()
    assert ear.take("\x1b", now=0.0) == "" == ear.late(now=HASTY_S / 2)
    assert ear.late(now=HASTY_S) == "\x1b" and ear.late(now=9.0) == ""
    ear.take("\x1b[?1;2c")
    assert ear.take("\x1b") == "\x1b"  # all answers are there: nothing is held


def test_half_an_answer_is_no_key() -> None:
    ear = Ear()
    ear.expect()
    assert ear.take("x\x1bP>|kit", now=0.0) == "x"
    assert ear.late(now=PATIENT_S) == ""
    assert ear.take("q") == "q"


def test_a_name_as_long_as_a_book_is_not_searched_for_ever() -> None:
    ear = Ear()
    ear.expect()
    for _ in range(200):
        ear.take("\x1bP>|" + "k" * 4000, now=0.0)
    assert ear.take("\x1b\\q") == "q"


@pytest.mark.parametrize(
    ("facts", "here", "away"),
    [
        (Facts("kitty(0.41.1)"), "kitty", "kitty"),
        (Facts("kitty(0.26.5)"), "blocks", "blocks"),  # before it had placeholders
        (Facts("ghostty 1.2.0"), "kitty", "kitty"),
        (Facts("iTerm2 3.5.10", sixel=True), "iterm2", "blocks"),
        (Facts("WezTerm 20240203-110809", sixel=True), "iterm2", "blocks"),
        (Facts("XTerm(379)", sixel=True), "sixel", "blocks"),
        (Facts("foot(1.16.2)", sixel=True), "sixel", "blocks"),
        (Facts("", sixel=True), "sixel", "blocks"),
        (Facts("XTerm(379)"), "blocks", "blocks"),
        (Facts(), "blocks", "blocks"),
    ],
)
def test_the_way_follows_from_what_it_says(facts: Facts, here: str, away: str) -> None:
    assert (chosen(facts, away=False), chosen(facts, away=True)) == (here, away)


def test_terminals_that_would_show_a_question_are_not_asked() -> None:
    assert may_ask({"TERM": "xterm-256color"})
    for environ in ({}, {"TERM": "dumb"}, {"TERM": "linux"}, {"TERM": "screen", "STY": "1.pts-0"}):
        assert not may_ask(environ)
    assert not may_ask({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"})
    assert is_kitty("kitty(0.28.0)") and is_kitty("kitty(1.0.0)") and not is_kitty("tmux 3.5a")


def test_a_colour_that_was_asked_for_before_there_was_a_screen_types_nothing() -> None:
    answer = "\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\\x1b[?1;2c"
    for cut in range(len(answer)):
        assert heard(answer[:cut], answer[cut:]) == ("", Facts(complete=True))
    assert heard("1", answer, "2", asked=False)[0] == "12"


def test_the_last_answer_to_somebody_else_is_not_taken_for_its_own() -> None:
    ear = Ear()
    ear.expect(owed=1)
    assert ear.take("\x1b[?1;2c") == "" and not ear.facts.complete
    ear.take(XTERM)
    assert ear.facts == Facts("XTerm(379)", None, 1024, True, True) and ear.owed == 0


def test_who_asks_before_the_screen_says_whether_an_answer_may_still_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r") as read, os.fdopen(os.dup(theirs), "w") as written:
        monkeypatch.setattr(sys, "stdin", read)
        monkeypatch.setattr(sys, "stdout", written)
        assert background_colour.ask(timeout=0.01)
        os.read(ours, 256)

        def answer() -> None:
            os.read(ours, 256)  # not before it is asked: what is typed before is thrown away
            os.write(ours, b"\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\\x1b[?1;2c")

        terminal = threading.Thread(target=answer)
        terminal.start()
        assert not background_colour.ask(timeout=30)
        terminal.join()
    os.close(ours)
