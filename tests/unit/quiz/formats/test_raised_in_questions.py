"""What is raised or lowered in a question keeps its place on its way to Moodle, Anki and back."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest

from quiz.formats.gift import reader, writer
from quiz.markup import as_markdown, with_marks, with_tags
from quiz.question import Option, Question

ASKED = Question(
    "q", "single", "H~2~O of `x~a~`?", (Option("x^2^", True), Option("$a^2+b^2$ ~5 ~6")), markup="markdown"
)


@pytest.mark.parametrize(
    ("ours", "tagged"),
    [
        ("H~2~O, x^n+1^", "H<sub>2</sub>O, x<sup>n+1</sup>"),
        (r"`x^2^` $a^2+b^2$ \^2^ ~~gone~~ ~5 and ~6", r"`x^2^` $a^2+b^2$ \^2^ ~~gone~~ ~5 and ~6"),
        ("a^b^ `c` d~e~", "a<sup>b</sup> `c` d<sub>e</sub>"),
    ],
)
def test_marks_become_tags_and_marks_again(ours: str, tagged: str) -> None:
    assert with_tags(ours) == tagged
    assert with_marks(tagged) == ours


def test_moodle_gets_tags_and_gives_them_back() -> None:
    text, _ = writer.write([ASKED])
    assert "H<sub>2</sub>O of `x\\~a\\~`" in text and "=x<sup>2</sup>" in text
    (again,) = reader.read(text).questions
    assert (again.stem, again.options[0].text) == (ASKED.stem, ASKED.options[0].text)


def test_html_of_moodle_keeps_both_ends() -> None:
    assert as_markdown("<p>m<sup>2,5 x</sup> y</p>", "html") == "m<sup>2,5 x</sup> y"
    assert as_markdown("a~b~c 2^10 x^2^", "moodle") == r"a\~b~c 2^10 x\^2^"


def test_cards_of_anki_have_tags(tmp_path: Path) -> None:
    anki = pytest.importorskip("quiz.formats.anki")
    anki.write([ASKED], tmp_path / "cards.apkg")
    with zipfile.ZipFile(tmp_path / "cards.apkg") as packed:
        packed.extract("collection.anki2", tmp_path)
    with sqlite3.connect(tmp_path / "collection.anki2") as db:
        ((front,),) = db.execute("SELECT flds FROM notes").fetchall()
    db.close()
    assert "H<sub>2</sub>O of <code>x~a~</code>" in front and "x<sup>2</sup>" in front
