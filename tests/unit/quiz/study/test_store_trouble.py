"""The store of a student: what a kill, a full disk, another study or a broken file costs."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta

import pytest
from made_answers import MONDAY, answer

from quiz.study import schema, store_file
from quiz.study.store import Progress

WRITER = """
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from quiz.study.records import Answer
from quiz.study.store import Progress
progress = Progress(Path(sys.argv[1]))
n = len(progress.answers())
while True:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    made = Answer("c", "l", f"q{n}", "single", (1,), (), True, 1.0, 1.0, 4.0, None, at)
    progress.record(made)
    assert not progress.trouble, progress.trouble
    n += 1
    print(n, flush=True)
"""


def test_a_kill_at_any_moment_costs_at_most_the_answer_in_flight(path):
    said = 0
    for lines in (1, 2, 3, 5, 8):
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(lines):
            said = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        said = max([said, *(int(line) for line in child.stdout.read().split())])
        child.wait()
        progress = Progress(path)
        there = progress.answers()
        assert progress.trouble == ""  # the lock died with its owner
        assert [one.question for one in there] == [f"q{n}" for n in range(len(there))]
        assert said <= len(there) <= said + 1
        assert len(progress.due(MONDAY + timedelta(days=999))) == len(there)
        progress.close()


def test_a_second_study_says_who_has_it_and_goes_on_in_memory(path):
    first = Progress(path, "process 77 on pts/3")
    first.record(answer("a"))
    second = Progress(path)
    assert "process 77 on pts/3" in second.trouble
    assert second.known
    assert [one.question for one in second.answers()] == ["a"]
    second.record(answer("b"))
    assert [one.question for one in second.answers()] == ["a", "b"]
    assert second.unsaved == 1
    first.record(answer("c"))
    first.close()
    second.see("distributed", "ddp", "d", MONDAY)  # the first one is gone: this one writes now, all of it
    assert (second.trouble, second.unsaved) == ("", 0)
    assert [one.question for one in second.answers()] == ["a", "c", "b"]
    second.close()
    assert [one.question for one in Progress(path).answers()] == ["a", "c", "b"]


def test_a_full_disk_is_said_and_what_was_answered_is_written_when_there_is_room(path, monkeypatch):
    disks: list[sqlite3.Connection] = []
    opened = store_file.opened
    monkeypatch.setattr(store_file, "opened", lambda path: disks.append(opened(path)) or disks[-1])
    progress = Progress(path)
    progress.record(answer("a"))
    (disk,) = disks
    pages = disk.execute("PRAGMA page_count").fetchone()[0]
    disk.execute(f"PRAGMA max_page_count = {pages}")
    n = 0
    while not progress.trouble:
        progress.record(answer(f"b{n}", text=("x" * 500,)))
        n += 1
    assert "full" in progress.trouble
    progress.record(answer("last"))
    assert progress.unsaved == 2
    held = [one.question for one in progress.answers()]
    assert held == ["a", *(f"b{k}" for k in range(n)), "last"]
    disk.execute("PRAGMA max_page_count = 100000")
    progress.record(answer("after"))
    assert progress.trouble == ""
    assert progress.unsaved == 0
    progress.close()
    assert [one.question for one in Progress(path).answers()] == [*held, "after"]


def test_no_room_for_a_single_byte(path):
    """As on a disk that is full before the first start."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        progress = Progress(path)
        progress.record(answer("a"))
        assert progress.trouble.startswith("the disk does not take it: make room")
        assert [one.question for one in progress.answers()] == ["a"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    progress.close()
    assert progress.unsaved == 0
    assert [one.question for one in Progress(path).answers()] == ["a"]


def test_what_can_only_be_kept_schedules_nothing(path):
    progress = Progress(path)
    said = answer("why", right=None, points=0.0, out_of=0.0, kind="essay", measured='{"x": 1}')
    progress.record(said)
    assert progress.answers() == [said]
    assert progress.card("ddp", "why") is None
    assert progress.topics() == []
    row = progress.export()["answers"][0]
    assert (row["right"], row["rated"], row["measured"]) == (None, None, {"x": 1})


def test_a_card_that_is_broken_stops_nothing(path):
    progress = Progress(path)
    for name in ("a", "b"):
        progress.record(answer(name))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE card SET state = '{' WHERE question = 'a'")
    assert [card.question for card in progress.due(MONDAY + timedelta(days=3))] == ["a", "b"]
    assert progress.export()["cards"][0]["state"] == "{"
    progress.record(answer("a"))
    assert progress.card("ddp", "a") == progress.card("ddp", "b")
    assert progress.trouble == ""


def test_locked_by_another_program(path, monkeypatch):
    monkeypatch.setattr(store_file, "WAIT_S", 0.01)
    progress = Progress(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    progress.record(answer("a"))
    assert "in use" in progress.trouble
    other.execute("COMMIT")
    progress.record(answer("b"))
    assert progress.trouble == ""
    progress.close()
    assert len(Progress(path).answers()) == 2


def test_a_newer_schema_is_not_touched(path):
    Progress(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {schema.SCHEMA + 1}")
    db.close()
    before = path.read_bytes()
    progress = Progress(path)
    assert "newer teachrun" in progress.trouble
    progress.record(answer())
    assert len(progress.answers()) == 1
    assert not progress.known
    progress.close()
    assert path.read_bytes() == before


def test_what_is_no_database_is_not_touched(path):
    path.write_bytes(b"not a database, but somebody's" * 100)
    progress = Progress(path)
    assert "move it away" in progress.trouble
    progress.record(answer())
    progress.close()
    assert path.read_bytes().startswith(b"not a database")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    progress = Progress(tmp_path / "file" / "progress.sqlite")
    assert progress.trouble
    progress.record(answer())
    assert progress.unsaved == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written_is_still_read(path):
    progress = Progress(path)
    progress.record(answer("a"))
    progress.close()
    path.chmod(0o400)
    again = Progress(path)
    assert "cannot be written" in again.trouble
    assert len(again.answers()) == 1
