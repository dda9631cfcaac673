"""Pandoc's bracketed spans, whatever is in them, and its indented code, which stays as it is written."""

from __future__ import annotations

import pytest
from made_decks import slides

from slides.deck import Code
from slides.export.plain_words import text
from slides.reading_order import blocks


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[`#404042`]{style='background-color: #404042;'} is grey", "#404042 is grey"),
        ("[a [b]{.x} c]{.y} and [d]{#e}", "a b c and d"),
        ("[take `a` or `[b]{.c}`]{.glowing} now", "take a or [b]{.c} now"),
        ("`[a]{.b}` is a span", "[a]{.b} is a span"),
        ("[]{.icon} stays empty", "stays empty"),
        ("a set {x} and [brackets]", "a set {x} and [brackets]"),
    ],
)
def test_a_span_is_its_words(written: str, shown: str) -> None:
    (slide,) = slides(f"# A\n\n{written}\n", "pandoc")
    assert text(slide.blocks).split("\n")[-1] == shown


CODE = ["::: {.class}", "<h2>Not a title</h2>", "![](none.png) [text]{.class} -- ...", ":::"]


def test_indented_code_is_shown_as_it_is_written() -> None:
    """A lecture about Quarto shows Quarto so: boxes, tags and spans in it are none."""
    rows = "\n".join(f"    {line}" for line in CODE)
    (slide,) = slides(f"# A\n\nWrite:\n\n{rows}\n\nAnd [that]{{.x}}.\n", "pandoc")
    (code,) = (block for block in blocks(slide.blocks) if isinstance(block, Code))
    assert code.source.split("\n") == CODE
    assert "And that." in text(slide.blocks)


def test_spans_of_the_settings_are_words() -> None:
    head = '---\ntitle: "[A title]{.x}"\nsubtitle: "[**[Ann (X)]{.red}**]{.red}"\nformat: revealjs\n---\n'
    slide, _ = slides(f"{head}\n## B\n\nb\n", "pandoc")
    assert text(slide.blocks) == "A title\nAnn (X)"


def test_items_of_an_item_that_goes_on_at_the_margin_come_one_by_one() -> None:
    """Wrapped lines of an item may stand at the margin: the item goes on below them."""
    words = "::: {.incremental}\n\n-   first\nand on:\n\n    - one\n    - two\n\n:::\n"
    (slide,) = slides(f"# A\n\n{words}", "pandoc")
    assert slide.steps == 4 and text(slide.blocks) == "A\nfirst and on:\none\ntwo"
