"""Going back after a jump, and the bookmark."""

from __future__ import annotations

from slides.reading.split import split
from tui.classroom.history import History
from tui.classroom.session import Session
from tui.deck.contents import Contents

DECK = "\n\n---\n\n".join(f"# S{n} {{#s{n}}}\n\none\n\n<!-- pause -->\n\ntwo" for n in range(6))


def session() -> Session:
    return Session(Contents(split(DECK, "deck.md")), screen="me", now=lambda: 0.0)


def test_back_goes_where_each_jump_began() -> None:
    here = session()
    trail = History(here)
    assert not trail.back()
    here.next()
    assert trail.jump((4, 0)) and trail.jump((2, 1))
    here.next()  # a step is no jump
    assert trail.back() and (here.index, here.step) == (4, 0)
    assert trail.back() and (here.index, here.step) == (0, 1)
    assert not trail.back() and here.index == 0


def test_a_jump_to_where_one_is_leaves_no_trace() -> None:
    here = session()
    trail = History(here)
    assert not trail.jump((0, 0)) and not trail.back()


def test_the_bookmark_is_set_gone_to_and_cleared() -> None:
    here = session()
    trail = History(here)
    here.next()
    assert trail.toggle_bookmark() == "set" and trail.bookmark == 0
    trail.jump((3, 0))
    assert trail.toggle_bookmark() == "gone to" and (here.index, here.step) == (0, 1)
    assert trail.back() and here.index == 3  # going to the bookmark is a jump too
    trail.toggle_bookmark()
    assert trail.toggle_bookmark() == "cleared" and trail.bookmark is None
    trail.jump((5, 0))
    assert trail.toggle_bookmark() == "set" and trail.bookmark == 5


def test_another_revision_of_the_deck_keeps_what_it_still_has() -> None:
    here = session()
    trail = History(here)
    trail.toggle_bookmark()
    trail.jump((3, 1))
    trail.jump((5, 0))
    here.replace_deck(Contents(split("# New {#new}\n\n---\n\n# S3 {#s3}\n\nonly one step", "deck.md")))
    assert trail.bookmark is None
    here.go((0, 0))
    assert trail.back() and (here.index, here.step) == (1, 0)
    assert not trail.back()
    assert trail.toggle_bookmark() == "set" and trail.bookmark == 1
