"""An estimate on a slide is turned by keys, and every screen of the class sees the bars move."""

from __future__ import annotations

import pytest
from made_screen import Screenful, settle, until

from runtime.classroom.actions import Look, Move
from slides.drawing.large import read_letters

DECK = """\
# Fits {#fits}

::: estimate model=llama3-8b gpu=h100 dp=8 zero=3 seq=8192

---

# After {#after}

words
"""
SIZES = [(160, 45), (100, 30), (80, 24)]


def chosen(screen: Screenful, name: str) -> bool:
    """Whether the bars of this strategy are marked, its name in letters or not."""
    rows = screen.text().split("\n")
    at = [(n, row.index("▸ ") + 2) for n, row in enumerate(rows) if "▸ " in row]
    large = (read_letters.words([row[x : x + 12] for row in rows[n - 1 : n + 2]]) for n, x in at)
    return any(rows[n][x:].startswith(name) for n, x in at) or name in large


@pytest.mark.parametrize("size", SIZES)
async def test_a_slider_is_chosen_and_turned(size: tuple[int, int]) -> None:
    screen = Screenful(DECK)
    async with screen.app.run_test(size=size) as pilot:
        await until(pilot, lambda: "Llama 3 8B" in screen.text())
        assert "8 x H100" in screen.text() and "turn" in screen.text()
        await pilot.press("tab")
        await until(pilot, lambda: "data parallel" in screen.text())
        await pilot.press("right_curly_bracket")
        await until(pilot, lambda: "16 x H100" in screen.text())
        assert "dp=16" in screen.session.state.look.estimate
        await pilot.press("tab", "left_curly_bracket")
        await until(pilot, lambda: chosen(screen, "ZeRO-2"))
        await pilot.press("escape")
        await until(pilot, lambda: "8 x H100" in screen.text() and chosen(screen, "FSDP"))
        assert screen.session.state.look == Look()


async def test_the_room_sees_the_bars_move_and_turns_nothing() -> None:
    room = Screenful(DECK, role="audience")
    async with room.app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: "8 x H100" in room.text())
        await pilot.press("tab", "right_curly_bracket")
        assert not room.session.state.look.estimate
        words = ("model=llama3-8b", "gpu=h100", "dp=64", "zero=1", "seq=8192")
        room.link.order(Look(estimate=words, slider="dp"))
        await until(pilot, lambda: "64 x H100" in room.text() and chosen(room, "ZeRO-1"))
        room.link.order(Move("after", 0))
        room.link.order(Move("fits", 0))
        await until(pilot, lambda: "8 x H100" in room.text() and chosen(room, "FSDP"))


async def test_words_of_a_class_open_no_file() -> None:
    screen = Screenful(DECK)
    async with screen.app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        screen.link.order(Look(estimate=("model=/etc/passwd",), slider="dp"))
        await until(pilot, lambda: "there is no model" in screen.text())
        await pilot.press("right_curly_bracket")
        assert screen.session.state.look.estimate == ("model=/etc/passwd",)
