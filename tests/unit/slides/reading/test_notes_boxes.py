"""Notes in a box are notes: on no slide, in nothing that the room gets, and every line keeps its number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.reading.notes_boxes import as_comments
from slides.reading.split import split
from tui.deck import deck_upload
from tui.deck.contents import Contents
from tui.deck.search import texts

AFTER = "\n\n---\n\n# Two {#two}\n\nseen too\n"
BOXES = {
    "plain": "::: notes\nSECRET\n:::",
    "class": "::: {.notes}\nSECRET one\n\nSECRET two\n:::",
    "more colons": ":::: notes\nSECRET\n::::",
    "a box within": "::: notes\nSECRET\n\n::: tip\nSECRET\n:::\n\nSECRET\n:::",
    "code within": "::: notes\n```python\nx = 1  # SECRET\n:::\n```\nSECRET\n:::",
    "a comment within": "::: notes\nSECRET\n\n<!-- pause -->\n\nSECRET\n:::",
    "never closed": "::: notes\nSECRET\n\nSECRET",
    "empty": "::: notes\n:::",
    "last line": "::: notes",
    "within other notes": "<!-- notes:\nSECRET\n::: notes\nSECRET\n:::\nSECRET\n-->",
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_the_words_are_the_speakers_alone(box: str) -> None:
    contents = Contents(split(f"# One {{#one}}\n\nseen\n\n{box}{AFTER}", "deck.md"))
    assert [head.id for head in contents.heads] == ["one", "two"]
    assert contents.slide(0).steps == 1
    shown = [text.text for text in texts(contents, 0, lambda block: None) if not text.note]
    assert "seen" in " ".join(shown) and "SECRET" not in " ".join(shown)
    assert b"SECRET" not in deck_upload.for_audience(contents)
    notes = [text.text for text in texts(contents, 0, lambda block: None) if text.note]
    assert ("SECRET" in " ".join(notes)) == ("SECRET" in box)


@pytest.mark.parametrize(
    "text",
    ["```\n::: notes\nx\n:::\n```", "::: note\nx\n:::", "some notes ::: here", "::: tip title=notes\nx\n:::"],
)
def test_what_is_no_box_of_notes_stays(text: str) -> None:
    assert as_comments(text) is text or as_comments(text) == text


@given(
    st.lists(
        st.sampled_from(["::: notes", ":::", "```", "---", "", "x", "-->", "<!-- a", "::: tip"]),
        min_size=1,
        max_size=14,
    )
)
def test_every_line_keeps_its_number(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = as_comments(text).split("\n")
    assert len(found) == len(lines)
    for was, now in zip(lines, found, strict=True):
        assert now.startswith(was[:1]) or was.startswith(":::") or now == was
