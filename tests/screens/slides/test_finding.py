"""Overview, search, history and bookmark by their keys."""

from __future__ import annotations

from typing import Any

import pytest
from made_screen import DECK, Screenful, on_painting, press, snapshot, until
from read_letters import read

from runtime.protocol.messages import Blob
from slides.reading.split import split
from tui.deck import deck_upload
from tui.screens.overlay import Overlay
from tui.screens.slide_finder import Overview

MORE = """

---

<!-- slide: {optional: true, section: Spare} -->
# Time left {#spare}

---

<!-- slide: {hidden: true} -->
# Backup {#backup}

only when asked
"""


async def drawn(pilot: Any, overview: Overview) -> None:
    """Wait until no thumbnail is to be made."""
    await pilot.pause(0.05)
    while overview.working:
        await pilot.pause(0.02)
    await pilot.pause()


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (160, 45)])
async def test_the_overview_shows_the_slides_themselves(size: tuple[int, int]) -> None:
    full = Screenful(DECK + MORE)
    async with full.app.run_test(size=size) as pilot:
        await pilot.press("o")
        assert isinstance(full.app.screen, Overview)
        await drawn(pilot, full.app.screen)
        text = full.text()
        assert "▸1" in text and "now" in text and "The title slide." in text
        if size[1] > 16:
            assert "first words" in text and "second words" in text  # complete, not at its first step
        assert "Practice" in text and "slide 1/6" in text
        await pilot.press("end")
        await drawn(pilot, full.app.screen)
        assert "optional" in full.text() and "hidden" in full.text() and "only when asked" in full.text()
        await pilot.press("o")
        assert not isinstance(full.app.screen, Overlay) and full.session.index == 0
        assert "The title slide." in read(full.text())


async def test_the_overview_goes_by_arrows_and_by_number() -> None:
    full = Screenful(DECK + MORE)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o", "right", "down", "enter")
        assert full.session.slide.id == "long"
        await pilot.press("o", "h", "k", "enter")
        assert full.session.slide.id == "start"
        await pilot.press("o", "4", "enter")
        assert full.session.slide.id == "question"
        await pilot.press("o", "4", "2", "enter")  # there is no slide 42: 2 is meant
        assert full.session.slide.id == "steps"
        await pilot.press("right", "o", "enter")
        assert (full.session.slide.id, full.session.step) == ("steps", 1)  # already here: nothing moves
        await pilot.press("o", "end", "enter")
        assert full.session.slide.id == "backup"


async def test_thumbnails_are_kept() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        while not full.app.classroom.warm:
            await pilot.pause(0.05)
        await pilot.press("o")
        assert isinstance(full.app.screen, Overview)
        await drawn(pilot, full.app.screen)
        thumbnails = full.app.classroom.thumbnails
        assert thumbnails.made == 5
        await pilot.press("right", "left", "escape", "o")
        assert isinstance(full.app.screen, Overview)
        await drawn(pilot, full.app.screen)
        assert thumbnails.made == 5


async def test_a_running_demo_is_seen_and_paints_nothing_below(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("g", "3", "enter")
        block = full.session.contents.demos(2)[0].id
        full.link.receive(snapshot(block))
        await pilot.press("o")
        assert isinstance(full.app.screen, Overview)
        await drawn(pilot, full.app.screen)
        assert "demo runs" in full.text() and "● running 8/50" in full.text()
        full.link.receive(snapshot(block, step=20, ran_s=9.0))
        await pilot.pause(0.1)
        await drawn(pilot, full.app.screen)
        assert "● running 21/50" in full.text()  # its thumbnail moves
        painted: list[object] = []
        undo = on_painting(full.app, painted.append)
        for step in range(8, 14):
            full.link.receive(snapshot(block, step=step, ran_s=9.1))
            await pilot.pause(0.08)
        assert painted == []
        undo()
        await pilot.press("escape")
        await until(pilot, lambda: "13" in full.text() and "LIVE CPU" in full.text())
        assert "13" in full.text() and "LIVE CPU" in full.text()


async def test_a_deck_that_became_shorter_under_the_overview() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        await pilot.press("o", "end")
        other = split("# Only {#only}\n\nwords", "deck.md")
        full.link.receive(Blob(other.rev, deck_upload.for_console(other)))
        await until(pilot, lambda: "▸1" in full.text() and "Only" in full.text())
        assert "▸1" in full.text() and "Only" in full.text()
        await pilot.press("enter")
        assert full.session.slide.id == "only"


async def test_search_goes_to_the_step_that_shows_the_words() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash")
        await pilot.pause(0.1)
        await pilot.press(*"SECOND")
        text = full.text()
        assert "second words" in text and "note  SECRET-NOTE for the second step" in text
        assert "2 lines on 1 slide" in text
        await pilot.press("enter")
        assert (full.session.slide.id, full.session.step) == ("steps", 1)
        await pilot.press("slash", *"qqq")
        await until(pilot, lambda: "no slide or note has these words" in full.text())
        assert "no slide or note has these words" in full.text()
        await pilot.press("enter")
        assert full.session.slide.id == "steps"
        await pilot.press("slash", *"title", "escape")
        assert full.session.slide.id == "steps"


async def test_back_from_a_jump_and_to_the_bookmark() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("H")
        assert "no jump to go back from" in full.text()
        await pilot.press("right", "right", "B")
        assert "slide 2 is the bookmark" in full.text()
        await pilot.press("o", "5", "enter", "g", "1", "enter")
        assert full.session.slide.id == "start"
        await pilot.press("H")
        assert full.session.slide.id == "long" and "back on slide 5" in full.text()
        await pilot.press("B")
        assert (full.session.slide.id, full.session.step) == ("steps", 1)
        await pilot.press("o")
        await until(pilot, lambda: "bookmark" in full.text())
        assert "bookmark" in full.text()
        await pilot.press("escape", "B")
        assert "bookmark cleared" in full.text()


async def test_an_audience_finds_nothing_of_the_kind() -> None:
    full = Screenful(role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        for key in ("o", "slash", "H", "B"):
            await pilot.press(key)
            assert not isinstance(full.app.screen, Overlay)


QUESTIONS = """# One

::: quiz {#a}
A?

- [x] a
- [ ] b
:::

---

# Two

words

---

# Three

<!-- pause -->

::: quiz {#b}
B?

- [x] a
- [ ] b
:::
"""


async def test_a_key_leads_to_the_next_open_question_and_round_again():
    on = Screenful(QUESTIONS)
    async with on.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("right", "Q")
        assert (on.session.index, on.session.step) == (2, 1)
        await pilot.press("Q")
        assert on.session.index == 0
        await pilot.press("1", "enter", "e", "Q")
        assert (on.session.index, on.session.step) == (2, 1)
        await press(pilot, "Q")
        assert "this is the only open question" in on.text()
        await press(pilot, "2", "enter", "e", "Q")
        assert "no question is open" in on.text() and on.session.index == 2
