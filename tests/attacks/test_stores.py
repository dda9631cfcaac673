"""kill -9 at any moment and a disk without room: nothing confirmed is lost, nothing half written is left."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue

import pytest
from made_deaths import killed, room_for

from quiz.question import Option, Question
from quiz.question_bank import BankError, QuestionBank
from quiz.study.records import Answer
from quiz.study.store import Progress
from runtime import paths
from runtime.atomic_write import put
from runtime.classroom.actions import Begin, Deck, Move
from runtime.classroom.journal import Journal, read
from runtime.host import consent
from runtime.phones.seats import Seats
from tui import cli
from tui.recording.cast_writer import Writer

DEATHS, SOAK = 6, 100
times = pytest.mark.parametrize(
    "deaths", [DEATHS, pytest.param(SOAK, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)
OLD, NEW = "old " * 5000, "new " * 30_000


def question(n: int) -> Question:
    options = (Option("a" * 300, True), Option("b", False))
    return Question(f"q{n}", "single", f"How many are {n}?", options, line=0)


def answer(n: int) -> Answer:
    at = MONDAY + timedelta(minutes=n)
    return Answer(
        "c", "ddp", f"q{n}", "single", (1,), (), True, 1.0, 1.0, 4.0, None, at, ("ring",), sitting="s"
    )


# -- kill -9 ---------------------------------------------------------------------------------------------


@times
def test_the_journal(tmp_path: Path, deaths: int) -> None:
    rng = random.Random(deaths)
    path = tmp_path / "journal.jsonl"
    for _ in range(deaths):
        before = len(read(path))
        journal = Journal(path)
        done = killed(lambda n, j=journal: j.append(Move("x" * 3000, n)), rng)
        entries = read(path)
        assert len(entries) - before in (done, done + 1)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def test_the_disk_is_asked_to_keep_a_journal_by_another_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And once for what came meanwhile: a class does not wait for a disk."""
    began, goes_on, flushed = Queue[int](), threading.Event(), Queue[int]()
    path = tmp_path / "journal.jsonl"

    def slow(fd: int) -> None:
        assert threading.current_thread() is not threading.main_thread()
        size = os.fstat(fd).st_size
        began.put(size)
        goes_on.wait()
        flushed.put(size)

    monkeypatch.setattr(os, "fsync", slow)
    journal = Journal(path)
    journal.keep_flushed(every_s=0.0)
    journal.append(Move("a", 0))
    first = began.get()
    for n in range(20):
        journal.append(Move("b", n))
    assert first < path.stat().st_size and flushed.empty()
    goes_on.set()
    assert [flushed.get(), flushed.get()] == [first, path.stat().st_size]
    assert flushed.empty()


@times
def test_the_progress_of_a_student(tmp_path: Path, deaths: int) -> None:
    rng = random.Random(deaths)
    for death in range(deaths):
        path = tmp_path / f"{death}.sqlite"

        def write(n: int, path: Path = path) -> None:
            progress = Progress(path)
            progress.record(answer(n))
            assert not progress.trouble
            progress.close()

        done = killed(write, rng)
        progress = Progress(path)
        assert not progress.trouble
        assert len(progress.answers("s")) in (done, done + 1)
        progress.close()


@times
def test_the_seats_of_phones(tmp_path: Path, deaths: int) -> None:
    rng = random.Random(deaths)
    path = tmp_path / "seats.jsonl"
    tokens: dict[str, str] = {}
    code = Seats(path).code
    for _ in range(deaths):
        held, given = Seats(path), tmp_path / "given"
        before = len(held)

        def take(n: int, seats: Seats = held, given: Path = given) -> None:
            taken = seats.take()
            assert taken is not None
            with given.open("a") as out:
                out.write(f"{taken[0].id} {taken[1]}\n")

        done = killed(take, rng)
        seats = Seats(path)
        assert seats.code == code and len(seats) - before in (done, done + 1)
        tokens |= dict(row.split() for row in given.read_text().splitlines() if len(row.split()) == 2)
        found = {id: seats.find(token) for id, token in tokens.items()}
        assert all(seat is not None and seat.id == id for id, seat in found.items())


@times
def test_the_bank(tmp_path: Path, deaths: int) -> None:
    rng = random.Random(deaths)
    for death in range(deaths):
        bank = QuestionBank(tmp_path / f"{death}.sqlite")
        done = killed(lambda n, bank=bank: bank.put([question(n)]), rng)
        assert len(bank.all()) in (done, done + 1)


@times
def test_what_was_agreed_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int) -> None:
    rng = random.Random(deaths)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n")
    for death in range(deaths):
        blocks = [consent.snippet("python", f"print({death}, {n})") for n in range(1, 201)]
        done = killed(lambda n, blocks=blocks: consent.agree(deck, [blocks[n - 1]]), rng)
        assert consent.missing(deck, blocks[:done]) == ()


@times
def test_a_recording(tmp_path: Path, deaths: int) -> None:
    """It is appended to by a thread: what is in the file is whole, but for the line that was cut."""
    rng = random.Random(deaths)
    for death in range(deaths):
        path = tmp_path / f"{death}.cast"
        made: list[Writer] = []

        def write(n: int, path: Path = path, made: list[Writer] = made) -> None:
            if not made:
                made.append(Writer(path, {"version": 2, "width": 80, "height": 24}))
            made[0].put("o", f"{n} " * 2000)

        killed(write, rng, most=2000)
        lines = path.read_bytes().split(b"\n") if path.exists() else [b"{}"]
        for row in lines[:-1]:
            json.loads(row)


@times
@pytest.mark.parametrize("kept", ["file", "link"])
def test_a_file_that_is_written_over(tmp_path: Path, deaths: int, kept: str) -> None:
    rng = random.Random(deaths)
    real = tmp_path / "there" / "notes.md"
    real.parent.mkdir()
    target = real if kept == "file" else tmp_path / "notes.md"
    if kept == "link":
        target.symlink_to(real)
    for _ in range(deaths):
        real.write_text(OLD)
        real.chmod(0o640)
        killed(lambda n: put(target, NEW), rng)
        assert real.read_text() in (OLD, NEW)
        assert target.is_symlink() == (kept == "link") and real.stat().st_mode & 0o777 == 0o640


def a_class(deck: Path) -> str:
    """Its id: each slide of the deck was shown for longer than it says, so there are times to write."""
    class_id, at = paths.new_class_id(), iter(range(0, 10**6, 70))
    journal = Journal(paths.journal_file(class_id), lambda: float(next(at)))
    for action in (Begin("t", "1", "seed"), Deck("r", "t", str(deck))):
        journal.append(action)
    for n in range(4):
        journal.append(Move(f"s{n}", 0))
    return class_id


@times
@pytest.mark.parametrize("name", ["convert", "report --write"])
def test_a_command_that_is_killed_leaves_the_file_or_all_of_the_new_one(
    tmp_path: Path, deaths: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(folder, str(tmp_path / "state"))
    rng = random.Random(deaths)
    target, theirs = tmp_path / "deck.md", tmp_path / "theirs.md"
    slides = [f"<!-- slide: {{id: s{n}, time: 9}} -->\n# {n}\n\n" + "words\n" * 60 for n in range(4)]
    before = "\n---\n\n".join(slides)
    theirs.write_text("---\nmarp: true\n---\n\n" + "\n\n---\n\n".join(["# A\n\n" + "words\n" * 60] * 4))
    argv = ["convert", str(theirs), "-o", str(target), "--force"]
    if name != "convert":
        argv = ["class", "report", a_class(target), "--write", str(target), "--yes"]
    target.write_text(before)
    assert cli.main(argv) == 0  # once, to know what it writes; and all that it imports is there
    after = target.read_text()
    assert after != before

    for _ in range(deaths):
        target.write_text(before)
        killed(lambda n: cli.main(argv), rng)
        assert target.read_text() in (before, after)
        assert {file.name for file in tmp_path.iterdir()} - {"state"} <= {"deck.md", "theirs.md"} | {
            file.name for file in tmp_path.glob(".*")
        }


# -- no room ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 1, 100, 511, 4096, 5000])
def test_a_journal_goes_on_when_there_is_room_again(tmp_path: Path, room: int) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    for n in range(3):
        journal.append(Move("x" * 100, n))
    whole = path.stat().st_size
    with room_for(whole + room):
        for n in range(40):
            journal.append(Move("y" * 200, n))
        assert journal.failed
        assert len(read(path)) >= 3
        for row in path.read_bytes().splitlines():
            json.loads(row)  # what is there is whole
    journal.append(Move("z", 0))
    assert not journal.failed
    assert [entry.seq for entry in read(path)] == list(range(1, 45))


def test_a_disk_that_hangs_holds_no_class_and_gets_everything_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opens a pipe to write waits in the kernel until somebody reads, as on a disk that hangs."""
    monkeypatch.setattr("runtime.classroom.journal.HANGS_S", 0.2)
    journal = Journal(path := tmp_path / "journal.jsonl")
    journal.append(Move("x", 0))
    path.rename(whole := tmp_path / "whole")
    os.mkfifo(path)
    for n in range(50):
        journal.append(Move("y", n))
    assert journal.failed == "the disk takes nothing" and not journal.keep()
    assert len(journal.entries) == 51
    with path.open("rb") as disk:
        while not journal.keep():
            pass
        assert not journal.failed
        os.set_blocking(disk.fileno(), False)
        said = disk.read()
    (tmp_path / "rest").write_bytes(whole.read_bytes() + said)
    assert [entry.seq for entry in read(tmp_path / "rest")] == list(range(1, 52))


@pytest.mark.parametrize("room", [0, 1, 60, 150])
def test_seats_without_room_are_refused_and_go_on_when_there_is_room_again(tmp_path: Path, room: int) -> None:
    path = tmp_path / "seats.jsonl"
    seats = Seats(path)
    first = seats.take()
    assert first is not None
    with room_for(path.stat().st_size + room):
        with pytest.raises(OSError, match="File too large"):
            for _ in range(3):
                seats.take()
        assert seats.change(first[0].id, out=True) is not None
        assert (out := seats.find(first[1])) is not None and out.out  # though it cannot be written down
    count, last = len(seats), seats.take()
    assert last is not None
    again = Seats(path)
    assert len(again) == count + 1 and again.code == seats.code
    assert (kept := again.find(last[1])) is not None and kept.id == last[0].id


@pytest.mark.parametrize("room", [0, 4096, 20_000])
def test_a_bank_without_room_is_as_it_was(tmp_path: Path, room: int) -> None:
    bank = QuestionBank(tmp_path / "bank.sqlite")
    bank.put([question(n) for n in range(20)])
    size = bank.path.stat().st_size
    with room_for(room and size + room), pytest.raises(BankError):
        bank.put([question(n) for n in range(100, 600)])
    assert len(bank.all()) == 20
    with sqlite3.connect(bank.path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    bank.put([question(777)])
    assert len(bank.all()) == 21


@pytest.mark.parametrize("room", [0, 1000, 70_000])
def test_a_file_without_room_is_as_it_was(tmp_path: Path, room: int) -> None:
    target = tmp_path / "notes.md"
    target.write_text(OLD)
    with room_for(room), pytest.raises(OSError, match="File too large"):
        put(target, NEW)
    assert target.read_text() == OLD and [file.name for file in tmp_path.iterdir()] == ["notes.md"]


def test_consent_without_room_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n")
    consent.agree(deck, ["one"])
    files = {file for file in tmp_path.rglob("*") if file.is_file()}
    with room_for(10), pytest.raises(OSError, match="File too large"):
        consent.agree(deck, ["two"])
    assert consent.missing(deck, ["one", "two"]) == ("two",)
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == files


DECK = "# A\n\n" + "words, and more of them\n\n" * 200 + "- a\n"
WRITING = {
    "convert": ["convert", "{deck}", "-o", "{out}", "--force"],
    "html": ["export", "{deck}", "--html", "-o", "{out}"],
    "markdown": ["export", "{deck}", "--md", "-o", "{out}"],
    "json": ["export", "{deck}", "--json", "-o", "{out}"],
    "pdf": ["export", "{deck}", "--pdf", "-o", "{out}"],
    "gif": ["export", "{deck}", "--gif", "--slide", "1", "-o", "{out}"],
    "webp": ["export", "{deck}", "--webp", "--slide", "1", "-o", "{out}"],
}


@pytest.mark.parametrize("name", WRITING)
def test_commands_without_room_leave_what_was_there(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    deck, out = tmp_path / "deck.md", tmp_path / "out" / "old.txt"
    deck.write_text(DECK)
    out.parent.mkdir()
    out.write_text(OLD)
    argv = [word.format(deck=deck, out=out) for word in WRITING[name]]
    with room_for(100):
        assert cli.main(argv) != 0
    assert out.read_text() == OLD and [file.name for file in out.parent.iterdir()] == ["old.txt"]
    said = capsys.readouterr().err
    assert "Traceback" not in said and str(out) in said and "File too large" in said
    assert cli.main(argv) == 0
    assert out.read_bytes() != OLD.encode()


@pytest.mark.parametrize("room", [0, 100, 2000])
def test_pictures_of_slides_without_room_are_as_they_were(
    tmp_path: Path, room: int, capsys: pytest.CaptureFixture[str]
) -> None:
    deck, out = tmp_path / "deck.md", tmp_path / "out"
    deck.write_text(DECK)
    argv = ["export", str(deck), "--png", "-o", str(out)]
    with room_for(room):
        assert cli.main(argv) != 0
    assert not list(out.iterdir())  # no beginning of one
    assert str(out) in capsys.readouterr().err
    assert cli.main(argv) == 0
    [picture] = out.iterdir()
    before = picture.read_bytes()
    deck.write_text(DECK.replace("words", "other"))
    with room_for(room):
        assert cli.main(argv) != 0
    assert picture.read_bytes() == before and list(out.iterdir()) == [picture]
