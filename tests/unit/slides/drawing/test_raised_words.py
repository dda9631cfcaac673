"""Raised and lowered words keep their place: by tags where there are some, by letters or signs where not."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.drawing import screen_reader_lines
from slides.drawing.layout import layout_blocks
from slides.drawing.text import plain
from slides.export import html, markdown, plain_words
from slides.export.block_outcomes import nothing_special
from slides.export.pictures import within
from slides.reading.parse import parse_blocks
from slides.reading.titles import slug, tidy

WORDS = [
    # written, told to a voice, shown on a slide, in tags
    ("H~2~O", "H₂O", "H₂O", "H<sub>2</sub>O"),
    ("10^-3^", "10⁻³", "10⁻³", "10<sup>-3</sup>"),
    ("19^th^", "19^(th)", "19ᵗʰ", "19<sup>th</sup>"),
    ("T~eff~ of e^2,5^", "T_(eff) of e^(2,5)", "T_(eff) of e^(2,5)", "T<sub>eff</sub> of e<sup>2,5</sup>"),
    ("x^q^", "x^q", "x^q", "x<sup>q</sup>"),
    (
        "Price<sup>Coming soon</sup>",
        "Price^(Coming soon)",
        "Price Coming soon",
        "Price<sup>Coming soon</sup>",
    ),
    ("see <sup>Draft</sup> now", "see ^(Draft) now", "see ᴰʳᵃᶠᵗ now", "see <sup>Draft</sup> now"),
    (
        "a<sup>b **c,** d</sup>",
        "a^(b c, d)",
        "a b c, d",
        "<sup>b </sup><sup><strong>c,</strong></sup><sup> d</sup>",
    ),
    ("2<sup>$n_q$</sup>", "2^(n_q)", "2^(n_q)", "2<sup><math"),
    ("`x^2^` ~~gone~~ ~5", "x^2^ gone ~5", "x^2^ gone ~5", "<code>x^2^</code> <s>gone</s> ~5"),
]


@pytest.mark.parametrize(("written", "told", "shown", "tags"), WORDS, ids=[words[0] for words in WORDS])
def test_words(written: str, told: str, shown: str, tags: str) -> None:
    blocks = parse_blocks(written)
    assert screen_reader_lines.linear(blocks, -1, 0) == [told]
    assert plain_words.text(blocks) == told
    assert plain(layout_blocks(blocks, 0, 60)[0]).strip() == shown
    assert tags in html.Writer(nothing_special, within(Path())).blocks(blocks)


@pytest.mark.parametrize(
    "written", ["T~eff~", "e^2,5^", "H~2~O and **x^n+1^**", "a^b,*c*^ [w^2^](https://a.org)"]
)
def test_markdown_that_is_written_is_read_as_the_same(written: str) -> None:
    blocks = parse_blocks(written)
    again = "\n\n".join(markdown.Writer(nothing_special, Path()).blocks(blocks))
    assert plain_words.text(parse_blocks(again)) == plain_words.text(blocks)
    assert "<su" in again


def test_a_cell_of_a_table_and_a_heading_keep_theirs() -> None:
    blocks = parse_blocks("# E^2,5^\n\n| what | T~eff~ |\n|---|---|\n| CO~2~ | 10^3^ |\n")
    told = ["E^(2,5)", "table, 1 row:", "  what: CO₂; T_(eff): 10³"]
    assert screen_reader_lines.linear(blocks, -1, 0) == told


@pytest.mark.parametrize(
    ("written", "title", "called"),
    [
        ("CO~2~ and mc^2^", "CO₂ and mc²", "co2-and-mc2"),
        ("the 19<sup>th</sup>", "the 19ᵗʰ", "the-19th"),
        ("E^2,5^ of `x~a~` and $a^2+b^2$", "E^(2,5) of x~a~ and a^2+b^2", "e25-of-xa-and-a2b2"),
        ("~~old~~ about ~5 and ~6", "old about ~5 and ~6", "old-about-5-and-6"),
    ],
)
def test_titles_in_lists(written: str, title: str, called: str) -> None:
    assert tidy(written) == title
    assert slug(tidy(written)) == called
