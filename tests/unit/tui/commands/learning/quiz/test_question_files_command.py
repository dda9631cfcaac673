"""Files of questions as they come: too large, endless, in any encoding, hostile; exports are whole or not."""

from __future__ import annotations

import io
import json
import resource
from pathlib import Path

import pytest

from tui.cli import main
from tui.commands.learning.quiz.files import replace_file
from tui.deck import question_files
from tui.deck.question_files import Refused, read

QUESTION = '<question type="essay"><questiontext><text>Größe?</text></questiontext></question>'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_more_than_the_limit_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (home / "sparse.gift").open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(Refused, match="more than 64 MB"):
        read("sparse.gift")
    monkeypatch.setattr(question_files, "MAX_BYTES", 1000)
    with pytest.raises(Refused, match="more than"):
        read("/dev/zero", "gift")  # it has no end
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Q {T}\n\n" * 500)))
    with pytest.raises(Refused, match="more than"):
        read("-", "gift")


def test_a_file_that_is_refused_is_an_object_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (home / "sparse.gift").open("wb") as file:
        file.truncate(65 << 20)
    for name, says in (("sparse.gift", "more than 64 MB"), ("absent.xml", "cannot be read")):
        assert main(["quiz", "check", name, "--json"]) == 2
        report = json.loads(capsys.readouterr().out)
        assert report["questions"] == 0 and report["format"] is None
        (error,) = report["errors"]
        assert says in error["message"] and error["line"] == 0


@pytest.mark.parametrize("path", ["absent.gift", ".", "a\0b.gift"])
def test_what_is_no_file_is_a_line(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quiz", "check", path, "--format", "gift"]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_text_of_any_encoding(home: Path, encoding: str) -> None:
    (home / "q.txt").write_bytes("::Größe:: Wie groß? {=ja ~nein}\r\n".encode(encoding))
    (question,) = read("q.txt").bank.questions
    assert question.stem == "Wie groß?"


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-15", "koi8-r", "no-such-encoding"])
def test_xml_says_its_own_encoding(home: Path, encoding: str) -> None:
    stem = "Größe?" if encoding in ("utf-8", "iso-8859-15") else "Да?" if encoding == "koi8-r" else "Size?"
    text = f'<?xml version="1.0" encoding="{encoding}"?><quiz>{QUESTION.replace("Größe?", stem)}</quiz>'
    (home / "q.xml").write_bytes(text.encode(encoding if encoding != "no-such-encoding" else "ascii"))
    assert [q.stem for q in read("q.xml").bank.questions] == [stem]


def test_check_tells_errors_and_notes_and_never_raw_text(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = '<file name="\u202ea.png" encoding="hex">AAAA</file>'
    (home / "q.xml").write_text(
        f"<quiz>{QUESTION.replace('</questiontext>', file + '</questiontext>')}</quiz>"
    )
    assert main(["quiz", "check", "q.xml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], told["kinds"], told["errors"]) == (1, {"essay": 1}, [])
    assert "left out" in told["notes"][0]["message"]
    assert main(["quiz", "check", "q.xml"]) == 0
    assert "\u202e" not in "".join(capsys.readouterr())


def test_two_files_with_the_same_ids_are_both_kept(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one.gift", "two.gift"):
        (home / name).write_text("// [id:a]\nQ {T}\n\n// [id:a]\nR {F}\n\nbroken {\n")
    assert main(["quiz", "import", "one.gift", "two.gift", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["new"], [len(rows) for rows in told["errors"].values()]) == (4, [1, 1])
    assert main(["quiz", "import", "one.gift", "missing.gift"]) == 2  # before anything is put in
    assert main(["quiz", "import", "one.gift", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["same"] == 2


def test_questions_of_one_name_in_files_of_one_name_do_not_take_each_others_place(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "exam.gift").write_text("// [id:a]\nQ {T}\n")
    (home / "exam.txt").write_text("// [id:a]\nR {F}\n")
    assert main(["quiz", "import", "exam.gift", "exam.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == 2
    (home / "old").mkdir()
    (home / "old" / "exam.gift").write_text("S {T}\n")
    assert main(["quiz", "import", "exam.gift", "old/exam.gift", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) | {"bank": "", "errors": ""} == {
        "new": 1,
        "changed": 0,
        "same": 1,
        "bank": "",
        "errors": "",
    }


def test_an_export_that_fails_leaves_the_old_file(home: Path) -> None:
    target = home / "out.gift"
    target.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    failed = ""
    try:
        replace_file(str(target), b"x" * 100_000)
    except Refused as error:
        failed = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot be written" in failed and target.read_text() == "old"
    assert [path.name for path in home.iterdir()] == ["out.gift"]


def test_pictures_of_a_question_lie_beside_its_deck(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = '<img src="@@PLUGINFILE@@/r%20ing.png" alt="a ring">'
    file = '<file name="r ing.png" path="/" encoding="base64">aGVsbG8=</file>'
    shown = QUESTION.replace("Größe?", f"<![CDATA[<p>Größe? {image}</p>]]>")
    (home / "q.xml").write_text(f"<quiz>{shown.replace('</questiontext>', file + '</questiontext>')}</quiz>")
    assert main(["quiz", "import", "q.xml"]) == 0 and main(["quiz", "export", "-o", "deck.md"]) == 0
    (picture,) = (home / "deck-files").iterdir()
    assert picture.read_bytes() == b"hello" and picture.suffix == ".png"
    assert f"![a ring](./deck-files/{picture.name})" in (home / "deck.md").read_text()
    assert main(["quiz", "export", "q.xml", "--to", "gift"]) == 0
    assert "left out: files" in capsys.readouterr().err
    assert main(["quiz", "export", "-o", "again.xml"]) == 0
    assert "aGVsbG8=" in (home / "again.xml").read_text()


def test_a_question_of_a_deck_that_is_a_box_is_an_error_with_its_place(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "Who?\n\n- [x] a\n- [ ] b\n:::\n"
    heads = ("{#one kind=single", "{#two kind=riddle}", "{#three}")
    (home / "deck.md").write_text("\n".join(f"::: quiz {head}\n{good}" for head in heads))
    assert main(["quiz", "check", "deck.md", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["kinds"] == {"single": 1}
    assert [(e["line"], e["column"]) for e in report["errors"]] == [(1, 10), (8, 21)]
    assert "not closed" in report["errors"][0]["message"]


@pytest.mark.parametrize("to", ["aiken", "csv", "gift", "markdown", "moodle", "anki"])
def test_an_export_that_can_say_no_question_fails_and_keeps_the_file(
    home: Path, to: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from quiz.formats import anki
    from quiz.formats.nearest_kind import Loss
    from quiz.formats.registry import Format

    (home / "q.gift").write_text("::one:: What is sent? {}\n\n::two:: How? {}\n")
    (home / "out").write_text("what was there")
    gone = [Loss("one", "left out", more=-1), Loss("two", "left out", more=-1)]
    if to == "anki":
        monkeypatch.setattr(anki, "write", lambda questions, file, origin: file.write_bytes(b"") or gone)
    elif to != "aiken":  # the one that can say neither of them
        monkeypatch.setattr(Format, "write", lambda format, questions: ("", gone))
    assert main(["quiz", "export", "q.gift", "--to", to, "-o", "out"]) == 1
    assert "nothing was written: " in (said := capsys.readouterr().err) and "none of 2 questions" in said
    assert (home / "out").read_text() == "what was there"


def test_a_dash_is_stdout_and_no_file_of_that_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "q.gift").write_text("::q:: Is it? {T}\n")
    assert main(["quiz", "export", "q.gift", "--to", "markdown", "-o", "-"]) == 0
    assert "Is it?" in capsys.readouterr().out and not (home / "-").exists()
