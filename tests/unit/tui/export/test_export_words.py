"""Exports for other programs: Markdown that is Markdown, formulas as MathML, pictures of slides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made_handouts import DECK, Page, held, md
from pictured import same_as_picture

from slides.export.mathml import mathml
from slides.reading.markdown.blocks import markdown
from slides.reading.markdown.inline import inlines
from tui import cli

pytestmark = pytest.mark.usefixtures("home")


def test_the_markdown_of_a_deck(home: Path) -> None:
    same_as_picture("handout.md", md(notes=True))


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"]), max_size=60))
@example("__0__")
@example("&LT;")
@example("^0^")
def test_words_come_out_of_markdown_as_they_went_in(text: str) -> None:
    from slides.export.markdown import words

    said = " ".join(text.split())
    tokens = markdown().parse(words(said))
    if said:
        assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        read = "".join(part.text for part in inlines(tokens[1].children or []))
        assert read == said


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"\frac{1}{n}", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"),
        (r"x_{12}^2", "<msubsup><mi>x</mi><mrow><mn>12</mn></mrow><mn>2</mn></msubsup>"),
        (r"\sqrt{2}", "<msqrt><mn>2</mn></msqrt>"),
        (r"\sum_{i}^{n} i", "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>"),
        (r"\bar g", '<mover accent="true"><mi>g</mi><mo>¯</mo></mover>'),
        (r"\left( a \right)", '<mo fence="true" stretchy="true">(</mo>'),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "<mtr><mtd>"),
        (r"\text{if } a", "<mtext>if </mtext>"),
        (r"\ln 256", "<mi>ln</mi><mn>256</mn>"),
    ],
)
def test_formulas_become_mathml(tex: str, wanted: str) -> None:
    assert wanted in mathml(tex)
    Page(mathml(tex))


def test_a_formula_that_cannot_be_read_is_its_source() -> None:
    assert mathml("x^") == "<code>x^</code>"


def test_a_deck_for_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "deck.md", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["format"] == "teachrun" and said["title"] == "Four <copies>" and len(said["slides"]) == 5
    start, code, live, quiz, hidden = said["slides"]
    assert start["id"] == "start" and start["notes"] == "SECRET-NOTE" and start["steps"] == 1
    assert (code["steps"], live["steps"]) == (3, 4)
    assert start["text"].splitlines()[:2] == ["Start", "Bold, italic, struck, a < b, x² and a link."]
    assert "after the pause" in code["text"] and "rank | loss" in code["text"]
    assert "How many bytes?" in quiz["text"] and "WHY" not in quiz["text"]
    assert hidden["hidden"] is True


def test_what_cannot_be_read_is_said_in_words_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n\n::: include gone.md\n")
    assert cli.main(["export", str(deck), "--json"]) == 0
    title, problem, raw = json.loads(capsys.readouterr().out)["slides"][0]["text"].splitlines()
    assert (title, raw) == ("A", "::: include gone.md") and "gone.md" in problem and "\u2500" not in problem


def test_where_it_goes_and_what_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "deck.md", "--html"]) == 0
    assert capsys.readouterr().out.startswith("deck-handout.html: 4 slides, no demo with figures, ")
    assert (home / "deck-handout.html").read_text("utf-8").startswith("<!doctype html>")
    assert cli.main(["export", "deck.md", "--md", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("# Four \\<copies>\n")
    assert cli.main(["export", "deck.md", "--md", "-o", "deck.md"]) == 2
    assert "the deck itself" in capsys.readouterr().err
    assert (home / "deck.md").read_text("utf-8") == DECK
    assert cli.main(["export", "tuesday", "--html"]) == 2
    assert "no deck and no class 'tuesday'" in capsys.readouterr().err
    assert cli.main(["export", "last", "--html"]) == 2
    assert "no class was held here yet" in capsys.readouterr().err


def test_pictures_of_slides(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pil = pytest.importorskip("PIL.Image")
    held(home)
    assert cli.main(["export", "monday", "--png", "-o", "out", "--size", "80x24", "--theme", "light"]) == 0
    files = sorted((home / "out").iterdir())
    assert [file.name for file in files] == ["1-start.png", "2-code.png", "3-live.png", "4-slide-1.png"]
    for file in files:
        with pil.open(file) as image:
            assert image.width == 80 * 20 and image.height >= 24 * 40
    with pil.open(files[0]) as image:
        assert "#{:02x}{:02x}{:02x}".format(*image.getpixel((0, 0))) == "#fbfcfe"


def test_without_pillow_it_says_what_to_install(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from slides.drawing.blocks import image

    monkeypatch.setattr(image, "available", lambda: False)
    assert cli.main(["export", "deck.md", "--png"]) == 2
    assert "install pillow" in capsys.readouterr().err
