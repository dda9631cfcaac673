"""A screen as somebody reads it: what is in large letters is words too."""

from __future__ import annotations

import re

from slides.drawing.large import read_letters


def read(screen: str) -> str:
    """The text of a screen, and below it the words of its lines that are in letters."""
    rows = screen.split("\n")
    said = (read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2))
    return "\n".join((screen, *filter(None, said)))


def bars(screen: str) -> bool:
    """Whether it shows how many chose what (letters of a title are made of blocks too)."""
    return re.search(r"█ \d", screen) is not None
