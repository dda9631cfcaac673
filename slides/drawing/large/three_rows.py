"""Text for the back rows: words in letters of three rows, and whole blocks with each cell made nine.

Cells of a terminal cannot grow. What there are no letters for stands in its own size in their middle row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple
from unicodedata import decomposition

from slides.drawing.cells import chop, graphemes, line_width, wrap
from slides.drawing.cells import width as cells_of
from slides.drawing.large import letters, low_letters
from slides.drawing.text import Line, Span, Style, plain

TIMES = 3  # cells that a cell becomes, across and down
_SPACE = 1  # cell between two words, besides the two or three dots at the end of each
_BETWEEN = re.compile("( +)")  # words of code
_BLANKS = (2, 2), (1, 2), (1, 1)  # cells of one between two words of code, and of each that indents a line
_BLANK = "   "
_RULES = {"─": "───", "━": "━━━", "═": "═══"}
_SOLID = "█▓▒░"
# Pieces of brackets as high as what they stand around, which go on from cell to cell.
_TALL = {
    **{sign: sign * TIMES for sign in "⎜⎟⎢⎥⎪"},
    **{sign: sign + 2 * more for sign, more in zip("⎛⎞⎡⎤⎧⎫", "⎜⎟⎢⎥⎪⎪", strict=True)},
    **{sign: 2 * more + sign for sign, more in zip("⎝⎠⎣⎦⎩⎭", "⎜⎟⎢⎥⎪⎪", strict=True)},
    **{sign: f"⎪{sign}⎪" for sign in "⎨⎬"},
}


class _Word(NamedTuple):
    """A word as three lines of equal width."""

    lines: tuple[Line, Line, Line]
    cells: int


def use_quarters(used: bool) -> None:
    """From now on there are letters of quarters of a cell, or none: what was drawn before is forgotten."""
    letters.use_quarters(used)
    _word.cache_clear()
    _letters.cache_clear()


def text(lines: Iterable[Line], width: int, *, tight: bool = False, slim: bool = False) -> list[Line]:
    """Lines of words, wrapped at `width` cells: three rows each, with a blank one between, or none."""
    rows: list[Line] = []
    for line in lines:
        for words in _wrapped(_words(line, width, slim), width):
            rows += [()] if rows and not tight else []
            rows += _joined(words)
    return rows


def longest_word(line: Line, *, slim: bool = False) -> int:
    """Cells of the widest word that `text` makes of it."""
    return max((word.cells for word in _words(line, 1 << 12, slim)), default=1)


def marker(span: Span, indent: int) -> list[Line]:
    """What stands before a list's item, right-aligned in `indent` cells."""
    word = _word((span._replace(text=span.text.strip()),), indent)
    return [(Span(" " * max(0, indent - word.cells - 2)), *line, Span("  ")) for line in word.lines]


def as_they_are(
    lines: Sequence[Line], width: int, *, gutter: int = 0, slim: bool = False
) -> list[Line] | None:
    """Lines that must not be wrapped (code), on the ground that each ends in up to `width`; one row for a
    line of blanks. The first `gutter` cells of each keep their size: a line's number, and what it has become.
    None where a line is wider, or has signs without letters."""
    parted = [(_parted(line, gutter), line[-1].style.ground if line else "") for line in lines]
    if not all(letters.drawable(plain(said), "low") for (_, said), _ in parted if said):
        return None
    ways = (_apart(parted, width, slim, blanks) for blanks in _BLANKS)
    return next((rows for rows in ways if rows is not None), None)


def _apart(
    lines: Sequence[tuple[tuple[Line, Line], str]], width: int, slim: bool, blanks: tuple[int, int]
) -> list[Line] | None:
    """The lines with so many cells for a blank between two words, and for each of several."""
    rows: list[Line] = []
    for (kept, said), ends_on in lines:
        ground = Style(ground=ends_on)
        parts = [_as_it_is(span) for span in kept]
        parts += _parts(said, slim, blanks)
        cells = sum(part.cells for part in parts)
        if cells > width:
            return None
        end = (Span(" " * (width - cells), ground),)
        high = range(TIMES) if plain(said).strip() else (_row_of(""),)
        rows += [(*(span for part in parts for span in part.lines[n]), *end) for n in high]
    return rows


def _parted(line: Line, gutter: int) -> tuple[Line, Line]:
    """The first cells of a line, and the rest without the blanks at its end."""
    cells = max(1, cells_of(plain(line).rstrip()) - gutter)
    kept, *others = chop(line, gutter) if gutter else [(), line]
    rest = tuple(span for piece in others for span in piece)
    return kept, chop(rest, cells)[0] if rest else ()


def _parts(line: Line, slim: bool, blanks: tuple[int, int]) -> list[_Word]:
    """Words and what is between them."""
    found: list[_Word] = []
    word: list[Span] = []
    for span in line:
        style = span.style._replace(bold=False) if span.style.bold else span.style
        for part in _BETWEEN.split(span.text):
            if part.strip():
                word.append(Span(part, style))
            elif part:
                found += _whole(word, slim)
                between = len(part) == 1 and found
                cells = blanks[0] if between else blanks[1] * len(part)
                blank: Line = (Span(" " * cells, Style(ground=style.ground)),)
                found.append(_Word((blank, blank, blank), cells))
                word = []
    return found + _whole(word, slim)


def _whole(word: Sequence[Span], slim: bool) -> list[_Word]:
    """A word in letters whose width does not depend on how many colours it has: where its lines are dimmed
    it has one, and a listing must not jump, nor leave its letters, from step to step."""
    size: letters.Size = "slim" if slim else "low"
    rows = _letters("".join(span.text for span in word), size, 1) if word else None
    if rows is None:
        return [_piece(span, 1, slim) for span in word]
    # No cell has dots of two letters: between them there is a blank one, and a cell is two wide.
    ends, dots = [0], 0
    for span in word[:-1]:
        dots += letters.wide(span.text, size) + 1
        ends.append(dots // 2)
    ends.append(len(rows[0]))
    styles = [span.style._replace(underline=False, strike=False) for span in word]
    first, middle, last = (
        tuple(Span(row[a:b], style) for (a, b), style in zip(pairwise(ends), styles, strict=True))
        for row in rows
    )
    return [_Word((first, middle, last), len(rows[0]))]


def block(lines: Sequence[Line]) -> list[Line]:
    """Each cell of the lines three by three; a blank line stays one."""
    rows: list[Line] = []
    for line in lines:
        if not plain(line).strip() and not any(span.style.ground for span in line):
            rows.append(())
            continue
        rows += [tuple(Span(_magnified(text, n), style) for text, style in line) for n in range(TIMES)]
    return rows


def _magnified(text: str, row: int) -> str:
    return "".join(_cell(sign, row) for sign in graphemes(text))


def _cell(sign: str, row: int) -> str:
    cells = cells_of(sign)
    if sign in _SOLID:
        return sign * TIMES
    if sign in _RULES:
        return _RULES[sign] if row == 1 else _BLANK
    if sign == "│":
        return " │ "
    if sign in _TALL:
        return f" {_TALL[sign][row]} "
    dots = low_letters.low().get(sign)
    if dots is not None and len(dots[0]) <= 6 and letters.drawable(sign, "low"):
        return letters.quartered([_centred(line) for line in dots])[row]
    middle = sign + " " * (2 * cells)
    if row != _row_of(sign):
        return " " * (3 * cells)
    return (middle[-cells:] + middle[: -cells or None])[: 3 * cells]


def _centred(dots: str) -> str:
    before = (6 - len(dots)) // 2
    return "." * before + dots + "." * (6 - len(dots) - before)


# -- words ---------------------------------------------------------------------------------------------------


def _words(line: Line, width: int, slim: bool) -> list[_Word]:
    words: list[list[Span]] = [[]]
    for span in line:
        for n, part in enumerate(span.text.split(" ")):
            if n and words[-1]:
                words.append([])
            if part:
                words[-1].append(Span(part, span.style))
    return [_word(tuple(word), width, slim) for word in words if word]


@lru_cache(maxsize=1024)  # a page is drawn in each manner that it is tried in
def _word(spans: Line, width: int, slim: bool = False) -> _Word:
    spans = tuple(part for span in spans for part in _by_letters(span))
    pieces = [_piece(span, 1 + (n == len(spans) - 1), slim) for n, span in enumerate(spans)]
    if sum(piece.cells for piece in pieces) > width:
        pieces = [_as_it_is(Span(span.text, span.style)) for span in spans]
    first, middle, last = (tuple(span for piece in pieces for span in piece.lines[n]) for n in range(3))
    return _Word((first, middle, last), sum(piece.cells for piece in pieces))


def _by_letters(span: Span) -> list[Span]:
    """What there are letters for apart from what has none."""
    if letters.drawable(span.text, "low"):
        return [span]
    kinds = groupby(graphemes(span.text), key=lambda sign: letters.drawable(sign, "low"))
    return [span._replace(text="".join(signs)) for _, signs in kinds]


def _piece(span: Span, gap: int, slim: bool) -> _Word:
    size: letters.Size = "slim" if slim else "bold" if span.style.bold else "low"
    rows = _letters(span.text, size, gap)
    if rows is None:
        return _as_it_is(span)
    style = span.style._replace(underline=False, strike=False)
    first, middle, last = ((Span(row, style),) for row in rows)
    return _Word((first, middle, last), len(rows[0]))


@lru_cache(maxsize=2048)
def _letters(text: str, size: letters.Size, gap: int) -> tuple[str, ...] | None:
    """A word is drawn several times: to see how wide it is, and in each manner that a slide is tried in."""
    return tuple(letters.drawn(text, size, gap)) if letters.drawable(text, size) else None


def _as_it_is(span: Span) -> _Word:
    cells = cells_of(span.text)
    blank = Span(" " * cells, Style(ground=span.style.ground))
    lines: list[Line] = [(blank,)] * 3
    lines[_row_of(span.text)] = (span,)
    return _Word((lines[0], lines[1], lines[2]), cells)


def has_letters(lines: Iterable[Line]) -> bool:
    """Whether no word of these lines would stand in its own size among letters, but an index and a power. A
    sign that is no letter (a tick, an emoji) may."""
    signs = {sign for line in lines for sign in plain(line) if sign.isalnum()}
    return all(letters.drawable(sign, "low") or _row_of(sign) != 1 for sign in signs)


def _row_of(text: str) -> int:
    """The row of letters that small ones stand beside: an index in the last, a power in the first."""
    kinds = {decomposition(sign).partition(" ")[0] for sign in text}
    return 2 if kinds == {"<sub>"} else 0 if kinds == {"<super>"} else 1


def _wrapped(words: Sequence[_Word], width: int) -> list[list[_Word]]:
    rows: list[list[_Word]] = []
    room = 0
    for word in words:
        if word.cells > width:  # in its own size, in pieces
            for line in wrap(word.lines[1], width):
                cells = line_width(line)
                blank = (Span(" " * cells),)
                rows.append([_Word((blank, line, blank), cells)])
            room = 0
        elif rows and word.cells + _SPACE <= room:
            rows[-1].append(word)
            room -= word.cells + _SPACE
        else:
            rows.append([word])
            room = width - word.cells
    return rows


def _joined(words: Sequence[_Word]) -> list[Line]:
    lines: list[Line] = []
    for n in range(3):
        spans: list[Span] = []
        for word in words:
            spans += [Span(" " * _SPACE)] if spans else []
            spans += word.lines[n]
        lines.append(tuple(spans))
    return lines
