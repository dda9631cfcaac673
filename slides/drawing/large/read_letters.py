"""Letters made of blocks, back to the words they say: who points at them, or hears a slide, needs those."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from slides.drawing.large import low_letters

_QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
_ROWS = low_letters.HIGH // 2  # of cells
_APART = 3  # dots without any between two words, at least: letters of one are a dot apart
_ZERO = re.compile(r"(?<![\d.])0(?=[A-Za-z])|(?<=[A-Za-z])0")  # an O looks the same
_LIKE_OTHERS = "☑"  # of a list of tasks, drawn as the tick of a right answer
_Columns = tuple[str, ...]  # a glyph or a row of them, column by column


def words(rows: Sequence[str]) -> str:
    """The words of rows of letters, low, bold or slim ones, three each; "" where they are no such letters."""
    if len(rows) > _ROWS and not len(rows) % _ROWS:
        said = [words(rows[n : n + _ROWS]) for n in range(0, len(rows), _ROWS)]
        return " ".join(said) if all(said) else ""
    if len(rows) != _ROWS or not any(sign in row for row in rows for sign in _QUARTERS[1:]):
        return ""
    return _said(_columns(rows))


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


def _columns(rows: Sequence[str]) -> list[str]:
    wide = max(map(len, rows))
    dots = [""] * low_letters.HIGH
    for n, row in enumerate(rows):
        for sign in row.ljust(wide):
            bits = max(0, _QUARTERS.find(sign))
            dots[2 * n] += ".#"[bits & 1] + ".#"[bits >> 1 & 1]
            dots[2 * n + 1] += ".#"[bits >> 2 & 1] + ".#"[bits >> 3 & 1]
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
