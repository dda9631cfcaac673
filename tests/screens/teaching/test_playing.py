"""Space plays the deck by its times, waits where there is something to wait for, and pauses for anybody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from made_screen import Screenful, press, settle, snapshot
from msgspec.structs import replace

from runtime.protocol.messages import Launch
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.playback.autoplay import ANNOUNCE_S, FRAME_S, LINGER_S, LOOK_S, SHORTEST_S, frames, seconds
from tui.playback.narration import ENGINES

TALK = """\
---
title: Playing
lang: hi
---
<!-- slide: {time: 30s} -->
# Start {#start}

one two three four

<!-- pause -->

one two three four five six seven eight nine ten

---

# Notes {#notes}

<!-- notes: First of all this. Then that. -->

---

# Live {#live}

::: demo ddp ranks=4 steps=50 until=20

---

# Question {#question}

::: quiz {#ring kind=single}
How many bytes?

- [ ] S
- [x] 2S
:::

---

# Rounds {#rounds}

::: animate ring ranks=4 chunks=4

---

# The end {#end}
"""


def contents(text: str) -> Contents:
    return Contents(split(text, "deck.md"))


# --- times -----------------------------------------------------------------------------------------------


def test_steps_share_the_slides_time_by_what_there_is_to_read() -> None:
    first, second = seconds(contents(TALK), 0)
    assert first + second == pytest.approx(30)
    assert (first, second) == pytest.approx((30 * 3.26 / 5.78, 30 * 2.52 / 5.78), rel=0.01)


def test_without_a_time_notes_aloud_or_text_in_silence() -> None:
    (notes,) = seconds(contents(TALK), 1)
    assert notes == pytest.approx(LOOK_S + 60 * 6 / 183)
    assert seconds(contents("# Only this\n"), 0) == [pytest.approx(LOOK_S + 60 * 2 / 238)]
    slow = seconds(contents("---\nwords: 100\n---\n<!-- notes: " + "word " * 100 + "-->\n"), 0)
    assert slow == [pytest.approx(60 + LOOK_S)]
    assert seconds(contents("a\n\n<!-- pause -->\n\nb\n"), 0)[1] == SHORTEST_S


def test_steps_of_a_scene_last_as_long_as_their_words_whatever_the_slides_time() -> None:
    deck = contents(TALK)
    steps = deck.slide(4).steps
    assert frames(deck.slide(4)) == frozenset(range(steps - 1))
    own = seconds(deck, 4)
    assert min(own[:-1]) >= FRAME_S and own[1] > 3  # some thirty words
    scene = "::: animate ring ranks=4 chunks=4\n"
    timed = seconds(contents(f"<!-- slide: {{time: 120s}} -->\n{scene}"), 0)
    assert sum(timed) == pytest.approx(120) and timed[:-1] == pytest.approx(own[:-1])
    short = seconds(contents(f"<!-- slide: {{time: 20s}} -->\n{scene}"), 0)
    assert sum(short) == pytest.approx(20)


# --- on the screen ---------------------------------------------------------------------------------------


class Playing(Screenful):
    def __init__(self) -> None:
        super().__init__(TALK)

    def wait(self, seconds: float) -> None:
        """So much time passes at once."""
        self.now += seconds
        self.app.player.tick()

    @property
    def at(self) -> tuple[str, int]:
        return self.session.slide.id, self.session.step

    def sign(self) -> str:
        badge = self.app.player.autoplay.sign()
        return badge.text if badge is not None else ""


async def on(full: Playing, pilot: Any, slide: str) -> None:
    """Play from a slide on."""
    index = full.session.contents.find(slide)
    assert index is not None
    full.app.jumped((index, 0))
    await pilot.press("space")


async def test_space_plays_and_says_so_and_any_move_pauses() -> None:
    full = Playing()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("space")
        assert full.sign() == "▸ plays 0:17" and "▸ plays 0:17" in full.text()
        full.wait(10)
        assert full.at == ("start", 0)
        full.wait(7)
        assert full.at == ("start", 1)
        full.wait(14)
        assert full.at == ("notes", 0)
        await pilot.press("space")
        for key in ("right", "left", "home", "g", "question_mark", "escape"):
            await pilot.press("space")
            assert full.app.player.autoplay.on, key
            await pilot.press(key)
            assert not full.app.player.autoplay.on, key
            await pilot.press("escape")
        await pilot.press("space", "space")
        assert full.sign() == "" and "paused: Space resumes" in full.text()


async def test_another_console_that_moves_pauses_too() -> None:
    from runtime.classroom.actions import Move

    full = Playing()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("space")
        full.link.order(Move("end", 0))
        full.wait(0.2)
        assert not full.app.player.autoplay.on and "somebody else moved" in full.text()


async def test_a_demo_is_begun_and_waited_for() -> None:
    full = Playing()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await on(full, pilot, "live")
        assert full.sign() == "▸ waits for the demo" and not full.links[0].of(Launch)
        full.wait(0.2)
        await settle(pilot)
        assert "ddp starts in 5 seconds: Space pauses" in full.text()  # before anything begins
        full.app.classroom.unsay()
        full.wait(ANNOUNCE_S - 1.0)
        await settle(pilot)
        assert "▶ plays by itself   ddp starts in 0:01   Space or any move pauses" in full.text()
        assert not full.link.of(Launch)
        full.wait(1.0)
        (launch,) = full.link.of(Launch)
        assert (launch.block, launch.params) == ("live/1", {"ranks": "4", "steps": "50"})
        full.wait(500)
        full.link.receive(snapshot("live/1", step=19))
        full.wait(500)
        assert full.at[0] == "live" and len(full.link.of(Launch)) == 1
        full.link.receive(snapshot("live/1", step=20))
        full.wait(0.2)
        assert full.sign() == "▸ plays 0:04"
        full.wait(LINGER_S)
        assert full.at[0] == "question"


@pytest.mark.parametrize("ends", ["done", "failed", "stopped"])
async def test_a_run_that_ends_in_any_way_is_not_waited_for(ends: str) -> None:
    full = Playing()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await on(full, pilot, "live")
        full.wait(ANNOUNCE_S)
        full.link.receive(snapshot("live/1", state=ends, step=3))
        full.wait(0.2)
        full.wait(LINGER_S)
        assert full.at[0] == "question"


async def test_a_budget_of_class_time_is_enough() -> None:
    full = Playing()
    full.session.replace_deck(contents(TALK.replace(" until=20", "")))
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await on(full, pilot, "live")
        full.wait(ANNOUNCE_S)
        ranks = snapshot("live/1").rows
        starting = (*ranks[:3], replace(ranks[3], state="rendezvous", step=None))
        full.link.receive(snapshot("live/1", budget_s=30.0, ran_s=100.0, rows=starting))
        full.wait(60)
        assert full.sign() == "▸ waits for the demo"
        took = {"budget_s": 30.0, "phases": (("rendezvous", 100.0),)}
        full.link.receive(snapshot("live/1", ran_s=129.0, **took))
        full.wait(60)
        assert full.sign() == "▸ waits for the demo"
        full.link.receive(snapshot("live/1", ran_s=130.0, **took))
        full.wait(0.2)
        assert full.sign().startswith("▸ plays")


async def test_a_question_is_waited_for_until_it_is_revealed() -> None:
    full = Playing()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await on(full, pilot, "question")
        full.wait(1000)
        assert full.sign() == "▸ waits for the answer"
        await pilot.press("2", "enter")
        full.wait(1000)
        assert full.at[0] == "question"
        await pilot.press("e")
        full.wait(0.2)
        full.wait(LINGER_S)
        assert full.at[0] == "rounds"


async def test_the_end_stops_it() -> None:
    full = Playing()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await on(full, pilot, "end")
        full.wait(60)
        assert full.sign() == "" and "that was the last step" in full.text()


# --- narration -------------------------------------------------------------------------------------------


async def test_captions_stand_under_the_slide_and_playing_waits_for_the_voice() -> None:
    spoken: list[tuple[list[str], str]] = []
    over = asyncio.Event()

    async def speak(command: list[str], text: str, within_s: float) -> bool:
        spoken.append((command, text))
        await over.wait()
        return True

    full = Playing()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        narrator = full.app.player.narrator
        narrator.find, narrator.speak, narrator.now = lambda: ENGINES[0], speak, lambda: full.now
        await press(pilot, "right", "right", "m")
        assert full.at[0] == "notes"
        assert "First of all this." in full.text() and "narration" in full.text()
        assert spoken == [(["espeak-ng", "-v", "hi", "-s", "183", "--stdin"], "First of all this.")]
        await pilot.press("space")
        full.wait(1000)
        assert full.at[0] == "notes" and full.sign() == "▸ narrates"
        over.set()
        while narrator.speaking:
            await pilot.pause(0.02)
        assert spoken[-1][1] == "Then that."
        full.wait(0.2)
        full.wait(60)
        assert full.at[0] == "live"
        await press(pilot, "m")
        assert "narration" not in full.text() and narrator.sign() is None


SCENES = """\
# Rounds {#rounds}

::: scene ring

---

# Words {#words}

words
"""


async def test_slower_and_faster_pace_the_steps_of_a_scene_and_no_other() -> None:
    full = Screenful(SCENES)
    async with full.app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "# % pace" in full.text() and "Space play" in full.text() and "{ } step" in full.text()
        player = full.app.player.autoplay
        await pilot.press("space")
        usual = player.left_s
        await pilot.press("percent_sign")
        assert player.left_s == pytest.approx(usual / 2)
        await pilot.press("number_sign", "number_sign")
        assert player.left_s == pytest.approx(usual * 2)
        for _ in range(9):
            await pilot.press("percent_sign")
        assert player.pace == 4.0 and "4 times as fast" in full.text()
        place = (full.session.index, full.session.step)
        await pilot.press("right_curly_bracket")
        assert (full.session.index, full.session.step) == (place[0], place[1] + 1)
        await pilot.press("right_square_bracket", "percent_sign")
        await settle(pilot)
        assert full.session.index == 1 and "nothing moves on this slide" in full.text()
        await pilot.press("space")
        assert player.left_s == pytest.approx(seconds(full.session.contents, 1)[0])


async def test_a_scene_plays_to_its_end_and_not_on_to_the_next_slide_and_then_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = Screenful(SCENES)
    async with full.app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        player, last = full.app.player, full.session.slide.steps - 1
        clock = [full.session.now()]
        monkeypatch.setattr(full.session, "now", lambda: clock[0])
        await pilot.press("space")
        assert "plays by itself" in full.text() and "animation" in full.text()
        for _ in range(2 * last):
            clock[0] += 60.0
            player.tick()
        assert (full.session.index, full.session.step) == (0, last) and not player.autoplay.on
        await pilot.press("space")
        assert (full.session.index, full.session.step) == (0, 0) and player.autoplay.on
        clock[0] += 60.0
        player.tick()
        await pilot.press("space")
        assert (full.session.step, player.autoplay.on) == (1, False)
        await pilot.press("space")
        assert (full.session.step, player.autoplay.on) == (1, True)  # from there on


async def test_a_scene_that_plays_starts_no_demo_of_its_slide() -> None:
    full = Screenful("# One {#one}\n\n::: scene ring\n\n::: demo ddp ranks=2\n")
    async with full.app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("space")
        player = full.app.player
        player.tick()
        assert player.autoplay.on and player.autoplay.waits == "" and player.autoplay.starts is None


async def test_a_narrow_footer_names_the_keys_that_play_a_scene_in_space_before_those_of_its_camera() -> None:
    full = Screenful("# Room {#room}\n\n::: scene room\n")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        keys = next(row for row in full.text().splitlines() if "Space play" in row)
        assert "{ } step" in keys and "# % pace" in keys and keys.index("Space play") < keys.index("( ) turn")
