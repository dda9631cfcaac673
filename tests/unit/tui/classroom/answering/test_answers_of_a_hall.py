"""Answers of a hall come by the dozen a second: each is known at once, and drawn by the next frame."""

from __future__ import annotations

from pathlib import Path

from runtime.classroom.actions import Answer, Entry, Lock, Open
from runtime.protocol.messages import Ordered
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents, open_deck

DECK = "# One\n\n::: quiz {#q}\nWhich?\n\n- [ ] a\n- [x] b\n:::\n"


def test_an_answer_of_somebody_waits_for_the_next_frame_and_a_lock_does_not(tmp_path: Path) -> None:
    """A slide in letters takes tens of milliseconds: drawn for each answer, keys of the teacher waited for
    seconds in a hall of a thousand."""
    deck = tmp_path / "deck.md"
    deck.write_text(DECK)
    session = Session(Contents(open_deck(deck)))
    changes: list[str] = []
    room = Room(session, changes.append)
    room.receive(Ordered(Entry(1, 0.0, "host", "all", Open("q", "single", 2)), 0))
    changes.clear()
    for n in range(50):
        room.receive(Ordered(Entry(2 + n, 0.0, f"phone:{n}", "all", Answer("q", (n % 2,))), 0))
    assert changes == ["words"] * 50
    question = session.question("q")
    assert question is not None and question.counts == (25, 25)
    room.receive(Ordered(Entry(60, 0.0, "another", "all", Lock("q", (), None, 1.0)), 0))
    assert changes[-1] == "place"
