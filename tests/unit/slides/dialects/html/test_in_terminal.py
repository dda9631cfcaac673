"""HTML in decks for a terminal: words stay, tags go, and `check` says so once."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Image, List, Quiz, Slide, Table
from slides.dialects import translate
from slides.drawing.screen_reader_lines import linear
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks

PAGE = """\
# Title

<div class="x">
Some **words**
</div>

<p align="center">centred <b>text</b></p>

<table><tr><td>a</td><td>b</td></tr></table>

<ul><li>one</li><li>two</li></ul>

<aside class="notes">nobody sees this</aside>

<Thing prop="a">inside</Thing> of Vec<T>

<script>alert(1)</script>

<style>
p {color: red}
</style>

<!-- pause -->

<center>

## last

</center>
"""


def read(text: str, format: str = "") -> Slide:
    native = translate(text, format, Path("deck.md")).text if format else text
    return parse_slide(split(native, "deck.md"), 0)


@pytest.mark.parametrize("format", ["", "presenterm", "slides", "lookatme"])
def test_words_stay_and_tags_go(format: str) -> None:
    slide = read(PAGE, format)
    shown = "\n".join(linear(slide.blocks, -1, 99))
    for words in ("Some words", "centred text", "a; b", "- one\n- two", "inside of Vec<T>", "last"):
        assert words in shown
    assert "</" not in shown and "<div" not in shown and "alert" not in shown and "color: red" not in shown
    assert "nobody sees this" not in shown
    kinds = [type(block) for block in blocks(slide.blocks)]
    assert Table in kinds and List in kinds


def test_each_tag_is_told_once_where_it_stands() -> None:
    slide = read("# A\n\n<div>\n\n<div>x</div>\n\n</div>\n\n<script>x</script>\n")
    assert [(problem.line, problem.message.split("`")[1]) for problem in slide.problems] == [
        (3, "<div>"), (9, "<script>"),
    ]  # fmt: skip


def test_steps_and_lines_stay() -> None:
    slide = read(PAGE)
    assert slide.steps == 2
    last = slide.blocks[-1]
    assert (last.at, last.line) == (1, PAGE.split("\n").index("## last") + 1)
    assert slide.blocks[1].line == PAGE.split("\n").index("Some **words**") + 1


def test_a_picture_of_html_is_looked_for_as_any_other() -> None:
    (_, box) = read('# A\n\n<img src="../secret.png" alt="x">\n').blocks
    assert not isinstance(box, Image)


def test_questions_are_left_to_their_own_reader() -> None:
    text = "# A\n\n<div>\n\n::: quiz {#q}\nWhich?\n\n- [ ] `<div>`\n- [x] <b>b</b>\n:::\n\n</div>\n"
    (_, quiz) = read(text).blocks
    assert isinstance(quiz, Quiz)
    assert "- [ ] `<div>`\n- [x] <b>b</b>" in quiz.body
