"""Going back after a jump, and the bookmark."""

from __future__ import annotations

from slides.reading.split import split
from tui.classroom.position.jumps_and_bookmark import History
from tui.classroom.session import Session
from tui.deck.contents import Contents

DECK = "\n\n---\n\n".join(f"# S{n} {{#s{n}}}\n\none\n\n<!-- pause -->\n\ntwo" for n in range(6))


def session() -> Session:
    return Session(Contents(split(DECK, "deck.md")), screen="me", now=lambda: 0.0)


def test_back_goes_where_each_jump_began() -> None:
    here = session()
    history = History(here)
    assert not history.back()
    here.next()
    assert history.jump((4, 0)) and history.jump((2, 1))
    here.next()  # a step is no jump
    assert history.back() and (here.index, here.step) == (4, 0)
    assert history.back() and (here.index, here.step) == (0, 1)
    assert not history.back() and here.index == 0


def test_a_jump_to_where_one_is_leaves_no_trace() -> None:
    here = session()
    history = History(here)
    assert not history.jump((0, 0)) and not history.back()


def test_the_bookmark_is_set_gone_to_and_cleared() -> None:
    here = session()
    history = History(here)
    here.next()
    assert history.toggle_bookmark() == "set" and history.bookmark == 0
    history.jump((3, 0))
    assert history.toggle_bookmark() == "gone to" and (here.index, here.step) == (0, 1)
    assert history.back() and here.index == 3  # going to the bookmark is a jump too
    history.toggle_bookmark()
    assert history.toggle_bookmark() == "cleared" and history.bookmark is None
    history.jump((5, 0))
    assert history.toggle_bookmark() == "set" and history.bookmark == 5


def test_another_revision_of_the_deck_keeps_what_it_still_has() -> None:
    here = session()
    history = History(here)
    history.toggle_bookmark()
    history.jump((3, 1))
    history.jump((5, 0))
    here.replace_deck(Contents(split("# New {#new}\n\n---\n\n# S3 {#s3}\n\nonly one step", "deck.md")))
    assert history.bookmark is None
    here.go((0, 0))
    assert history.back() and (here.index, here.step) == (1, 0)
    assert not history.back()
    assert history.toggle_bookmark() == "set" and history.bookmark == 1
