"""When a screen wakes for a clock: only where it shows one."""

from __future__ import annotations

import pytest

from runtime.classroom.actions import Entry, Move, Role, Timer
from runtime.protocol.messages import Ordered
from slides.reading.split import split
from tui.classroom import status
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents


def room(role: Role = "console", meta: str = "") -> Room:
    """A class whose clock runs."""
    session = Session(Contents(split(f"---\n{meta}\n---\n# A\n\n---\n\n# B\n", "d.md")), role=role)
    found = Room(session, lambda what: None)
    found.receive(Ordered(Entry(1, 0.0, "me", "all", Move("a", 0)), 0))
    found.receive(Ordered(Entry(2, 0.0, "me", "all", Timer("start")), 0))
    assert session.state.timer.running
    return found


@pytest.mark.parametrize("role", ["console", "audience"])
def test_a_screen_that_the_room_sees_wakes_for_no_clock(role: Role) -> None:
    shown = room(role)
    assert status.place(shown).elapsed is None and status.until_change(shown, barred=False) is None


@pytest.mark.parametrize("role", ["console", "audience"])
def test_one_that_shows_a_clock_wakes_by_the_second(role: Role) -> None:
    asked = room(role, "audience: clock")
    by_key = room(role)
    by_key.session.shows_clock = True
    for shown in (asked, by_key):
        assert status.place(shown).elapsed is not None
        assert 0 < (status.until_change(shown, barred=False) or 0) <= 1.01


def test_a_console_wakes_by_the_second() -> None:
    shown = room()
    assert 0 < (status.until_change(shown, barred=True) or 0) <= 1.01
    shown.audiences = 1
    assert status.place(shown).elapsed is not None
    assert 0 < (status.until_change(shown, barred=False) or 0) <= 1.01
