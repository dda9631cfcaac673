"""`class forget`: names and seats go, what was answered stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime import paths
from runtime.classroom import forgetting, journal, state
from runtime.classroom.actions import Answer, Begin, Lock, Open
from runtime.phones.seats import Seats
from tui import cli


@pytest.fixture
def held() -> str:
    """A class of three people, two of them by phone."""
    class_id = paths.new_class_id()
    path = paths.journal_file(class_id)
    kept = journal.Journal(path)
    seats = Seats(path.with_name("phones.jsonl"))
    assert seats.take("Ada Lovelace") and seats.take("Bo")
    for action, screen in (
        (Begin(class_id, "0"), ""),
        (Open("q", "single", 2), "c"),
        (Answer("q", (0,), (), "Ada Lovelace"), "phone-1"),
        (Answer("q", (1,), (), "Bo"), "phone-2"),
        (Answer("q", (1,), (), ""), "x"),
        (Answer("q", (1,)), "c"),
        (Lock("q", (1,), 1.0, 1.0), "c"),
    ):
        kept.append(action, screen)
    return class_id


def test_names_and_seats_are_forgotten_and_answers_are_kept(
    held: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = paths.journal_file(held)
    before = state.fold(journal.read(path)).questions["q"]
    assert cli.main(["class", "forget", held, "--yes"]) == 0
    assert "2 names and 2 seats" in capsys.readouterr().out
    after = state.fold(journal.read(path)).questions["q"]
    assert (after.answers, after.counts, after.points) == (before.answers, before.counts, before.points)
    assert after.people == {"phone-1": "person 1", "phone-2": "person 2", "x": ""}
    left = b"".join(file.read_bytes() for file in Path(path.parent).iterdir())
    assert b"Ada" not in left and b'"Bo"' not in left
    assert cli.main(["class", "forget", held, "--yes"]) == 0


def test_nothing_is_forgotten_unasked_or_while_the_class_goes_on(
    held: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["class", "forget", held]) != 0
    assert "--yes" in capsys.readouterr().err
    monkeypatch.setattr(paths, "answers", lambda path: True)
    assert cli.main(["class", "forget", held, "--yes"]) != 0
    assert "is still running" in capsys.readouterr().err
    assert forgetting.known(held)[0] == {"Ada Lovelace", "Bo"}
