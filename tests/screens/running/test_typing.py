"""A terminal on a slide: it has the keys until it is left, and is seen on every screen."""

from __future__ import annotations

from typing import Any

import pytest
from made_screen import Screenful, until
from textual import events

from runtime.classroom.actions import Look, Run
from runtime.protocol.messages import Grid, Keys, Output, Refused, RunSnippet, StopRun

DECK = """\
# Shell

::: terminal "sh -i" {#sh} timeout=5m

---

# Next
"""


async def no_question(self: Any) -> None:
    """As with a deck that was agreed to."""


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app.TeachApp.ask_to_trust", no_question)


def showing(full: Screenful, *rows: str, state: str = "running", run: str = "r1", x: int = 0) -> None:
    """What a host says of the terminal: its place in the journal, and what it shows."""
    full.link.order(Run("sh", run, 1, "snippet", {"lang": "terminal"}, state))  # type: ignore[arg-type]
    grid = Grid(80, tuple(((row, "", "", 0),) if row else () for row in rows), x, max(0, len(rows) - 1))
    why = "" if state == "running" else "ended"
    full.link.receive(
        Output("sh", run, "terminal", state, why, None, None, 2.0, 300.0, 0, 0, 0, (), screen=grid)
    )


def typed(full: Screenful) -> str:
    return "".join(keys.text for keys in full.link.of(Keys))


async def test_keys_go_to_it_until_it_is_left_and_never_before_it_was_asked_for() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: full.links)
        await pilot.press("R")
        assert full.link.of(RunSnippet) == [RunSnippet("sh", "terminal", "sh -i", 300.0, True)]
        showing(full, "$ ", x=2)
        await until(pilot, lambda: "keys go here" in full.text())
        await until(pilot, lambda: "Ctrl ] leave the terminal" in full.text())
        for key in ("q", "right", "ctrl+c", "escape", "enter", "R"):
            await pilot.press(key)
        assert typed(full) == "q\x1b[C\x03\x1b\rR"
        assert full.session.slide.id == "shell" and not full.link.of(StopRun)
        await pilot.press("ctrl+right_square_bracket")
        await until(pilot, lambda: "keys go here" not in full.text())
        assert "types" in full.text()
        await pilot.press("right")
        assert full.session.slide.id == "next" and typed(full) == "q\x1b[C\x03\x1b\rR"


async def test_it_is_as_large_as_its_pane_on_the_screen_that_types() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: full.links)
        await pilot.press("R")
        showing(full, "$ ")
        await until(pilot, lambda: full.link.of(Keys))
        first = full.link.of(Keys)[-1]
        assert (first.text, first.columns) == ("", 96) and first.rows > 8
        await pilot.resize_terminal(70, 20)
        await until(pilot, lambda: full.link.of(Keys)[-1].columns == 68)
        before = len(full.link.of(Keys))
        showing(full, "$ ls")
        await until(pilot, lambda: "$ ls" in full.text())
        assert len(full.link.of(Keys)) == before  # one size is told once


async def test_what_ends_or_is_refused_gives_the_keys_back() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: full.links)
        await pilot.press("R")
        showing(full, "$ exit")
        showing(full, "$ exit", state="done")
        await pilot.press("right")
        assert full.session.slide.id == "next" and typed(full) == ""
        await pilot.press("left", "R")  # another run of it
        assert len(full.link.of(RunSnippet)) == 2
        await pilot.press("x")  # it is not there yet, and what is typed meanwhile is not a key of ours
        full.link.receive(Refused("sh", "nobody has agreed", "Ctrl R asks again"))
        await pilot.press("right")
        assert full.session.slide.id == "next"


async def test_a_paste_goes_there_and_is_told_as_one() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: full.links)
        await pilot.press("R")
        showing(full, "$ ")
        await full.app.on_event(events.Paste("two\nlines"))
        assert full.link.of(Keys)[-1] == Keys("sh", "two\nlines", True)


async def test_a_follower_sees_it_and_types_nothing() -> None:
    full = Screenful(DECK, role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: full.links)
        full.link.order(Look(snippet="sh"))
        showing(full, "\x1b[31mred\x07", "$ ", x=2)
        await until(pilot, lambda: "red" in full.text())
        assert "TERMINAL" in full.text() and "\x1b" not in full.text()
        await pilot.press("R", "a")
        assert not full.link.of(Keys) and "keys go here" not in full.text()
