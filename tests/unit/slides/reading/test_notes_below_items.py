"""A comment below an item is read as CommonMark reads it, and one that is a note is one in code as well."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from slides.reading.scan import blank_comment, replace_comments, scan

SECOND = [
    "words", "`all_reduce` goes on", "*em* x", "**bold** x", "_em_ x", "2 ranks wait", "16 GB of them",
    "<b>x</b> x", "<https://a.b> x", "~2 ms", "~~gone~~ x", "#1 of them", "-1 of them", "+3 %", "=> so",
    "===", ":-) x", "- another", "1. first", "# Title", "> said", "---", "* * *", "<div>", "<!-- pause -->",
    "go on <!-- pause -->", "`x` goes on <!-- pause -->", "<b>x</b> goes on <!-- pause -->",
    "<!-- pause --> <!-- pause -->",
]  # fmt: skip
NOTE = "<!-- notes: SECRET -->"
OTHER = "<!-- SECRET -->"


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("item", ["- item", "1. item", "  - item", "- one\n  - two"])
@pytest.mark.parametrize("apart", ["\n", "\n\n"], ids=("", "apart"))
def test_a_comment_is_code_only_where_a_page_has_code(item: str, second: str, apart: str) -> None:
    lines = f"{item}{apart}{second}\n\n    {OTHER}".split("\n")
    # Pauses are blanked before Markdown reads a slide; in the note's place stands a word.
    blanked = replace_comments(lines[:-1], scan(lines[:-1]).comments, blank_comment)
    tokens = MarkdownIt().enable("table").parse("\n".join([*blanked, "    SECRET"]))
    coded = any(token.type == "code_block" and "SECRET" in token.content for token in tokens)
    found = [comment for comment in scan(lines).comments if "SECRET" in comment.body]
    assert bool(found) != coded


@pytest.mark.parametrize(
    "text",
    [
        "Words.\n\n<!-- pause -->\n    {}",
        "<!-- notes: a\n--> words\n    {}",
        "- item\n<!-- pause -->\n    {}",
    ],
)
def test_a_note_right_below_a_comment_is_one(text: str) -> None:
    """What may be read in two ways is not shown."""
    found = scan(text.format(NOTE).split("\n")).comments
    assert any("SECRET" in comment.body for comment in found)


def test_many_comments_before_words_are_read_once() -> None:
    """Each way to part them was tried before: twice as many for each comment more."""
    line = "<!-- pause --> " * 2000 + "x"
    assert len(scan([line]).comments) == 2000
