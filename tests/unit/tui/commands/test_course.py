"""`teachrun list lessons` and `teachrun course`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import teachrun
from tui import cli
from tui.deck.built_in import deck_file
from tui.study import course


def written(folder: Path, name: str, head: str = "time: 45m") -> Path:
    file = folder / name
    file.write_text(f"---\ntitle: Of {name[3:-3]}\n{head}\n---\n# A slide\n\nWords.\n", "utf-8")
    return file


def test_the_lessons_that_come_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "lessons", "--json"]) == 0
    lessons = json.loads(capsys.readouterr().out)["lessons"]
    ddp = next(one for one in lessons if one["name"] == "05-ddp")
    assert (ddp["title"], ddp["minutes"]) == ("Distributed data parallel", 49.0)
    assert ddp["languages"] == ["en", "hi-Latn"]
    assert Path(ddp["path"]).is_file() and [one["name"] for one in lessons] == sorted(
        one["name"] for one in lessons
    )


def test_a_folder_is_a_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "01-one.md")
    written(tmp_path, "02-two.md", "time: 20m\nprerequisites: 01-one\nranks: 4\nlang: hi")
    (tmp_path / "notes.md").write_text("no lesson")
    assert cli.main(["course", "show", str(tmp_path), "--json"]) == 0
    one, two = json.loads(capsys.readouterr().out)["lessons"]
    assert (one["minutes"], two["minutes"], two["ranks"], two["languages"]) == (45.0, 20.0, "4", ["hi"])
    assert cli.main(["course", "show", str(tmp_path)]) == 0
    assert "2 lessons, 65 minutes" in capsys.readouterr().out
    assert cli.main(["course", "check", str(tmp_path)]) == 0
    assert cli.main(["course", "list", "--json"]) == 0
    assert "distributed" in capsys.readouterr().out


def test_a_deck_without_a_number_is_told_as_no_lesson(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "01-one.md")
    written(tmp_path, "README.md")
    (tmp_path / "notes.md").write_text("of the author")
    assert cli.main(["course", "check", str(tmp_path)]) == 0
    capsys.readouterr()
    file = written(tmp_path, "second.md")
    file.write_text(file.read_text("utf-8") + "\n---\n\n# Another\n", "utf-8")
    assert cli.main(["course", "show", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert "1 lesson, 45 minutes" in shown.out and "second.md: a deck whose name does not" in shown.err
    assert cli.main(["course", "check", str(tmp_path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["problems"]
    assert [(problem["file"], problem["mend"]) for problem in told] == [
        (str(file), "Call it 03-name.md, or put it into a folder of its own.")
    ]
    assert cli.main(["course", "check", str(tmp_path / "01-one.md")]) == 0  # of one lesson only it is not


@pytest.mark.parametrize(
    ("name", "text", "is_deck"),
    [
        ("Readme.md", "# A\n\n---\n\nBelow a rule.\n", False),
        ("index.md", "---\ntitle: Site\n---\n# A\n\n---\n\nBelow a rule.\n", False),
        ("Syllabus.md", "# A\n\n---\n\nBelow a rule.\n", False),
        ("plan.md", "---\nlayout: page\n---\n\nOf the author.\n", False),  # a front matter ends no slide
        ("plan.md", "\ufeff---\nlayout: page\n---\n\nOf the author.\n", False),
        ("plan.md", "---\ntitle: Talk\n---\n# A\n\n---\n\n# B\n", True),
        ("plan.md", "---\n\n# A deck that begins with a separator\n", True),
        ("01.md", "# A\n\n---\n\n# B\n", True),  # what is told of it has to be true of this name, too
    ],
)
def test_what_stands_beside_lessons_and_is_no_deck(
    tmp_path: Path, name: str, text: str, is_deck: bool
) -> None:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    assert course.without_number(str(tmp_path)) == [file] * is_deck


@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("01-again.md", "time: 1m", "has the number 01, too"),
        ("02-two.md", "author: me", "takes is not known"),
        ("02-two.md", "time: 5m\nprerequisites: 03-three", "not a lesson before it"),
        ("02-two.md", "time: 5m\nminimum: huge", "is not a size"),
    ],
)
def test_what_is_wrong_between_lessons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, head: str, said: str
) -> None:
    written(tmp_path, "01-one.md")
    file = written(tmp_path, name, head)
    assert cli.main(["course", "check", str(tmp_path), "--json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert any(said in problem["message"] for problem in problems), file


def test_what_is_no_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["course", "show", str(tmp_path)]) == 2
    assert "01-name.md" in capsys.readouterr().err


def test_an_overture_stands_before_the_lessons_and_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "01-one.md")
    (tmp_path / "overture.md").write_text("---\ntitle: Before\ntime: 8m\n---\n# A\n", "utf-8")
    assert cli.main(["course", "show", str(tmp_path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["overture"]["title"] == "Before" and [one["name"] for one in shown["lessons"]] == ["01-one"]
    assert cli.main(["course", "show", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.index("Before") < said.index("Of one") and "1 lesson, 45 minutes" in said


@pytest.mark.parametrize("command", [["check"], ["quiz", "take", "--json"]])
def test_a_lesson_is_known_by_its_name(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "overture"]) in (0, 2)
    assert "no such file" not in capsys.readouterr().err


def test_a_name_where_a_command_would_stand_is_a_lesson() -> None:
    assert cli.normalise(["01-one-step"]) == ["present", "01-one-step"]
    assert cli.normalise(["01-two-step"]) == ["01-two-step"]


def test_a_new_course_is_checked_clean_and_nothing_of_somebodys_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "training-at-scale"
    assert cli.main(["course", "new", str(folder)]) == 0
    assert {file.name for file in folder.iterdir()} == {"overture.md", "01-first.md", "02-second.md"}
    assert "title: Training at scale" in (folder / "overture.md").read_text()
    for size in ("80x24", "160x45"):
        assert cli.main(["course", "check", str(folder), "--size", size]) == 0
    (folder / "01-first.md").write_text("mine")
    assert cli.main(["course", "new", str(folder)]) == 2
    assert (folder / "01-first.md").read_text() == "mine"
    assert cli.main(["course", "new", str(tmp_path / "no" / "where")]) == 2
    capsys.readouterr()


def test_a_course_of_another_package_is_one_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "acme"
    assert cli.main(["course", "new", str(folder)]) == 0
    (folder / "__init__.py").write_text("")
    (tmp_path / "empty.py").write_text("")
    info = tmp_path / "acme-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[teachrun.courses]\nacme = acme\nempty = empty\nbroken = nowhere\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    teachrun.brought.cache_clear()
    try:
        capsys.readouterr()
        assert cli.main(["course", "show", "acme", "--json"]) == 0
        lessons = json.loads(capsys.readouterr().out)["lessons"]
        assert [one["name"] for one in lessons] == ["01-first", "02-second"]
        assert deck_file("acme/01-first") == str(folder / "01-first.md")
        assert deck_file("acme/03-no") == "acme/03-no" and deck_file("nobody/01-first") == "nobody/01-first"
        assert deck_file("distributed/05-ddp").endswith("05-ddp.md")
        for asked, word in (("acme", "acme/01-first"), (str(folder), str(folder / "01-first.md"))):
            assert cli.main(["course", "show", asked]) == 0
            assert f"`teachrun present {word} --minutes 40`" in capsys.readouterr().out
        assert cli.main(["path", "acme/01-first"]) == 0
        assert capsys.readouterr().out.strip() == str(folder / "01-first.md")
        assert cli.main(["course", "list", "--json"]) == 0
        said = capsys.readouterr()
        assert {"name": "acme", "lessons": 2, "minutes": 90.0} in json.loads(said.out)["courses"]
        assert "empty" in said.err and "nowhere" in said.err
        assert cli.main(["course", "show", "empty"]) == 2
        capsys.readouterr()
        assert cli.main(["course", "show", "acmee"]) == 2
        assert "Did you mean acme?" in capsys.readouterr().err
    finally:
        teachrun.brought.cache_clear()


def test_the_overture_is_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "01-one.md")
    opening = written(tmp_path, "overture.md")
    opening.write_text(opening.read_text() + "\n::: demo nothing\n")
    assert cli.main(["course", "check", str(tmp_path)]) == 1
    assert "overture.md" in capsys.readouterr().out
    opening.write_bytes(b"# \xff\xfe \x00")
    assert cli.main(["course", "check", str(tmp_path)]) == 1
    assert "overture.md" in capsys.readouterr().err


def test_translations_are_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "01-first.md")
    (tmp_path / "hi-Latn").mkdir()
    (tmp_path / "hi-Latn" / "01-first.md").write_text("# Aur kuch {#other}\n", "utf-8")
    assert cli.main(["course", "check", str(tmp_path)]) == 1
    assert "it has no translation" in capsys.readouterr().out


def test_handouts_of_a_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "time: 45m\nquestion: Why *one*?\nsources:\n  - A book, page 1\n  - '`b`: c'"
    written(tmp_path, "01-one.md", head)
    written(tmp_path, "02-two.md", "time: 20m\nprerequisites: 01-one")
    (tmp_path / "overture.md").write_text("---\ntitle: Before\ntime: 8m\ncourse: Mine\n---\n# A\n", "utf-8")
    out = tmp_path / "out"
    assert cli.main(["course", "handout", str(tmp_path), "--md", "-o", str(out)]) == 0
    names = ["01-one.md", "02-two.md", "overture.md", "syllabus.md"]
    assert sorted(file.name for file in out.iterdir()) == names
    assert capsys.readouterr().out.count(str(out)) == 4
    text = (out / "syllabus.md").read_text("utf-8")
    assert text.startswith("# Mine: syllabus") and "| 01 | Of one | 45 | 45 | 1 |" in text
    assert "| **together** | **73** | **73** |" in text  # the overture counts as time that it takes
    assert r"**Why \*one\*?**" in text and "- A book, page 1" in text and "needs: 01-one" in text
    assert "Lesson 1: Of one" in text and "45 minutes" in text
    assert "minutes, at least" not in text  # it has no cut
    assert "[Hand-out](01-one.md)" in text and "practice" not in text  # its exercises are another course's


def test_a_handout_of_one_lesson_in_another_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["course", "handout", "04-collectives", "--lang", "hinglish", "--no-answers", "-o", str(out)]
    assert cli.main(words) == 0
    syllabus, lesson = ((out / name).read_text("utf-8") for name in ("syllabus.html", "04-collectives.html"))
    assert '<html lang="hi-Latn">' in syllabus and '<html lang="hi-Latn">' in lesson
    assert "teachrun practice send-receive" in syllabus and "teachrun run allreduce" in syllabus
    assert 'href="04-collectives.html"' in syllabus and "nccl-tests" in syllabus
    assert ">Slide 2 · " in lesson and ">Slide" not in syllabus and 'class="n"' not in syllabus
    # Figures, though nobody has run anything here; a key in words, for a page knows no backquotes there.
    assert "Us recording se, jo class mein key s dabane par dikhti hai" in lesson
    assert "175 ± 1" not in lesson and "Speaker" not in lesson
    capsys.readouterr()


def test_a_handout_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "01-one.md")
    (tmp_path / "out").write_text("a file")
    assert cli.main(["course", "handout", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    assert "cannot be written" in capsys.readouterr().err
