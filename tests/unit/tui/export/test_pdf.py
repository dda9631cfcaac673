"""A deck as a PDF, read by another program: its words, its outline, its pictures, what stays out of it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader

from slides.drawing.text import Span, Style
from slides.export.drawings import pdf_writer, png
from slides.export.drawings.pdf_writer import H, W
from slides.palette import LIGHT
from tui import cli

DECK = """---
title: Rings & trees
lang: de
author: A. Teacher
---
<!-- slide: {section: Start} -->
# Größe of a ring {#start}

One `word`, **two** words: θ → 2(n−1)/n.

![four ranks](ring.png)

<!-- notes: what only the teacher *says* -->

---

# Steps

- first

<!-- pause -->

- second

---

<!-- slide: {section: Practice} -->
# Asked

::: quiz {#q}
How many?

- [ ] three
- [x] four
  > because four
:::

---

# Long

{long}

---

<!-- slide: {{hidden: true}} -->
# Nobody sees this
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (40, 20), (200, 30, 30)).save("ring.png")
    long = "\n\n".join(f"paragraph {n}" for n in range(40))
    Path("deck.md").write_text(DECK.replace("{long}", long).replace("{{", "{").replace("}}", "}"))
    return tmp_path


def exported(*options: str) -> PdfReader:
    assert cli.main(["export", "deck.md", "--pdf", *options]) == 0
    return PdfReader("deck.pdf")


def test_a_page_a_slide_with_words_to_find_and_an_outline(here: Path) -> None:
    book = exported("--size", "80x24")
    words = [page.extract_text() for page in book.pages]
    assert len(words) == 4
    assert "Größe of a ring" in words[0] and "One word, two words:" in words[0]
    if png.own_file(False, False):  # a machine without fonts has the letters of Western Europe
        assert "θ → 2(n−1)/n." in words[0]
    assert "first" in words[1] and "second" in words[1]  # all its steps
    assert "three" in words[2] and "because" not in words[2]  # nobody was told the answer
    assert "paragraph 39" in words[3]
    sizes = [page.mediabox for page in book.pages]
    assert (sizes[0].width, sizes[0].height) == (80 * W, 24 * H) < (80 * W, sizes[3].height)
    assert not any("only the teacher" in text or "Nobody sees" in text for text in words)

    titles: list[object] = [
        [entry.title for entry in part] if isinstance(part, list) else part.title for part in book.outline
    ]
    assert titles == ["Start", ["1  Größe of a ring", "2  Steps"], "Practice", ["3  Asked", "4  Long"]]
    root = book.trailer["/Root"]
    assert root["/Lang"] == "de" and root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert book.metadata is not None
    assert (book.metadata.title, book.metadata.author) == ("Rings & trees", "A. Teacher")


def test_pictures_are_pictures(here: Path) -> None:
    book = exported("--theme", "dark")
    (picture,) = book.pages[0].images
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert image.width > 400 and image.getpixel((image.width // 2, image.height // 2)) == (200, 30, 30)
    assert "█" not in book.pages[0].extract_text() and not book.pages[1].images


def test_notes_stand_below_the_slide_where_they_are_asked_for(here: Path) -> None:
    page = exported("--notes").pages[0]
    text = page.extract_text()
    assert text.index("Größe") < text.index("NOTES") < text.index("what only the teacher says")
    assert page.mediabox.height > exported().pages[0].mediabox.height


def test_what_is_missing_or_wrong_is_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", "deck.md", "--pdf", "-o", "deck.md"]) == 2
    assert "the deck itself" in capsys.readouterr().err
    assert cli.main(["export", "deck.md", "--pdf", "--theme", "pink"]) == 2
    monkeypatch.setattr(pdf_writer, "available", lambda: False)
    assert cli.main(["export", "deck.md", "--pdf"]) == 2
    assert "'fpdf2<3,>=2.8'" in capsys.readouterr().err
    assert not Path("deck.pdf").exists()


def page_of(*lines: tuple[Span, ...], columns: int = 20) -> PdfReader:
    book = pdf_writer.PdfDocument("t")
    book.page([png.row_of(line, LIGHT) for line in lines], columns, "#ffffff")
    return PdfReader(io.BytesIO(book.save()))


def test_neighbouring_words_of_one_look_are_one_text_and_blanks_are_kept() -> None:
    text = page_of((Span("ab  cd "), Span("ef", Style(bold=True)), Span(" │ gh"))).pages[0].extract_text()
    assert text.replace("  ", " ").split() == ["ab", "cd", "ef", "gh"]


def test_letters_that_no_font_has_are_boxes_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "files_with", lambda char: [])
    book = pdf_writer.PdfDocument("t")
    book.page([png.row_of((Span("a\U0001f9ffb 日 c"),), LIGHT)], 20, "#ffffff")
    assert book.missing == {"\U0001f9ff", "日"}
    text = PdfReader(io.BytesIO(book.save())).pages[0].extract_text()
    assert text.split() == ["a", "b", "c"] or text.split() == ["ab", "c"]


def test_without_any_monospace_font_western_letters_are_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "own_file", lambda bold, italic: "")
    monkeypatch.setattr(png, "files_with", lambda char: [])
    text = page_of((Span("Größe θ"),)).pages[0].extract_text()
    assert "Größe" in text


def test_shapes_that_join_up_are_few_rectangles() -> None:
    content = page_of((Span("━" * 20),)).pages[0].get_contents()
    assert content is not None
    assert content.get_data().count(b" re ") <= 3  # the page, and the line


def glyphs(reader: PdfReader) -> set[bytes]:
    """The letters drawn on the first page, as its fonts number them."""
    content = reader.pages[0].get_contents()
    assert content is not None
    shown = re.findall(rb"<([0-9a-f]{4,})>|\(((?:\\\\.|[^)])*)\)", content.get_data())
    return {plain[n : n + 2] for _, plain in shown for n in range(0, len(plain), 2) if plain}


@pytest.mark.parametrize("word", ["שלום עולם", "مرحبا بالعالم"])
def test_what_is_written_from_the_right_stands_from_the_right(word: str) -> None:
    """pypdf turns Hebrew and Arabic around, for in a PDF the letter on the left comes first."""
    text = page_of((Span(f"one {word}, two"),), columns=40).pages[0].extract_text()
    assert word in text and text.count("one") == text.count("two") == 1


@pytest.mark.parametrize("words", ["مرحبا שלום", "שלום مرحبا"])
def test_one_script_after_another_is_there_whatever_font_has_it(words: str) -> None:
    """The font of the first letter set them all, and left out what it had not."""
    said = page_of((Span(f"one {words}, two"),), columns=40).pages[0].extract_text()
    assert all(word in said for word in (*words.split(), "one", "two"))


def test_letters_that_join_have_other_shapes_than_alone() -> None:
    joined = page_of((Span("\u0628\u0628"),))
    alone = page_of((Span("\u0628"),))
    assert len(glyphs(joined)) == len(glyphs(alone)) + 1  # the first and the last form, not one twice


@pytest.mark.parametrize(
    ("word", "told"), [("שלום", True), ("سلام", True), ("क्षत्रिय", True), ("Größe 漢字", False)]
)
def test_what_a_pdf_cannot_set_without_harfbuzz_is_told(
    word: str, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(f"# A\n\n{word}\n")
    assert cli.main(["export", "deck.md", "--pdf"]) == 0
    assert "uharfbuzz" not in capsys.readouterr().err
    monkeypatch.setattr(pdf_writer, "find_spec", lambda name: None if name == "uharfbuzz" else name)
    assert cli.main(["export", "deck.md", "--pdf"]) == 0
    assert ("uharfbuzz" in capsys.readouterr().err) is told


def test_a_scene_has_a_page_a_step(here: Path) -> None:
    Path("deck.md").write_text(
        "# Before\n\nwords\n\n---\n\n# Round\n\n::: scene ring ranks=2\n\n---\n\n# After\n"
    )
    book = exported("--size", "80x24")
    words = [page.extract_text() for page in book.pages]
    assert len(words) == 6
    assert [f"step {n}/4" in text for n, text in enumerate(words)] == [False, True, True, True, True, False]
    assert [entry.title for entry in book.outline] == ["1  Before", "2  Round", "3  After"]


def test_a_scene_is_one_picture_a_page_and_its_words_lie_upon_it(here: Path) -> None:
    """What is painted later in a PDF hides what was painted before."""
    Path("deck.md").write_text("# Round\n\n::: scene ring ranks=2\n")
    for page in exported("--size", "80x24").pages:
        assert len(page.images) == 1
        drawn = page.get_contents().get_data()  # type: ignore[union-attr]
        written = [found.start() for found in re.finditer(rb"T[jJ]\b", drawn)]
        assert written and max(0, drawn.index(b" Do")) < written[0]
        assert "rank 0" in page.extract_text()


def test_a_handout_has_what_is_right_below_a_question_unless_it_is_left_out(here: Path) -> None:
    Path("deck.md").rename("01-deck.md")
    for words, there in (([], True), (["--no-answers"], False)):
        assert cli.main(["course", "handout", ".", "--pdf", "-o", "out", *words]) == 0
        pages = [page.extract_text() for page in PdfReader("out/01-deck.pdf").pages]
        asked = next(text for text in pages if "How many?" in text)
        assert [word in asked for word in ("ANSWER", "because four")] == [there, there]
