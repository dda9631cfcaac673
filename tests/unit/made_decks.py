"""Decks of other programs, read as they are for a screen."""

from __future__ import annotations

from pathlib import Path

from slides.deck import Deck, Slide
from slides.dialects import translate
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks, inlines


def read(text: str, name: str, folder: Path | None = None) -> Deck:
    return split(translate(normalise(text), name, (folder or Path()) / "deck.md").text, "deck.md")


def slides(text: str, name: str) -> list[Slide]:
    deck = read(text, name)
    return [parse_slide(deck, head.index) for head in deck.slides]


def words(of: list[Slide]) -> str:
    return "\n".join(
        "".join(part.text for part in inlines(block)) for slide in of for block in blocks(slide.blocks)
    )
