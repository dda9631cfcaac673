"""A duel in the class: sides are turned by keys, the room sees it, the best is shown when it is asked for."""

from __future__ import annotations

import pytest
from made_plain import told
from made_screen import Screenful, until
from read_letters import read

from runtime.classroom.actions import Look
from tui.classroom.answering.duel_votes import ballot

DECK = """\
# Who wins {#duel}

::: duel model=llama3-70b gpu=h100 gpus=64 a.tp=8 a.zero=1 a.recompute=full b.zero=3 b.recompute=full

---

# After {#after}

words
"""


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_sides_are_turned_and_the_best_is_shown(size: tuple[int, int]) -> None:
    screen = Screenful(DECK)
    async with screen.app.run_test(size=size) as pilot:
        await until(pilot, lambda: "B wins" in read(screen.text()))
        assert "best known" in screen.text() and "Best of" not in screen.text()
        await pilot.press("tab", "tab", "right_curly_bracket")
        await until(pilot, lambda: "a.pp=2" in screen.session.state.look.estimate)
        assert screen.session.state.look.slider == "a.pp"
        await pilot.press("e")
        await until(pilot, lambda: "Best of" in screen.text())
        await pilot.press("escape")
        await until(pilot, lambda: "Best of" not in screen.text())
        assert screen.session.state.look == Look()


async def test_the_room_sees_it_and_turns_nothing() -> None:
    room = Screenful(DECK, role="audience")
    async with room.app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: "B wins" in read(room.text()))
        await pilot.press("tab", "right_curly_bracket", "e")
        assert room.session.state.look == Look()
        words = ("model=llama3-70b", "gpu=h100", "gpus=64", "a.tp=8", "a.zero=3", "best=1")
        room.link.order(Look(estimate=words, slider="a.zero"))
        await until(pilot, lambda: "A wins" in read(room.text()) and "Best of" in room.text())


def test_in_lines() -> None:
    text, _ = told(
        "layout a.tp=8 a.zero=3 b.tp=7", "layout a.tp=4 a.zero=3", "reveal", "next", "layout", deck=DECK
    )
    assert "side A: tp 8, dp 8, ZeRO-1" in text and "B wins" in text
    assert "b.tp=7 does not divide 64 devices: write tp=4 or 8" in text
    assert "side A: tp 4, dp 16, FSDP" in text and "Best of" in text
    assert "no duel on this slide" in text


async def test_hands_choose_for_a_side() -> None:
    screen = Screenful(DECK)
    async with screen.app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: "B wins" in read(screen.text()))
        await pilot.press("tab", "u")
        await until(pilot, lambda: "side A, tensor parallel" in screen.text())
        asked = ballot(screen.session)
        assert asked is not None and asked.key == "a.tp" and asked.values == (1, 2, 4, 8, 16, 32, 64)
        await pilot.press(*"3 9 9 1 0 0 0", "enter")
        await until(pilot, lambda: "2 and 4 have 9 hands each" in screen.text())
        await pilot.press("ctrl+u", *"3 9 12 1 0 0 0", "enter")
        await until(pilot, lambda: "a.tp=4" in screen.session.state.look.estimate)
        assert "by 12 of 25 hands" in screen.text()


def test_hands_in_lines() -> None:
    text, _ = told("hands 1 2", "hands b.tp 0 5 1 0 0 0 0", "hands c.tp 1", "next", "hands 1", deck=DECK)
    assert "one count for each of 1, 2, 4, 8" in text
    assert "side B, tensor parallel: 2, by 5 of 6 hands" in text and "side B: tp 2" in text
    assert "c.tp is not a choice of a side" in text and "no question or duel here" in text
