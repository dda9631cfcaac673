"""What is written over a picture: words at a place, and what frames them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from slides.drawing.cells import clean, graphemes, width
from slides.scenes.painting.strokes import XY, edges
from slides.scenes.shapes import Anchor


@dataclass(frozen=True, slots=True)
class Frame:
    """What is drawn around or beside a word instead of at its place.

    Args:
        kind: A `box` or a `bracket` from the word's place to `to`, or the figure of a `tick` beside it.
        to: The other end.
        side: Where the words of a bracket stand.
        text: Those words.
    """

    kind: Literal["box", "bracket", "tick below", "tick left"]
    to: XY
    side: str = "above"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Words at a place. An empty `ink` takes whichever can be read on what lies below.

    `within` is the box they belong to (left, top, right, bottom): they stand in it or not at all, and are
    hidden by the marks that come `after` so many. What is `fixed` stands on its row or not at all.
    """

    place: XY
    text: str
    short: str = ""
    ink: str = "text"
    alpha: float = 1.0
    anchor: Anchor = "center"
    bold: bool = False
    within: tuple[float, float, float, float] | None = None
    fixed: bool = False
    frame: Frame | None = None
    after: float = math.inf


class Glyph(NamedTuple):
    """One cell of text; `text` is "" in the second cell of a wide character."""

    text: str
    ink: str
    alpha: float = 1.0
    bold: bool = False


def forms(word: Word) -> list[str]:
    """Return a word as it is, and its short form where it has one."""
    return [clean(form) for form in (word.text, word.short) if form]


@lru_cache(2048)  # in each frame of a moving picture they are nearly the same
def by_cell(text: str) -> tuple[str, ...]:
    """Return what each cell of a text shows: "" in the second one of a wide letter."""
    return tuple(part for piece in graphemes(text) for part in (piece, "", "")[: width(piece)])


def too_long(words: Sequence[Word], columns: int) -> list[str]:
    """Return the words of boxes that have no room in them, in a picture of so many columns."""
    found: list[str] = []
    for word in words:
        if word.within is not None and word.frame is None and (written := forms(word)):
            first, last = edges(word.within[0] * columns, word.within[2] * columns)
            if min(map(width, written)) > last - first:
                found.append(clean(word.text))
    return found


def in_line(words: Sequence[Word]) -> list[list[Word]]:
    """Return words that stand in a column or in a row, or are bold, as names of what is drawn do: they are of
    one size. Those that are bold come first."""
    columns, rows = Counter(word.place[0] for word in words), Counter(word.place[1] for word in words)
    found: dict[tuple[str, float], list[Word]] = {}
    for word in sorted(words, key=lambda word: not word.bold):
        x, y = word.place
        alone = columns[x] == rows[y] == 1
        down = columns[x] > 1 and columns[x] >= rows[y]
        key = ("bold", float(word.bold)) if alone else ("down", x) if down else ("across", y)
        found.setdefault(key, []).append(word)
    return list(found.values())
