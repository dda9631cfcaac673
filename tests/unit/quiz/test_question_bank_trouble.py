"""The bank of questions: one transaction, whatever happens to the disk, and never a file that is not ours."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from made_bank import question

from quiz.question_bank import BankError, QuestionBank


def test_an_import_that_fails_changes_nothing(bank: QuestionBank) -> None:
    bank.put([question(1)])

    def broken():  # type: ignore[no-untyped-def]
        yield question(2)
        raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(BankError, match="full: nothing was changed"):
        bank.put(broken())
    assert [q.id for q in bank.all()] == ["q1"]


def test_an_import_that_was_killed_is_taken_back_by_who_only_reads(
    bank: QuestionBank, tmp_path: Path
) -> None:
    bank.put([question(1)])
    killed = QuestionBank(tmp_path / "killed.sqlite")
    with closing(sqlite3.connect(bank.path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")  # so that pages are written before the end
        writer.execute("BEGIN IMMEDIATE")
        rows = [(f"x{n}", b"y" * 900) for n in range(200)]
        writer.executemany("INSERT INTO question (id, body) VALUES (?, ?)", rows)
        for suffix in ("", "-journal"):
            Path(f"{killed.path}{suffix}").write_bytes(Path(f"{bank.path}{suffix}").read_bytes())
    assert killed.all() == [question(1)] and not Path(f"{killed.path}-journal").exists()


def test_a_bank_that_is_not_ours_to_write(
    bank: QuestionBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank.put([question(1)])
    monkeypatch.setattr("quiz.question_bank.WAIT_S", 0.05)
    with sqlite3.connect(bank.path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BankError, match="in use"):
            bank.put([question(2)])
        assert len(bank.all()) == 1  # readers do not wait
        other.execute("ROLLBACK")
        other.execute("PRAGMA user_version = 99")
    other.close()
    for use in (lambda: bank.put([question(2)]), bank.all):
        with pytest.raises(BankError, match="newer teachrun"):
            use()
    junk = QuestionBank(tmp_path / "junk.sqlite")
    junk.path.write_bytes(b"no database at all " * 100)
    with pytest.raises(BankError, match="not a bank"):
        junk.all()


def test_a_disk_that_takes_no_more_leaves_the_bank_as_it_was(bank: QuestionBank, tmp_path: Path) -> None:
    bank.put([question(1)])
    fresh = QuestionBank(tmp_path / "fresh.sqlite")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    failures = []
    for one in (bank, fresh):
        # Nothing may be written in here but the bank: pytest's own files have the limit too.
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
        try:
            one.put([question(n, stem="long " * 50) for n in range(500)])
        except BankError as error:
            failures.append(str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(failures) == 2 and all("nothing was changed" in failure for failure in failures)
    assert bank.all() == [question(1)] and fresh.all() == [] and fresh.put([question(2)]).new == 1
    assert {path.name for path in tmp_path.iterdir()} == {"bank.sqlite", "fresh.sqlite"}


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE notes (text)")
    theirs.close()
    before = path.read_bytes()
    for use in (lambda: QuestionBank(path).put([question(1)]), QuestionBank(path).all):
        with pytest.raises(BankError, match="another program"):
            use()
    assert path.read_bytes() == before


def test_a_bank_in_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BankError, match="cannot be used"):
        QuestionBank(tmp_path / "file" / "bank.sqlite").put([question(1)])
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(BankError):
        QuestionBank(tmp_path / "folder.sqlite").all()


def test_a_question_broken_in_the_bank_is_no_traceback(bank: QuestionBank) -> None:
    bank.put([question(1)])
    with sqlite3.connect(bank.path) as db:
        db.execute("UPDATE question SET body = '{\"id\": 1'")
    db.close()
    for use in (bank.all, lambda: bank.draw([], 1, "s")):
        with pytest.raises(BankError, match="broken"):
            use()
