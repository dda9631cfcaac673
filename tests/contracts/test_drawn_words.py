"""Decks of other programs hold the words, in their order and on their slides, that those programs draw.

The decks are ours, written as people write them; the words are the programs' own and written anew by
`python tests/scripts/drawn_words.py`. Pandoc makes a title slide of its settings only in a whole page: ours
is left out. Pictures, formulas and footnotes are held elsewhere.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from slides.export.plain_words import text
from slides.reading.parse import parse_slide
from slides.reading.split import load

FOLDER = Path(__file__).parent / "dialects_drawn"
THEIRS: dict[str, list[str]] = json.loads((FOLDER / "words.json").read_text("utf-8"))


def ours(name: str) -> list[str]:
    program = name.partition("-")[0]
    deck = load(FOLDER / name, program)
    slides = [parse_slide(deck, head.index) for head in deck.slides]
    if program == "pandoc" and slides[0].layout == "title":
        slides = slides[1:]
    said = [unicodedata.normalize("NFKC", text(slide.blocks)).casefold() for slide in slides]
    return [" ".join(re.findall(r"\w+", one)) for one in said]


def test_every_deck_was_drawn() -> None:
    assert sorted(THEIRS) == sorted(path.name for path in FOLDER.glob("*.md"))
    assert all(len(slides) > 1 and all(slides) for slides in THEIRS.values())


@pytest.mark.parametrize("name", THEIRS)
def test_words_and_their_order(name: str) -> None:
    assert ours(name) == THEIRS[name]
