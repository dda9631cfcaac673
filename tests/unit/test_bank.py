"""The bank of questions: one transaction, drawn by tag, never touched when not ours; decks that ask it."""

from __future__ import annotations

import resource
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from quiz.bank import BankError, QuestionBank, Taken
from quiz.formats import anki
from quiz.parse import parse_question
from quiz.question import Option, Question
from slides.parse import parse_slide
from slides.split import load
from tui import pulling


def question(n: int, *tags: str, **changes: object) -> Question:
    made = Question(f"q{n}", "single", f"Question {n}?", (Option("a", True), Option("b")), tags=tags)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def bank(tmp_path: Path) -> QuestionBank:
    return QuestionBank(tmp_path / "bank.sqlite")


def test_an_import_says_what_was_new_changed_and_there(bank: QuestionBank) -> None:
    assert bank.all() == [] and bank.draw(["ring"], 3, "s") == [] and bank.tags() == {}
    assert bank.put([question(1, "Ring"), question(2, "ring", "bytes")]) == Taken(2, 0, 0)
    assert bank.put([question(1, "Ring"), question(2, "tree"), question(3)]) == Taken(1, 1, 1)
    assert bank.tags() == {"ring": 1, "tree": 1}
    assert [q.id for q in bank.all()] == ["q1", "q2", "q3"] and bank.all(["RING"]) == [question(1, "Ring")]


def test_the_same_questions_are_drawn_by_the_same_seed(bank: QuestionBank) -> None:
    bank.put([question(n, "ring" if n % 2 else "tree", "all") for n in range(40)])
    drawn = bank.draw(["ring", "all"], 5, "monday")
    assert drawn == bank.draw(["ring", "all"], 5, "monday") and len({q.id for q in drawn}) == 5
    assert all("ring" in q.tags for q in drawn)
    assert drawn != bank.draw(["ring", "all"], 5, "tuesday")
    assert len(bank.draw(["ring"], 99, "x")) == 20


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
        writer.executemany("INSERT INTO question VALUES (?, ?)", rows)
        for suffix in ("", "-journal"):
            Path(f"{killed.path}{suffix}").write_bytes(Path(f"{bank.path}{suffix}").read_bytes())
    assert killed.all() == [question(1)] and not Path(f"{killed.path}-journal").exists()


def test_a_bank_that_is_not_ours_to_write(
    bank: QuestionBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank.put([question(1)])
    monkeypatch.setattr("quiz.bank.WAIT_S", 0.05)
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
    with pytest.raises(BankError, match="no bank"):
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


def test_cards_for_anki_hold_question_and_answer(tmp_path: Path) -> None:
    cloze = parse_question("c", "", {}, "Ring {{all-reduce}} on {{4|~8}}", 2)
    assert isinstance(cloze, Question)
    made = tmp_path / "cards.apkg"
    losses = anki.write([question(1, "a b", explain="**why**"), cloze, question(2, kind="poll")], made)
    assert [loss.id for loss in losses] == ["q2"]
    with zipfile.ZipFile(made) as packed:
        packed.extract("collection.anki2", tmp_path)
    with sqlite3.connect(tmp_path / "collection.anki2") as db:
        notes = db.execute("SELECT flds, tags FROM notes ORDER BY id").fetchall()
    db.close()
    texts = ["".join(flds.split("\x1f")) for flds, _ in notes]
    assert len(notes) == 2 and any("<strong>why</strong>" in text for text in texts)
    assert (
        any("_____" in text and "all-reduce" in text for text in texts)
        and " a_b " in notes[0][1] + notes[1][1]
    )


GIFT = """\
// [tag:ring]
::Bytes::How many? {=two ~one}

// [tag:ring]
::Steps::Which? {#6}

::Other::Who? {T}
"""


def deck(tmp_path: Path, line: str) -> Path:
    (tmp_path / "exam.gift").write_text(GIFT)
    path = tmp_path / "deck.md"
    path.write_text(f"# One\n\n{line}\n\n---\n\n# Two\n\n```\n::: questions in code\n```\n")
    return path


def test_a_deck_pulls_questions_of_a_file_by_tag(tmp_path: Path) -> None:
    found = load(deck(tmp_path, "::: questions exam.gift tags=ring n=2"), pull=pulling.pull)
    assert found.problems == () and found.files == (str(tmp_path / "exam.gift"),)
    slides = [parse_slide(found, n) for n in range(len(found.slides))]
    assert [slide.title for slide in slides][::2] == ["One", "Two"] and len(slides) == 3
    quizzes = [block for slide in slides for block in slide.blocks if type(block).__name__ == "Quiz"]
    assert {quiz.id for quiz in quizzes} == {"bytes", "steps"}  # type: ignore[union-attr]
    assert found.slides[1].line == 3 and found.slides[2].line == 7


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("::: questions exam.gift tags=ring n=3", "has 2 questions with ring, 3 are asked for"),
        ("::: questions none.gift", "there is no file"),
        ("::: questions ../exam.gift", "outside the deck's folder"),
        ("::: questions exam.gift count=3", "`count=3` is not known"),
        ("::: questions 'open", "quote"),
    ],
)
def test_what_cannot_be_pulled_is_said_on_its_slide(tmp_path: Path, line: str, says: str) -> None:
    found = load(deck(tmp_path, line), pull=pulling.pull)
    (problem,) = found.problems
    assert problem.line == 3 and says in problem.message and problem.mend
    assert "No question here" in found.source and len(found.slides) == 2


def test_a_fence_left_open_on_a_slide_above_takes_no_question_away(tmp_path: Path) -> None:
    path = deck(tmp_path, "::: questions exam.gift tags=ring")
    path.write_text("```python\nopen\n\n---\n\n::: questions exam.gift tags=ring\n")
    found = load(path, pull=pulling.pull)
    assert "::: quiz" in found.source and "::: questions" not in found.source


def test_a_deck_that_asks_for_nothing_is_left_alone(tmp_path: Path) -> None:
    assert pulling.pull("# One\n", tmp_path / "deck.md") is None
