"""The bank of questions: imported, drawn by tag, exported as cards; decks that ask it."""

from __future__ import annotations

import argparse
import io
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import genanki
import pytest
from made_bank import question

from quiz.formats import anki
from quiz.formats.gift import reader
from quiz.formats.table import rows as table_rows
from quiz.parse import parse_question
from quiz.question import Question
from quiz.question_bank import QuestionBank, Taken
from slides.reading.parse import parse_slide
from slides.reading.split import load
from tui.commands.learning.quiz import files
from tui.deck import questions_directive


def test_an_import_says_what_was_new_changed_and_there(bank: QuestionBank) -> None:
    assert bank.all() == [] and bank.draw(["ring"], 3, "s") == [] and bank.tags() == {}
    assert bank.put([question(1, "Ring"), question(2, "ring", "bytes")]) == Taken(2, 0, 0)
    changed = [question(1, "Ring"), question(2, "tree"), question(3)]
    assert bank.put(changed) == Taken(1, 1, 1, ("q2",)) and bank.tags() == {"ring": 2, "bytes": 1}
    assert bank.put(changed, replaces=True) == Taken(1, 1, 1)
    assert bank.tags() == {"ring": 1, "tree": 1}
    assert [q.id for q in bank.all()] == ["q1", "q2", "q3"] and bank.all(["RING"]) == [question(1, "Ring")]


def test_the_same_questions_are_drawn_by_the_same_seed(bank: QuestionBank) -> None:
    bank.put([question(n, "ring" if n % 2 else "tree", "all") for n in range(40)])
    drawn = bank.draw(["ring", "all"], 5, "monday")
    assert drawn == bank.draw(["ring", "all"], 5, "monday") and len({q.id for q in drawn}) == 5
    assert all("ring" in q.tags for q in drawn)
    assert drawn != bank.draw(["ring", "all"], 5, "tuesday")
    assert len(bank.draw(["ring"], 99, "x")) == 20


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


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    files.configure(parser.add_subparsers(dest="quiz_command"))
    return files.main(parser.parse_args(words))


def asking(folder: Path, stem: str, name: str = "deck.md") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"# A\n\n::: quiz {{#q}}\n{stem}\n\n- [x] a\n- [ ] b\n:::\n")
    return file


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QuestionBank:
    monkeypatch.setattr(files, "bank_path", lambda: tmp_path / "bank.sqlite")
    return QuestionBank(tmp_path / "bank.sqlite")


def test_two_decks_of_one_name_keep_their_questions(mine: QuestionBank, tmp_path: Path, capsys: Any) -> None:
    one, two = asking(tmp_path / "a", "One?"), asking(tmp_path / "b", "Two?")
    assert run("import", str(one)) == run("import", str(two)) == 0
    assert {q.id: q.stem for q in mine.all()} == {"deck-md/q": "One?", "deck-md-2/q": "Two?"}
    assert "called deck-md-2 here" in capsys.readouterr().err
    assert run("import", str(one), str(two)) == 0 and len(mine.all()) == 2


def test_nothing_is_replaced_that_was_not_asked_for(mine: QuestionBank, tmp_path: Path, capsys: Any) -> None:
    file = asking(tmp_path / "a", "One?")
    run("import", str(file))
    asking(tmp_path / "a", "Another one?")
    assert run("import", str(file)) == 1
    assert [q.stem for q in mine.all()] == ["One?"]
    said = capsys.readouterr().err
    assert "deck-md/q" in said and str(file) in said and "--replace" in said
    assert run("import", "--json", str(file)) == 1 and '"replaces": ["deck-md/q"]' in capsys.readouterr().out
    assert run("import", str(file), "--as", "new") == 0 and len(mine.all()) == 2
    assert run("import", str(file), "--as", "deck-md", "--replace") == 0
    assert {q.stem for q in mine.all()} == {"Another one?"}


def test_a_bank_from_before_files_were_written_down_goes_on(mine: QuestionBank, tmp_path: Path) -> None:
    with closing(sqlite3.connect(mine.path)) as db:
        db.executescript(
            "CREATE TABLE question (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;"
            "CREATE TABLE tag (tag TEXT, id TEXT REFERENCES question, PRIMARY KEY (tag, id)) WITHOUT ROWID;"
            "PRAGMA user_version = 1;"
        )
        options = b'[{"text":"a","right":true},{"text":"b"}]'
        body = b'{"id":"deck-md/q","kind":"single","stem":"One?","options":' + options + b"}"
        db.execute("INSERT INTO question VALUES ('deck-md/q', ?)", (body,))
        db.commit()
    file = asking(tmp_path / "a", "One?")
    assert [q.stem for q in mine.all()] == ["One?"] and mine.origins() == {"deck-md/q": ""}
    assert run("import", str(file)) == 0 and len(mine.all()) == 1  # it is this very one
    asking(tmp_path / "a", "Two?")
    assert run("import", str(file)) == 1 and run("import", str(file), "--replace") == 0
    assert mine.origins() == {"deck-md/q": str(file)}


def notes(made: Path) -> dict[str, str]:
    """What a package of Anki holds, by the id it knows a note by."""
    with zipfile.ZipFile(made) as packed:
        packed.extract("collection.anki2", made.parent)
    with closing(sqlite3.connect(made.parent / "collection.anki2")) as db:
        return dict(db.execute("SELECT guid, flds FROM notes").fetchall())


def test_cards_of_two_decks_are_two_and_of_one_deck_the_same(tmp_path: Path, capsys: Any) -> None:
    found = []
    for folder, stem in (("a", "One?"), ("b", "Two?"), ("a", "One and a half?")):
        made = tmp_path / folder / "cards.apkg"
        assert run("export", str(asking(tmp_path / folder, stem)), "-o", str(made)) == 0
        found.append(notes(made))
    assert found[0].keys() == found[2].keys() != found[1].keys()


def test_cards_of_two_banks_with_a_deck_of_one_name_are_two(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two teachers, each with a `deck.md` in a bank of their own, and a pupil who learns from both."""
    found = []
    for who, stem in (("ada", "One?"), ("bob", "Two?"), ("ada", "One and a half?")):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / who / "data"))
        made = tmp_path / who / "cards.apkg"
        assert run("import", "--replace", str(asking(tmp_path / who, stem))) == 0
        assert run("export", "-o", str(made)) == 0
        found.append(notes(made))
    assert found[0].keys() == found[2].keys() and not found[0].keys() & found[1].keys()
    assert run("export", "--as", "ours", "-o", str(made)) == 0
    assert not notes(made).keys() & found[2].keys()


def test_a_bank_from_before_banks_had_names_keeps_its_cards(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert run("import", str(asking(tmp_path / "a", "One?"))) == 0
    bank = QuestionBank(tmp_path / "data" / "teachrun" / "bank.sqlite")
    assert len(bank.known_as()) == 32 and QuestionBank(tmp_path / "none").known_as() == ""
    with closing(sqlite3.connect(bank.path)) as db:
        db.execute("DROP TABLE known_as")
    made = tmp_path / "cards.apkg"
    assert bank.known_as() == "" and run("export", "-o", str(made)) == 0
    assert list(notes(made)) == [genanki.guid_for("teachrun", bank.all()[0].id)]


def test_cards_from_a_pipe_need_a_name(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "cards.apkg"
    for name in ([], ["--as", "talk"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"::q:: Is it? {T}\n")))
        assert run("export", "-", "--format", "gift", *name, "-o", str(made)) == (0 if name else 2)
    assert "--as NAME" in capsys.readouterr().err


def test_a_card_is_of_its_file_however_that_is_named(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck, made = asking(tmp_path / "a", "One?"), tmp_path / "cards.apkg"
    (tmp_path / "b").mkdir()
    (tmp_path / "link.md").symlink_to(deck)
    monkeypatch.chdir(tmp_path / "b")
    found = []
    for name in (str(deck), f"../a/{deck.name}", "../link.md"):
        assert run("export", name, "-o", str(made)) == 0
        assert f"Anki knows these by {deck.resolve()}: a renamed" in capsys.readouterr().err
        found.append(notes(made).keys())
    assert found[0] == found[1] == found[2]
    moved = deck.rename(tmp_path / "moved.md")
    known = []
    deck.write_text(moved.read_text())
    for name in (deck, moved):
        assert run("export", str(name), "--as", "talk", "-o", str(made)) == 0
        assert "renamed" not in capsys.readouterr().err
        known.append(notes(made).keys())
    assert known[0] == known[1] != found[0]


def test_a_question_that_is_called_by_its_place_replaces_no_other(tmp_path: Path, capsys: Any) -> None:
    deck, made = tmp_path / "deck.md", tmp_path / "cards.apkg"
    asks = "::: quiz\n{}?\n\n- [x] yes\n- [ ] no\n:::\n".format
    found = []
    for stems in (("One", "Two"), ("Zero", "Zero", "One", "Two")):
        deck.write_text("\n---\n\n".join(map(asks, stems)))
        assert run("export", str(deck), "-o", str(made)) == 0
        found.append(notes(made))
        assert "without an id" in capsys.readouterr().err
    before, after = found
    assert (len(before), len(after)) == (2, 4)
    assert all(after[guid] == text for guid, text in before.items())


def test_cards_have_formulas_choices_and_every_explanation(tmp_path: Path, capsys: Any) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(
        "::: quiz {#n}\nHow much is $2(n-1)/n$ of $$S < T$$?\n\n= 16 GB\n  > Sixteen $B$.\n"
        "~ 28 GB\n  > Weights.\n:::\n\n---\n\n"
        "::: quiz {#c}\nA {{ring|~tree|~star}} costs \\$5.\n:::\n\n---\n\n"
        "::: poll\nHow?\n\n- a\n- b\n:::\n"
    )
    assert run("export", str(deck), "-o", str(tmp_path / "cards.apkg")) == 0
    held = "\n".join(notes(tmp_path / "cards.apkg").values())
    assert (
        r"\(2(n-1)/n\)" in held
        and r"\[S &lt; T\]" in held
        and r"Sixteen <" in held
        and "$" not in held.replace("$5", "")
    )
    assert "28 GB ✗: Weights." in held and "ring · star · tree" in held
    said = capsys.readouterr().err
    assert "2 cards written" in said and "1 question left out" in said


def test_an_export_counts_what_it_wrote_and_tells_each_loss(tmp_path: Path, capsys: Any) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(
        "::: quiz {#n}\nHow much?\n\n= 16.6 ± 0.1 GB\n= 16500 MB\n:::\n\n---\n\n"
        "::: poll {#p}\nHow?\n\n- a\n- b\n:::\n\n---\n\n"
        "::: quiz {#c}\nA {{ring}} of {{4}}.\n:::\n"
    )
    made = tmp_path / "deck.gift"
    assert run("export", str(deck), "-o", str(made)) == 0
    said = capsys.readouterr().err
    assert "3 questions written" in said and "1 question left out" in said
    assert "n: left out: the unit GB" in said and "=16.5:0" in made.read_text()
    bank = reader.read(made.read_text())
    assert len(bank.questions) == 3 and not bank.troubles


@pytest.mark.parametrize("name", ["exam.xlsx", "exam.gift", "exam"])
def test_a_workbook_is_no_text(tmp_path: Path, capsys: Any, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("xl/workbook.xml", "<workbook/>")
    assert run("check", str(tmp_path / name)) == 2
    said = capsys.readouterr().err
    assert "an Excel workbook" in said and "save it as CSV" in said


def test_a_pipe_that_nobody_writes_into_is_not_waited_for(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slides.reading.from_disk.source.WRITER_WITHIN_S", 0.0)
    os.mkfifo(pipe := tmp_path / "exam.gift")
    assert run("check", str(pipe)) == 2
    assert "a pipe that nobody writes into" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("head", "row", "wrong"),
    [
        ("Item,Key,D1,D2", "What is 2+2?,4,3,5", True),
        ("Aufgabe;Lösung;Falsch 1", "Was ist ein Ring aus Prozessen;ein Kreis;ein Baum", True),
        ("What is 2+2?,4,3", "What is 3+3?,6,5", False),
        ("DDP,copies,splits", "FSDP,splits,copies", False),
        ("question,right,wrong", "What?,a,b", False),
    ],
)
def test_a_head_without_questions_is_no_question(head: str, row: str, wrong: bool) -> None:
    bank = table_rows.read(f"{head}\n{row}\n")
    assert bool(bank.troubles) is wrong and bool(bank.questions) is not wrong
    if wrong:
        assert bank.troubles[0].line == 1 and "`question`" in bank.troubles[0].mend


def test_a_deck_pulls_questions_of_a_file_by_tag(tmp_path: Path) -> None:
    found = load(deck(tmp_path, "::: questions exam.gift tags=ring n=2"), pull=questions_directive.pull)
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
    found = load(deck(tmp_path, line), pull=questions_directive.pull)
    (problem,) = found.problems
    assert problem.line == 3 and says in problem.message and problem.mend
    assert "No question here" in found.source and len(found.slides) == 2


def test_a_fence_left_open_on_a_slide_above_takes_no_question_away(tmp_path: Path) -> None:
    path = deck(tmp_path, "::: questions exam.gift tags=ring")
    path.write_text("```python\nopen\n\n---\n\n::: questions exam.gift tags=ring\n")
    found = load(path, pull=questions_directive.pull)
    assert "::: quiz" in found.source and "::: questions" not in found.source


def test_a_deck_that_asks_for_nothing_is_left_alone(tmp_path: Path) -> None:
    assert questions_directive.pull("# One\n", tmp_path / "deck.md") is None
