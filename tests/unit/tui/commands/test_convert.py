"""`teachrun convert`: the deck on stdout or in a file, what happened on stderr."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.reading.split import load
from tui import cli

DECK = "# A\n\n<!-- speaker_note: say -->\n\n<!-- end_slide -->\n\n# B\n"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    (tmp_path / "deck.md").write_text(DECK)
    return tmp_path / "deck.md"


def test_to_stdout(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["convert", str(deck)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("---\nformat: teachrun\n---\n# A\n") and out.endswith("# B\n")
    assert "<!-- notes: say -->" in out and "written for presenterm, 2 slides" in err


def test_to_a_file_that_opens_as_the_same_deck(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = deck.with_name("new.md")
    assert cli.main(["convert", str(deck), "-o", str(new)]) == 0
    assert [head.id for head in load(new).slides] == [head.id for head in load(deck).slides]
    assert load(new).format == "teachrun" and capsys.readouterr().out == ""
    assert cli.main(["convert", str(new)]) == 0  # and once more is the same text
    assert capsys.readouterr().out == new.read_text()


def test_no_file_is_lost(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = deck.with_name("other.md")
    other.write_text("mine\n")
    assert cli.main(["convert", str(deck), "-o", str(other)]) == 2
    assert cli.main(["convert", str(deck), "-o", str(deck), "--force"]) == 2
    assert cli.main(["convert", str(deck), "-o", str(deck.parent)]) == 2
    assert (other.read_text(), deck.read_text()) == ("mine\n", DECK)
    assert cli.main(["convert", str(deck), "-o", str(other), "--force"]) == 0
    assert other.read_text().startswith("---\nformat: teachrun\n")
    assert sorted(file.name for file in deck.parent.iterdir()) == ["deck.md", "other.md"]


def test_where_nothing_can_be_written(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = deck.parent / "gone" / "out.md"
    assert cli.main(["convert", str(deck), "-o", str(target)]) == 1
    assert capsys.readouterr().err == f"teachrun: {target} cannot be written: No such file or directory\n"


def test_a_format_that_is_said_wins_over_the_marks(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["convert", str(deck), "--format", "marp"]) == 0
    assert "written for marp, 1 slide" in capsys.readouterr().err


def test_a_deck_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["convert", str(tmp_path / "absent.md")]) == 2
    assert "there is no such file" in capsys.readouterr().err


LOST = {
    "deckset": (
        "Theme: Next, 1\nfooter: F\nslidenumbers: true\nbuild-lists: true\n\n# A\n\n[.autoscale: true]\n"
        "[.column]\n",
        ["1 theme:", "3 slidenumbers:", "8 [.autoscale]"],
    ),
    "revealhtml": (
        '<section>\n<h2>A</h2>\n</section>\n<section data-background-color="#fff">\nb\n</section>\n',
        ["4 data-background-color"],
    ),
    "presenterm": (
        "---\ntheme:\n  name: dark\n---\n# A\n\n```bash +exec_replace\nls\n```\n\n```dot +image\na\n```\n\n"
        "```rust +validate\na\n```\n\n```mermaid +render\na\n```\n\n<!-- font_size: 3 -->\n",
        ["2 theme:", "15 +validate", "19 +render", "23 font_size"],
    ),
    "marp": (
        "---\nmarp: true\ntheme: gaia\nfooter: F\nheader: H\npaginate: true\n---\n# A\n\n"
        "<!-- _class: lead -->\n"
        "\n```yaml\nsize: 4:3\n```\n",
        ["3 theme:", "6 paginate:", "10 class:"],
    ),
    "slides": (
        "---\ntheme: x.json\npaging: p\n---\n# A\n\n~~~just x\ny\n~~~\n",
        ["2 theme:", "3 paging:", "7 ~~~just"],
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_is_not_taken_over_is_told_with_its_line(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, wanted = LOST[name]
    path = tmp_path / "deck.md"
    path.write_text(text)
    assert cli.main(["convert", str(path), "--format", name]) == 0
    told = [
        line.split(":", 1)[1] for line in capsys.readouterr().err.splitlines() if "not taken over" in line
    ]
    assert [f"{line.split(':')[0]} {line.split('`')[1]}" for line in told] == wanted


@pytest.mark.parametrize(
    ("text", "format", "told", "line"),
    [
        ("# A\n\n~~~just echo\nhello\n~~~\n\n---\n\n# B\n", "slides", "~~~just", 3),
        (
            "# A\n\n<v-click>\n\n{{ $slidev.nav.total }} of `{{ 2 }}` {{ 'b' }}\n",
            "slidev",
            "{{ $slidev.nav.total }}",
            5,
        ),
        ("# A\n\n```bash +exec +validate\nls\n```\n<!-- end_slide -->\n", "presenterm", "+validate", 3),
    ],
)
def test_what_a_slide_will_miss_is_told_before_the_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, format: str, told: str, line: int
) -> None:
    deck = tmp_path / "talk.md"
    deck.write_text(text)
    assert cli.main(["check", str(deck), "--format", format]) == 0
    out = capsys.readouterr().out
    assert f"note: {deck}:{line}: `{told}` is not taken over" in out and out.count("not taken over") == 1


def test_looks_of_another_program_are_not_told_to_who_only_shows_its_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "talk.md"
    deck.write_text("---\nmarp: true\ntheme: gaia\n---\n\n# A\n")
    assert cli.main(["check", str(deck)]) == 0
    assert "theme" not in capsys.readouterr().out
