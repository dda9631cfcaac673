"""A note is on no slide and in no audience's text, whatever stands around it; what a fence shows is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin

from slides.audience_deck import audience_deck
from slides.reading.parse import parse_slide
from slides.reading.split import split

NOTE = "<!-- notes: SECRET -->"
AROUND = [
    "Term\n: meaning\n\n    {}",
    "Term\n: meaning\n\n      {}",
    "- item\n|x| goes on\n\n    {}",
    "-\titem\n\n\t\t{}",
    "-     item\n\n    {}",
    "-      item\n\n      {}",
    "- one\n   - two\n\n      {}",
    "- > words\n\n      {}",
    "  <!-- a\n  b -->\n      {}",
    "a \\` b {} c `",
    "a \\\\{} c",
    "a `x` \\`{} `",
    "words\n\n    {}",
    ">     {}",
    "- item\n\n      <!-- notes: a\n      SECRET\n      -->",
    "<div>\n```\n</div>\n\n{}",
    '<b title="`">words</b> {} ` x',
]
FENCED = ["```\n{}\n```", "- item\n\n  ```html\n  {}\n  ```", "> ~~~\n> {}\n> ~~~", "words `{}` words"]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("comment", [NOTE, "<!-- SECRET -->"], ids=("note", "comment"))
def test_what_markdown_has_as_a_comment_nobody_sees(around: str, comment: str) -> None:
    text = around.format(comment)
    if comment != NOTE and shows(text):
        pytest.skip("code, by CommonMark")
    assert "SECRET" not in seen(text)


@pytest.mark.parametrize("around", FENCED)
def test_what_a_fence_or_a_code_span_shows_is_shown(around: str) -> None:
    assert seen(around.format(NOTE)).count("SECRET") == 3, (
        "the slide, the audience's text, the audience's slide"
    )


def test_a_comment_left_out_is_told() -> None:
    deck = split("# T\n\n<div>\n```\n</div>\n\n<!-- notes: words -->\n", "deck.md")
    told = [problem for problem in parse_slide(deck, 0).problems if "left out" in problem.message]
    assert [problem.line for problem in told] == [7]


PIECES = st.sampled_from(
    [
        "words", "", "", "- item", "1. item", "  - item", "   * item", "-\titem", "-      item", "> words",
        "- > words", "Term", ": meaning", "|x| y", "| a | b |", "| - | - |", "    words", "\twords", "***",
        "      words", "# Title", "<div>", "</div>", "  <b>x", "a \\` b", "`x", "<!-- pause -->", "$$", "===",
        "  <!-- pause -->", "<!-- a", "-->", "[a]: b", "[^1]: note", "\\", "a\\",
    ]
)  # fmt: skip
INDENTS = st.sampled_from(
    ["", " ", "  ", "   ", "    ", "\t", "      ", "  \t", "        ", "> ", "- ", "-   ", "1.  "]
)


@given(st.lists(PIECES, max_size=8), INDENTS, st.lists(PIECES, max_size=4))
def test_no_structure_shows_a_note(above: list[str], indent: str, below: list[str]) -> None:
    """Without fences: these may hold it rightly. In a code span over two lines a note is one as well."""
    text = "\n".join([*above, indent + NOTE, *below])
    assert "SECRET" not in seen(text), text


def shows(text: str) -> bool:
    """Whether a page, by a reader that is not ours, has the comment as code."""
    tokens = MarkdownIt().enable("table").use(deflist_plugin).parse(text)
    return any(token.type == "code_block" and "SECRET" in token.content for token in tokens)


def seen(text: str) -> str:
    """The blocks of the slide, the text that an audience is given, and the blocks that it reads from that."""
    deck = split(f"# T\n\n{text}\n", "")
    theirs = audience_deck(deck)
    return "\n".join([repr(parse_slide(deck, 0).blocks), theirs.source, repr(parse_slide(theirs, 0).blocks)])
