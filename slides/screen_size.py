"""Sizes of a terminal in cells: as they are written, and the smallest one a deck is made for (`minimum:`)."""

from __future__ import annotations

import re
from typing import NamedTuple

from slides.deck import Deck
from slides.problems import Problem, quoted

_SIZE = re.compile(r"\s*([0-9]{1,4})\s*[x×]\s*([0-9]{1,4})\s*")


class Size(NamedTuple):
    """Size of a terminal, in cells."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


USUAL, SMALLEST = Size(100, 30), Size(20, 5)


def read_size(text: str) -> Size | None:
    """Read `100x30`; None if it is not a size that a slide could be shown at."""
    match = _SIZE.fullmatch(text)
    size = Size(int(match[1]), int(match[2])) if match else SMALLEST
    return size if match and size.width >= SMALLEST.width and size.height >= SMALLEST.height else None


def declared_size(deck: Deck) -> Size | Problem:
    """Return the smallest size the deck is made for: `minimum:` of its front matter, else the usual one."""
    written = deck.meta.get("minimum", "")
    if not written:
        return USUAL
    mend = f"Write columns and rows of a terminal: `minimum: {USUAL}`."
    return read_size(written) or Problem(
        deck.path, front_line(deck, "minimum"), f"{quoted(written)} is not a size", mend
    )


def front_line(deck: Deck, key: str) -> int:
    """Return the line of a setting in the front matter."""
    lines = deck.source.split("\n", 200)
    row = next((n for n, line in enumerate(lines) if re.match(rf"{key}\s*:", line)), 0)
    return deck.places[row] if row < len(deck.places) else row + 1
