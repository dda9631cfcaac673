"""A prediction and what was measured for it are on one screen, at the sizes a class is shown at: nobody
scrolls between the figure and the options."""

from __future__ import annotations

from typing import Literal

import pytest
from read_letters import read

from runtime.classroom import actions
from runtime.classroom.actions import (
    Again,
    Answer,
    AnyAction,
    Entry,
    Hands,
    Lock,
    Measured,
    Move,
    Open,
    Reveal,
)
from runtime.classroom.question_state import Sample
from runtime.classroom.state import ClassState, apply
from slides.drawing.large import read_letters
from slides.drawing.large.letters import letters
from slides.drawing.text import plain
from slides.screen_size import Size
from tui.deck import built_in
from tui.deck.contents import Contents, open_deck
from tui.panes import screen_layout
from tui.rendering.pages.offscreen import Offscreen
from tui.rendering.pages.page import Page

SLIDE, QUESTION = "bucket-size", "seven-buckets"
WHY = ("Only if half of the step were transfer.", "One hopes for that.", "The cores compute.", "Each pays.")
VOTES = {
    "alone": (0, 0, 1, 0),
    "a class": (4, 5, 7, 2),
}


@pytest.fixture(scope="module")
def lesson() -> Contents:
    return Contents(open_deck(built_in.first_lesson()))


def state(votes: tuple[int, ...], stage: str, *, twice: bool = False, hands: bool = False) -> ClassState:
    """The class at that slide, up to the stage."""
    found = ClassState()

    def do(action: AnyAction, screen: str = "") -> None:
        nonlocal found
        found = apply(found, Entry(found.rev + 1, 1000.0 + found.rev, screen, "all", action))

    def vote() -> None:
        for option, count in enumerate(votes):
            for n in range(count):
                do(Answer(QUESTION, (option,)), f"{option}-{n}")

    do(Move(SLIDE, 0))
    do(Open(QUESTION, "single", 4))
    vote()
    if twice:
        do(Again(QUESTION))
        vote()
    if hands:
        do(Hands(QUESTION, (3, 4, 5, 6)))
    if stage != "open":
        do(Lock(QUESTION, (2,), None, 1.0))
        for n in range(6):
            sample = Sample(("one", "seven")[n % 2], f"run{n}", 0.15 + n / 100, "LIVE CPU")
            do(Measured(QUESTION, sample))
    if stage == "revealed":
        do(Reveal(QUESTION, (2,), WHY, "More of it **hides**; what that wins or costs is this machine's."))
    return found


@pytest.mark.parametrize("size", [Size(80, 24), Size(100, 30), Size(160, 45)], ids=str)
@pytest.mark.parametrize("role", ["console", "audience"])
def test_it_never_scrolls(lesson: Contents, size: Size, role: actions.Role) -> None:
    room = size.height - screen_layout.bottom_rows(size.height, role)
    index = lesson.find(SLIDE)
    assert index is not None
    for who, votes in VOTES.items():
        for stage in ("open", "locked", "revealed"):
            for how in ({}, {"twice": True}, {"hands": True}):
                of = Offscreen(lesson, state(votes, stage, **how), role=role)
                lines = of.lines(Page(index, 0), size, room)
                told = (who, stage, how)
                assert not any(plain(line).strip() for line in lines[room:]), told
                text = "\n".join(map(plain, lines))
                if stage == "revealed":
                    assert "measured: time of a step" in text and "median of 3" in text, told
                    assert any(one in text for one in in_any_size("1x: what hides")), told
                    assert any(one in text for one in in_any_size("✓ right")), told


@pytest.mark.parametrize("size", [Size(120, 36), Size(160, 45)], ids=str)
@pytest.mark.parametrize("role", ["console", "audience"])
def test_why_the_right_one_is_right_is_told_to_a_room_in_which_one_or_nobody_voted(
    lesson: Contents, role: actions.Role, size: Size
) -> None:
    index = lesson.find("large-batch")
    assert index is not None
    for votes in ((0, 0, 0, 0), (0, 1, 0, 0)):
        found = ClassState()
        did: list[AnyAction] = [Move("large-batch", 0), Open("same-gradient", "single", 4)]
        did += [Answer("same-gradient", (n,)) for n, count in enumerate(votes) if count]
        did.append(Lock("same-gradient", (2,), None, 1.0))
        did += [
            Measured("same-gradient", Sample(("one", "big")[n % 2], f"run{n}", 1.9, "LIVE CPU"))
            for n in range(4)
        ]
        did.append(Reveal("same-gradient", (2,), WHY, "DDP changes **where** a batch is computed."))
        for action in did:
            found = apply(found, Entry(found.rev + 1, 1000.0, "somebody", "all", action))
        room = size.height - screen_layout.bottom_rows(size.height, role)
        lines = Offscreen(lesson, found, role=role).lines(Page(index, 0), size, room)
        text = "\n".join(map(plain, lines))
        assert WHY[2] in read(text) and "measured: loss" in text, (role, votes, text)


def in_any_size(words: str) -> list[str]:
    return [words, *(in_letters(words, size) for size in ("bold", "low", "slim"))]


def in_letters(words: str, size: Literal["bold", "low", "slim"] = "bold") -> str:
    """The middle row of these words in letters."""
    drawn = letters(words, 200, (size,), 1)
    assert drawn is not None
    return drawn[1]


@pytest.mark.parametrize("size", [Size(160, 45), Size(200, 60)], ids=str)
def test_the_last_row_reads_what_is_asked_and_its_options(lesson: Contents, size: Size) -> None:
    index = lesson.find(SLIDE)
    assert index is not None
    places: dict[str, list[int]] = {}
    for when in ("open", "locked", "revealed"):
        of = Offscreen(lesson, state(VOTES["a class"], when), role="audience")
        rows = list(map(plain, of.lines(Page(index, 0), size, size.height - 1)))
        for words in ("How long is", "0.5x: all of the transfer", "1.3x: seven starts cost more"):
            drawn = [in_letters(words, one) for one in ("bold", "low", "slim")]
            at = [
                n
                for n in range(len(rows) - 2)  # beside a bar only the letters themselves can be found
                if words in read_letters.words(rows[n : n + 3]) or any(one in rows[n + 1] for one in drawn)
            ]
            assert len(at) == 1 and places.setdefault(words, at) == at, (when, words)


def test_its_title_does_not_grow_when_the_panel_of_its_runs_comes(lesson: Contents) -> None:
    index = lesson.find(SLIDE)
    assert index is not None
    of = Offscreen(lesson, state(VOTES["alone"], "locked"), role="console")
    for part in (35, 20):
        assert any(
            "One bucket or seven?" in plain(line)
            for line in of.lines(Page(index, 0), Size(160, 45), 41, part)
        )


def test_what_has_no_room_is_left_to_the_key(lesson: Contents) -> None:
    index = lesson.find(SLIDE)
    assert index is not None
    shown = {}
    for size in (Size(80, 24), Size(100, 30)):
        of = Offscreen(lesson, state(VOTES["a class"], "revealed"), role="console")
        room = size.height - screen_layout.bottom_rows(size.height, "console")
        shown[size] = "\n".join(map(plain, of.lines(Page(index, 0), size, room)))
        assert "explains all" in shown[size] and "a dot is" not in shown[size]
        assert "The cores compute." in shown[size], "why the right one is right goes last"
