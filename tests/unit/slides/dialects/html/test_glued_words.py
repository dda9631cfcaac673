"""Words that a style sheet sets apart stand apart, marks within a word stay in it; listings of Pandoc."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides import deck
from slides.dialects import translate
from slides.export.plain_words import text
from slides.reading.parse import parse_slide
from slides.reading.split import split


def blocks(written: str, name: str = "slidev") -> tuple[deck.AnyBlock, ...]:
    return parse_slide(split(translate(written, name, Path("deck.md")).text, "deck.md"), 0).blocks


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ('<div class="row"><b>0.5</b><span>Maya</span><i>seen</i></div>', "0.5 Maya seen"),
        (
            '<div style="gap: 1em"><small>PERSON TABLE</small><strong>SUBJECT</strong></div>',
            "PERSON TABLE SUBJECT",
        ),
        ("Press <kbd>Shift</kbd><kbd>A</kbd>.", "Press Shift A."),
        ('<div class="cell">field<span>precomputed vector</span></div>', "field precomputed vector"),
        (
            "<div><small>ALL FILTERS</small><strong>match / no match</strong></div>",
            "ALL FILTERS match / no match",
        ),
        # nothing sets these apart, and a word may be marked in part
        ("<p><b>L</b>arge <b>L</b>anguage</p>", "Large Language"),
        ("<b>Tele</b><i>vision</i>", "Television"),
        ('<div class="x">H<sub>2</sub><sup>+</sup></div>', "H₂⁺"),
        ('<p class="x">re<b>run</b></p>', "rerun"),
    ],
)
def test_words_are_glued_only_where_they_are_one(written: str, seen: str) -> None:
    assert " ".join(text(blocks(f"# A\n\n{written}\n")).split()[1:]) == seen


def test_a_picture_stands_apart_from_the_word_right_behind_it() -> None:
    native = translate('# A\n\nsee <img src="a.png" alt="logo"><b>Acme</b>\n', "slidev", Path("deck.md")).text
    assert "![logo](a.png) <b>Acme</b>" in native


@pytest.mark.parametrize("name", ["marp", "slides", "patat", "lookatme", "mdp"])
def test_tags_of_html_go_and_what_is_none_of_them_is_a_word(name: str) -> None:
    said = text(
        blocks("# A\n\nOption<T> is <span style='color: red'>red</span>\n\n<small>so</small>\n", name)
    )
    assert " ".join(said.split()[1:]) == "Option<T> is red so"
    assert "<" not in text(blocks("# A\n\n<div class='x'>\n\n<p>words</p>\n\n</div>\n", name))


def test_code_in_the_box_that_pandoc_puts_around_it_is_code() -> None:
    written = (
        '<div class="sourceCode" id="cb1"><pre class="sourceCode python"><code class="sourceCode python">'
        '<a class="sourceLine"><span class="kw">def</span> f(n):</a>\n'
        '<a class="sourceLine">    <span class="cf">return</span> n &lt; 1</a></code></pre></div>\n'
    )
    page = f"<section>\n<h2>A</h2>\n{written}</section>\n"
    (listing,) = [block for block in blocks(page, "revealhtml") if isinstance(block, deck.Code)]
    assert (listing.lang, listing.source) == ("python", "def f(n):\n    return n < 1")


def test_tags_in_code_that_are_no_colours_are_shown() -> None:
    page = "<section>\n<pre><code>\n<div>x</div>\n</code></pre>\n</section>\n"
    (listing,) = [block for block in blocks(page, "revealhtml") if isinstance(block, deck.Code)]
    assert listing.source == "<div>x</div>"
