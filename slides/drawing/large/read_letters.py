"""Letters made of blocks, back to the words they say: who points at them, or hears a slide, needs those."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from slides.drawing.large import low_letters
from slides.drawing.large.block_glyphs import QUADRANTS, SEXTANTS

_OF_SEXTANTS = frozenset(SEXTANTS) - frozenset(QUADRANTS)
_APART = 3  # dots without any between two words, at least: letters of one are a dot apart
_ZERO = re.compile(r"(?<![\d.])0(?=[A-Za-z])|(?<=[A-Za-z])0")  # an O looks the same
_LIKE_OTHERS = "☑"  # of a list of tasks, drawn as the tick of a right answer
_Columns = tuple[str, ...]  # a glyph or a row of them, column by column


def height(rows: Sequence[str]) -> int:
    """Rows of cells that a row of letters among these has."""
    return 3 if all(_OF_SEXTANTS.isdisjoint(row) for row in rows) else 2


def words(rows: Sequence[str]) -> str:
    """The words of rows of letters, low, bold or slim ones, `height` rows each; "" where they are none."""
    high = height(rows)
    said = [_words(rows[n : n + high], high) for n in range(0, len(rows), high)]
    return " ".join(said) if all(said) else ""


def _words(rows: Sequence[str], high: int) -> str:
    glyphs = QUADRANTS if high == 3 else SEXTANTS
    if len(rows) != high or all(frozenset(glyphs[1:]).isdisjoint(row) for row in rows):
        return ""
    return _said(_columns(rows, glyphs))


def _said(columns: Sequence[str]) -> str:
    said, at, blank = "", 0, 0
    while at < len(columns):
        if "#" not in columns[at]:
            blank, at = blank + 1, at + 1
            continue
        found = _letter(columns, at)
        if found is None:
            return ""
        letter, wide = found
        said += " " * bool(said and blank >= _APART) + letter
        at, blank = at + wide, 0
    return _ZERO.sub("O", said)


def _columns(rows: Sequence[str], glyphs: str) -> list[str]:
    wide, down = max(map(len, rows)), low_letters.HIGH // len(rows)
    dots = [""] * low_letters.HIGH
    for n, row in enumerate(rows):
        for sign in row.ljust(wide):
            bits = max(0, glyphs.find(sign))
            for y in range(down):
                dots[down * n + y] += ".#"[bits >> 2 * y & 1] + ".#"[bits >> 2 * y + 1 & 1]
    return ["".join(column) for column in zip(*dots, strict=True)]


def _letter(columns: Sequence[str], at: int) -> tuple[str, int] | None:
    """The letter that begins in a column, and how many it has; the widest where one begins like another."""
    for wide in range(min(_widest(), len(columns) - at), 0, -1):
        ends = at + wide == len(columns) or "#" not in columns[at + wide]
        if ends and (letter := _glyphs().get(tuple(columns[at : at + wide]))):
            return letter, wide
    return None


@cache
def _glyphs() -> dict[_Columns, str]:
    """The letter of each glyph, without the blank columns at its edges; the plainest of those alike."""
    found: dict[_Columns, str] = {}
    for glyphs in (low_letters.bold(), low_letters.low(), low_letters.slim()):
        for letter, rows in sorted(glyphs.items(), key=lambda glyph: (glyph[0] in _LIKE_OTHERS, glyph[0])):
            columns = ["".join(column) for column in zip(*rows, strict=True)]
            inked = [n for n, column in enumerate(columns) if "#" in column]
            if inked:
                found.setdefault(tuple(columns[inked[0] : inked[-1] + 1]), letter)
    return found


@cache
def _widest() -> int:
    return max(map(len, _glyphs()))
