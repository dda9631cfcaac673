"""Dialects: what stands in other files, the separators of a deck among it."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Box
from slides.dialects.programs.reveal.markdown import bounded
from slides.reading.parse import parse_slide
from slides.reading.split import load
from slides.reading_order import blocks


def test_files_of_slides_are_taken_in_with_their_paths(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("# A\n\n![](pic.png)\n\n---\n\n# B\n\n---\nsrc: ./c.md\n---\n")
    (tmp_path / "pages" / "c.md").write_text("# C\n\n---\nsrc: ./a.md\n---\n")
    (tmp_path / "deck.md").write_text(
        "# One\n\n---\nsrc: ./pages/a.md#1,3-\n---\n\n---\nsrc: /pages/c.md\n---\n"
    )
    deck = load(tmp_path / "deck.md")
    # `a` takes in `c`, which would take in `a` again: that is said, and not done.
    assert [head.title for head in deck.slides] == ["One", "A", "C", "C", "A", "B"]
    assert "![](pages/pic.png)" in deck.source
    assert any("take in each other" in problem.message for problem in deck.problems)
    assert {head.line for head in deck.slides} == {1, 3, 7}


def test_separators_stand_in_a_file_beside_the_deck(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n\n----\n\n# B\n\n-v-\n\n# C\n\nSay: it\n")
    assert len(load(deck, "revealmd").slides) == 2
    (tmp_path / "reveal-md.json").write_text(
        r'{"theme": "x", "verticalSeparator": "^\\s*-v-\\s*$", "notesSeparator": "^Say:"}'
    )
    found = load(deck, "revealmd")
    assert [head.title for head in found.slides] == ["A", "C"] and parse_slide(found, 1).notes
    assert str(tmp_path / "reveal-md.json") in found.files
    deck.write_text("---\nverticalSeparator: <!--v-->\n---\n# A\n\n<!--v-->\n\n# B\n\n-v-\n")
    assert len(load(deck, "revealmd").slides) == 2  # its own settings first
    (tmp_path / "reveal-md.json").write_text("{ broken")
    assert len(load(deck, "revealmd").slides) == 2


def test_files_outside_the_folder_are_a_box(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# A secret\n")
    (tmp_path / "in").mkdir()
    for name, text in {
        "presenterm": "# A\n\n<!-- include: ../secret.md -->\n",
        "slidev": "# A\n\n---\nsrc: ../secret.md\n---\n",
    }.items():
        (tmp_path / "in" / "deck.md").write_text(text)
        deck = load(tmp_path / "in" / "deck.md", name)
        assert "secret" not in " ".join(head.title for head in deck.slides)
        boxes = [b for b in blocks(parse_slide(deck, 0).blocks) if isinstance(b, Box)]
        assert len(boxes) == 1 and "outside the deck's folder" in boxes[0].problem.message
        assert boxes[0].problem.line == 3


@pytest.mark.parametrize(
    "written", [r"\r?\n---\r?\n", "^\n\n\n", "<!--s-->", r"^\s*---\s*$", "[-*]{3}", "a|b"]
)
def test_a_separator_is_a_pattern(written: str) -> None:
    assert bounded(written) is not None


@pytest.mark.parametrize(
    "written", ["(a+)+$", "(a|a)*b", "a*a*a*a*b", "", "x?", "[", "a{99}", r"(?=a)", r"\1"]
)
def test_a_separator_that_could_take_for_ever_is_none(written: str) -> None:
    assert bounded(written) is None
