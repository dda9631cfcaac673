"""Which class is offered to go on with, from journals made here."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from folders import in_folders

from runtime import paths
from runtime.classroom import actions
from runtime.classroom.actions import Entry, Plan, Planned
from runtime.classroom.journal import Journal
from tui.classroom.position.unfinished_class import ENDED_S, LOST_S, find, offer

SLIDES = Plan(None, "", tuple(Planned(id, id) for id in "abc"))
T0 = time.mktime((2026, 3, 10, 14, 0, 0, 0, 0, -1))


def journal(*acts: actions.AnyAction, path: str = "/d/deck.md") -> list[Entry]:
    done = [actions.Begin("c1", "1"), actions.Deck("r", "T", path, SLIDES), actions.Move("a", 0), *acts]
    return [Entry(n, T0 + 60 * n, "s", "all", action) for n, action in enumerate(done, 1)]


STOPPED = journal(actions.Move("b", 0), actions.Move("b", 1))
QUIT = journal(actions.Move("b", 0), actions.Move("b", 1), actions.End("quit"))
DONE = journal(actions.Move("b", 0), actions.Move("c", 0), actions.End("quit"))


def test_a_class_that_stopped_is_offered_with_its_place() -> None:
    assert offer(STOPPED, "/d/deck.md", T0 + 3600) == (
        "The class of 14:04 stopped at slide 2 of 3, 1:00 in. Go on with it?"
    )
    assert "was quit at slide 2" in offer(QUIT, "/d/deck.md", T0 + 600)


@pytest.mark.parametrize(
    ("entries", "path", "later"),
    [
        (STOPPED, "/d/other.md", 3600),
        (STOPPED, "/d/deck.md", LOST_S + 600),
        (QUIT, "/d/deck.md", ENDED_S + 600),
        (DONE, "/d/deck.md", 600),
        (journal(), "/d/deck.md", 600),  # nobody moved: nothing to go on with
        ([], "/d/deck.md", 600),
    ],
)
def test_what_nobody_would_go_on_with_is_not_offered(entries: list[Entry], path: str, later: float) -> None:
    assert offer(entries, path, T0 + later) == ""


def test_the_newest_that_fits_is_found_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_folders(tmp_path, monkeypatch)
    deck = str(tmp_path / "deck.md")
    assert find(deck, time.time()) is None
    for class_id, path in (("mine", deck), ("other", str(tmp_path / "else.md"))):
        held = Journal(paths.journal_file(class_id))
        for entry in journal(actions.Move("b", 0), path=path):
            held.append(entry.action)
    found = find(deck, time.time())
    assert found is not None and found.class_id == "mine" and "slide 2 of 3" in found.question


def test_a_rehearsal_is_no_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_folders(tmp_path, monkeypatch)
    class_id = paths.new_class_id(rehearsal=True)
    assert paths.valid_class_id(class_id) and paths.is_rehearsal(class_id)
    held = Journal(paths.journal_file(class_id))
    for entry in journal(actions.Move("b", 0), path="/d/deck.md"):
        held.append(entry.action)
    assert find("/d/deck.md", time.time()) is None is paths.newest_class()
    assert paths.known_classes(rehearsals=True) == [class_id]


def test_a_class_is_gone_on_with_as_its_deck_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.app_start import offer_of

    in_folders(tmp_path, monkeypatch)
    deck = str(tmp_path / "deck.md")
    held = Journal(paths.journal_file("mine"))
    for action in (
        actions.Begin("mine", "1"),
        actions.Deck("r", "T", deck, SLIDES, "patat"),
        actions.Move("a", 0),
        actions.Move("b", 0),
    ):
        held.append(action)
    (by_itself, as_asked) = offer_of(deck)(), offer_of(deck, "marp")()
    assert by_itself is not None and by_itself.format == "patat"
    assert as_asked is not None and as_asked.format == ""
