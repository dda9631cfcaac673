"""Letters made of blocks, 5 dots wide and 8 high: what a terminal has for large type.

Half a cell is a dot, which makes a letter 6 cells wide and 4 high; a quarter of one, 3 wide and 4 high. Those
of `low_letters` are 6 dots high, a quarter of a cell each: 3 rows, two to three cells wide. Where a terminal
has sextants, these are 2 rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import product
from typing import Literal

from slides.drawing.large import low_letters
from slides.drawing.large.block_glyphs import QUADRANTS, SEXTANTS

Size = Literal["double", "full", "narrow", "large", "bold", "low", "slim", "short", "short_slim"]
"""12 x 8, 6 x 4, 3 x 4, 5 x 6, 3 x 3, 2.5 x 3, 2 x 3, 2.5 x 2 and 2 x 2 cells a letter."""

ROWS: dict[Size, int] = {
    "double": 8, "full": 4, "narrow": 4, "large": 6, "bold": 3, "low": 3, "slim": 3,
    "short": 2, "short_slim": 2,
}  # fmt: skip

_HIGH = 8
_BLANK = ("..",) * _HIGH  # between two words, besides the dots between letters
_WHOLE_OR_HALF = ("double", "full", "large")  # sizes whose dots are cells or halves of them
_OF_SEXTANTS = ("short", "short_slim")
_HALVES = " ▀▄█"
PARTS_OF_LETTERS = frozenset(QUADRANTS + SEXTANTS) - {*_HALVES, "▌", "▐"}
"""Glyphs that nothing but letters is made of."""

# A band is a line of characters, then their dots: the first column of each is under its character.
_BANDS = r"""
! "   #     $     %     &     ' (  )  *     +     ,  -    .  /     0     1   2     3     4     5
# #.# .#.#. ..#.. ##... .#... # .# #. ..... ..... .. .... .. ....# .###. .#. .###. .###. ...#. #####
# #.# .#.#. .#### ##..# #.#.. # #. .# ..#.. ..#.. .. .... .. ....# #...# ##. #...# #...# ..##. #....
# #.# ##### #.#.. ...#. #.#.. # #. .# #.#.# ..#.. .. .... .. ...#. #..## .#. ....# ....# .#.#. ####.
# ... .#.#. .###. ..#.. .#... . #. .# .###. ##### .. #### .. ..#.. #.#.# .#. ..##. ..##. #..#. ....#
# ... ##### ..#.# .#... #.#.# . #. .# #.#.# ..#.. .. .... .. .#... ##..# .#. .#... ....# ##### ....#
. ... .#.#. ####. #..## #..#. . #. .# ..#.. ..#.. .# .... ## #.... #...# .#. #.... #...# ...#. #...#
# ... .#.#. ..#.. ...## .##.# . .# #. ..... ..... .# .... ## #.... .###. ### ##### .###. ...#. .###.
. ... ..... ..... ..... ..... . .. .. ..... ..... #. .... .. ..... ..... ... ..... ..... ..... .....
6     7     8     9     : ;  <    =     >    ?     @     A     B     C     D     E     F     G
..##. ##### .###. .###. . .. ...# ..... #... .###. .###. .###. ####. .###. ####. ##### ##### .###.
.#... ....# #...# #...# . .. ..#. ..... .#.. #...# #...# #...# #...# #...# #...# #.... #.... #...#
#.... ...#. #...# #...# # .# .#.. ##### ..#. ....# #.### #...# #...# #.... #...# #.... #.... #....
####. ..#.. .###. .#### . .. #... ..... ...# ...#. #.#.# #...# ####. #.... #...# ####. ####. #.###
#...# .#... #...# ....# . .. .#.. ##### ..#. ..#.. #.### ##### #...# #.... #...# #.... #.... #...#
#...# .#... #...# ...#. # .# ..#. ..... .#.. ..... #.... #...# #...# #...# #...# #.... #.... #...#
.###. .#... .###. .##.. . .# ...# ..... #... ..#.. .###. #...# ####. .###. ####. ##### #.... .###.
..... ..... ..... ..... . #. .... ..... .... ..... ..... ..... ..... ..... ..... ..... ..... .....
H     I   J     K     L     M     N     O     P     Q     R     S     T     U     V     W     X
#...# ### ....# #...# #.... #...# #...# .###. ####. .###. ####. .###. ##### #...# #...# #...# #...#
#...# .#. ....# #..#. #.... ##.## #...# #...# #...# #...# #...# #...# ..#.. #...# #...# #...# #...#
#...# .#. ....# #.#.. #.... #.#.# ##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#.
##### .#. ....# ##... #.... #.#.# #.#.# #...# ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#..
#...# .#. ....# #.#.. #.... #...# #..## #...# #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#.
#...# .#. #...# #..#. #.... #...# #...# #...# #.... #..#. #..#. #...# ..#.. #...# .#.#. #.#.# #...#
#...# ### .###. #...# ##### #...# #...# .###. #.... .##.# #...# .###. ..#.. .###. ..#.. .#.#. #...#
..... ... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
Y     Z     [   \     ]   ^     _     `  a     b     c     d     e     f    g     h     i j   k    l
#...# ##### ### #.... ### ..#.. ..... #. ..... #.... ..... ....# ..... ..## ..... #.... # ..# #... #.
#...# ....# #.. #.... ..# .#.#. ..... .# ..... #.... ..... ....# ..... .#.. ..... #.... . ... #... #.
#...# ...#. #.. .#... ..# #...# ..... .. .###. ####. .###. .#### .###. #### .#### ####. # ..# #..# #.
.#.#. ..#.. #.. ..#.. ..# ..... ..... .. ....# #...# #...# #...# #...# .#.. #...# #...# # ..# #.#. #.
..#.. .#... #.. ...#. ..# ..... ..... .. .#### #...# #.... #...# ##### .#.. #...# #...# # ..# ##.. #.
..#.. #.... #.. ....# ..# ..... ..... .. #...# #...# #...# #...# #.... .#.. .#### #...# # ..# #.#. #.
..#.. ##### ### ....# ### ..... ##### .. .#### ####. .###. .#### .#### .#.. ....# #...# # ..# #..# ##
..... ..... ... ..... ... ..... ..... .. ..... ..... ..... ..... ..... .... .###. ..... . ##. .... ..
m     n     o     p     q     r    s     t    u     v     w     x     y     z     {    | }    ~
..... ..... ..... ..... ..... .... ..... .#.. ..... ..... ..... ..... ..... ..... ..## # ##.. .....
..... ..... ..... ..... ..... .... ..... .#.. ..... ..... ..... ..... ..... ..... .#.. # ..#. .....
##.#. ####. .###. ####. .#### #.## .#### #### #...# #...# #...# #...# #...# ##### .#.. # ..#. .#...
#.#.# #...# #...# #...# #...# ##.. #.... .#.. #...# #...# #.#.# .#.#. #...# ...#. #... # ...# #.#.#
#.#.# #...# #...# #...# #...# #... .###. .#.. #...# #...# #.#.# ..#.. #...# ..#.. .#.. # ..#. ...#.
#.#.# #...# #...# ####. .#### #... ....# .#.. #...# .#.#. #.#.# .#.#. .#### .#... .#.. # ..#. .....
#.#.# #...# .###. #.... ....# #... ####. ..## .#### ..#.. .#.#. #...# ....# ##### ..## # ##.. .....
..... ..... ..... #.... ....# .... ..... .... ..... ..... ..... ..... .###. ..... .... . .... .....
×     ·  –     ’  →     ±     ²   “     ”     …     ≈     √
..... .. ..... ## ..... ..#.. ##. .#..# ##.## ..... ..... ..###
#...# .. ..... .# ..#.. ..#.. ..# #..#. .#..# ..... .#... ..#..
.#.#. .. ..... #. ...#. ##### .#. ##.## #..#. ..... #.#.# ..#..
..#.. ## ##### .. ##### ..#.. ### ..... ..... ..... .#.#. ..#..
.#.#. ## ..... .. ...#. ..#.. ... ..... ..... ..... #.#.# #.#..
#...# .. ..... .. ..#.. ..... ... ..... ..... ..... ...#. .##..
..... .. ..... .. ..... ##### ... ..... ..... #.#.# ..... ..#..
..... .. ..... .. ..... ..... ... ..... ..... ..... ..... .....
"""


_quarters, _sextants = True, False


@cache
def _glyphs() -> dict[str, tuple[str, ...]]:
    lines = _BANDS.strip("\n").split("\n")
    found = {" ": _BLANK}
    for at in range(0, len(lines), _HIGH + 1):
        names, *dots = lines[at : at + _HIGH + 1]
        starts = [n for n, name in enumerate(names) if name != " "]
        for start in starts:
            end = dots[0].find(" ", start)
            found[names[start]] = tuple(row[start : end if end >= 0 else None] for row in dots)
    return found


def letters(text: str, width: int, sizes: tuple[Size, ...], most: int = 2) -> list[str] | None:
    """`text` in the first of `sizes` in which it takes at most `most` rows of letters; lines of blocks.

    None where it fits in no size, or has a character that there are no dots for.
    """
    found = _drawn(text, width, sizes, most)
    return None if found is None else list(found)


@lru_cache(512)  # a question is drawn again with each answer that comes
def _drawn(text: str, width: int, sizes: tuple[Size, ...], most: int) -> tuple[str, ...] | None:
    words = [word for word in re.split(r"[^\S\u00a0]+", text) if word]  # a no-break space parts nothing
    for size in sizes if words else ():
        if not drawable(text, size):
            continue
        rows = _wrapped(words, dots_in(width, size), size)
        if rows is not None and len(rows) <= most:
            return tuple(line.rstrip() for row in rows for line in _DRAW[size](_dots(row, size)))
    return None


def use_quarters(used: bool) -> None:
    """From now on there are letters of quarters of a cell, or none: not every terminal has such glyphs."""
    global _quarters
    _quarters = used
    _drawn.cache_clear()


def use_sextants(used: bool) -> None:
    """From now on there are letters of two rows, or none: only newer terminals have glyphs for them."""
    global _sextants
    _sextants = used
    _drawn.cache_clear()


def glyphs() -> tuple[bool, bool]:
    """Which glyphs the terminal has beside halves of a cell: quarters, sixths. What is drawn follows them."""
    return _quarters, _sextants


def drawable(text: str, size: Size) -> bool:
    """Whether there are dots for all of it, and glyphs for these."""
    if not (_sextants if size in _OF_SEXTANTS else _quarters or size in _WHOLE_OR_HALF):
        return False
    return set(text.replace("\u00a0", " ")) <= _of(size).keys()


def dots_in(cells: int, size: Size) -> int:
    """Return how many dots of a letter fit into so many cells, side by side."""
    return {"double": cells // 2, "full": cells, "large": cells}.get(size, 2 * cells)


def wide(text: str, size: Size) -> int:
    """Dots that a text takes."""
    glyphs = _of(size)
    return sum(len(glyphs[character][0]) + 1 for character in text.replace("\u00a0", " ")) - 1


def drawn(text: str, size: Size, gap: int = 0) -> list[str]:
    """One row of letters, every line as wide, with a `gap` of so many dots at its right."""
    return _DRAW[size]([row + "." * gap for row in _dots(text, size)])


def _of(size: Size) -> dict[str, tuple[str, ...]]:
    if size in ("bold", "large"):
        return low_letters.bold()
    if size in ("slim", "short_slim"):
        return low_letters.slim()
    return low_letters.low() if size in ("low", "short") else _glyphs()


def _wrapped(words: list[str], room: int, size: Size) -> list[str] | None:
    """Words in rows of at most `room` dots; None where a word is wider."""
    rows: list[str] = []
    for word in words:
        if wide(word, size) > room:
            return None
        joined = f"{rows[-1]} {word}" if rows else word
        if rows and wide(joined, size) <= room:
            rows[-1] = joined
        else:
            rows.append(word)
    return rows


def _dots(text: str, size: Size) -> list[str]:
    glyphs = _of(size)
    text = text.replace("\u00a0", " ")
    return [".".join(glyphs[character][y] for character in text) for y in range(len(glyphs[" "]))]


def _double(dots: list[str]) -> list[str]:
    return ["".join("██" if dot == "#" else "  " for dot in row) for row in dots]


def _large(dots: list[str]) -> list[str]:
    return ["".join("█" if dot == "#" else " " for dot in row) for row in dots]


def _full(dots: list[str]) -> list[str]:
    return [
        "".join(_HALVES[(a == "#") + 2 * (b == "#")] for a, b in zip(above, below, strict=True))
        for above, below in zip(dots[::2], dots[1::2], strict=True)
    ]


def quartered(dots: list[str]) -> list[str]:
    """Return dots as quarters of cells."""
    return _parts_of_cells(dots, QUADRANTS, 2)


def _sixths(dots: list[str]) -> list[str]:
    return _parts_of_cells(dots, SEXTANTS, 3)


def _parts_of_cells(dots: list[str], glyphs: str, high: int) -> list[str]:
    """Dots as glyphs of two dots across and `high` of them down."""
    of_dots = _of_dots(glyphs, high)
    even = [row + "." * (len(row) % 2) for row in dots]
    rows = ([row[0::2], row[1::2]] for row in even)
    columns = [column for row in rows for column in row]
    return [
        "".join(map(of_dots.__getitem__, zip(*columns[n : n + 2 * high], strict=True)))
        for n in range(0, len(columns), 2 * high)
    ]


@cache
def _of_dots(glyphs: str, high: int) -> dict[tuple[str, ...], str]:
    """The glyph of a cell's dots, row by row."""
    cells = product(".#", repeat=2 * high)
    return {cell: glyphs[sum((dot == "#") << n for n, dot in enumerate(cell))] for cell in cells}


_DRAW: dict[Size, Callable[[list[str]], list[str]]] = {
    "double": _double,
    "full": _full,
    "large": _large,
    "narrow": quartered,
    "bold": quartered,
    "low": quartered,
    "slim": quartered,
    "short": _sixths,
    "short_slim": _sixths,
}
