"""Letters of 3 rows: 6 dots high, of which the last is below the line; mostly 4 dots wide.

As they are they are for running text; `bold` ones, whose strokes are a cell wide, are for titles, `slim` ones
are for more words than others have room for.
"""

from __future__ import annotations

from functools import cache
from unicodedata import decomposition, normalize

HIGH = 6
# A band is a line of characters, then their dots: the first column of each is under its character.
_BANDS = r"""
! "   #     $     %     &     ' (  )  *     +     ,  -   . /   0    1   2    3    4    5    6
# #.# .#.#. ..#.. ##..# .##.. # .# #. ..... ..... .. ... . ..# .##. .#. ###. ###. #..# #### .##.
# #.# ##### .#### ...#. #..#. # #. .# #.#.# ..#.. .. ... . ..# #..# ##. ...# ...# #..# #... #...
# ... .#.#. .##.. ..#.. .##.. . #. .# .###. ##### .. ### . .#. #..# .#. .##. .##. #### ###. ###.
. ... ##### ..##. .#... #..#. . #. .# #.#.# ..#.. .. ... . #.. #..# .#. #... ...# ...# ...# #..#
# ... .#.#. ####. #..## .##.# . .# #. ..... ..... .# ... # #.. .##. ### #### ###. ...# ###. .##.
. ... ..... ..#.. ..... ..... . .. .. ..... ..... #. ... . ... .... ... .... .... .... .... ....
7    8    9    : ;  <   =    >   ?    @     A    B    C    D    E    F    G    H    I   J    K
#### .##. .##. . .. ..# .... #.. ###. .###. .##. ###. .### ###. #### #### .### #..# ### ...# #..#
...# #..# #..# . .# .#. #### .#. ...# #.#.# #..# #..# #... #..# #... #... #... #..# .#. ...# #.#.
..#. .##. .### # .. #.. .... ..# .##. #.### #### ###. #... #..# ###. ###. #.## #### .#. ...# ##..
.#.. #..# ...# . .. .#. #### .#. .... #.... #..# #..# #... #..# #... #... #..# #..# .#. #..# #.#.
.#.. .##. .##. # .# ..# .... #.. .#.. .###. #..# ###. .### ###. #### #... .### #..# ### .##. #..#
.... .... .... . #. ... .... ... .... ..... .... .... .... .... .... .... .... .... ... .... ....
L    M     N    O    P    Q    R    S    T     U    V     W     X    Y     Z    [  \   ]  ^   _
#... #...# #..# .##. ###. .##. ###. .### ##### #..# #...# #...# #..# #...# #### ## #.. ## .#. ....
#... ##.## ##.# #..# #..# #..# #..# #... ..#.. #..# #...# #...# #..# .#.#. ...# #. #.. .# #.# ....
#... #.#.# #.## #..# ###. #..# ###. .##. ..#.. #..# .#.#. #.#.# .##. ..#.. .##. #. .#. .# ... ....
#... #...# #..# #..# #... #.#. #.#. ...# ..#.. #..# .#.#. #.#.# #..# ..#.. #... #. ..# .# ... ....
#### #...# #..# .##. #... .#.# #..# ###. ..#.. .##. ..#.. .#.#. #..# ..#.. #### ## ..# ## ... ....
.... ..... .... .... .... .... .... .... ..... .... ..... ..... .... ..... .... .. ... .. ... ####
`  a    b    c    d    e    f   g    h    i j  k    l  m     n    o    p    q    r   s    t   u
#. .... #... .... ...# .... .## .... #... # .# #... #. ..... .... .... .... .... ... .... #.. ....
.# ###. ###. .### .### .##. #.. .### ###. . .. #.#. #. ####. ###. .##. ###. .### #.# .### ### #..#
.. .### #..# #... #..# #.## ##. #..# #..# # .# ##.. #. #.#.# #..# #..# #..# #..# ##. ##.. #.. #..#
.. #..# #..# #... #..# ##.. #.. .### #..# # .# #.#. #. #.#.# #..# #..# #..# #..# #.. ..## #.. #..#
.. .### ###. .### .### .### #.. ...# #..# # .# #..# .# #.#.# #..# .##. ###. .### #.. ###. .## .###
.. .... .... .... .... .... ... ###. .... . #. .... .. ..... .... .... #... ...# ... .... ... ....
v     w     x    y    z    {   | }   ~     °   ±     ²   ³   · ¹  Ä    É    Ö    ×   Ü    ß    à
..... ..... .... .... .... .## # ##. ..... .#. ..#.. ##. ### . .# #..# ..#. #..# ... #..# .##. .#..
#...# #.#.# #..# #..# #### .#. # .#. .#..# #.# ##### .#. .## . ## .... #### .... #.# .... #..# ....
#...# #.#.# .##. #..# ..#. #.. # ..# #.##. .#. ..#.. ### ### # .# .##. ###. .##. .#. #..# #.#. .###
.#.#. #.#.# .##. .### .#.. .#. # .#. ..... ... ..... ... ... . .. #### #... #..# #.# #..# #..# #..#
..#.. .#.#. #..# ...# #### .## # ##. ..... ... ##### ... ... . .. #..# #### .##. ... .##. #.#. .###
..... ..... .... ###. .... ... . ... ..... ... ..... ... ... . .. .... .... .... ... .... .... ....
á    â    ä    å    ç    è    é    ê    í  ñ    ó    ô    ö    ø    ú    ü    ł  Δ     Σ    Ω
..#. .##. #..# .##. .... .#.. ..#. .##. .# .##. ..#. .##. #..# .... ..#. #..# #. ..#.. #### .###.
.... .... .... .... .### .##. .##. .##. .. .... .... .... .... .##. .... .... #. .#.#. .#.. #...#
.### .### .### .### #... #.## #.## #.## #. ###. .##. .##. .##. #.## #..# #..# ## .#.#. ..#. #...#
#..# #..# #..# #..# #... ##.. ##.. ##.. #. #..# #..# #..# #..# ##.# #..# #..# #. #...# .#.. .#.#.
.### .### .### .### .### .### .### .### #. #..# .##. .##. .##. .##. .### .### .# ##### #### ##.##
.... .... .... .... .#.. .... .... .... .. .... .... .... .... .... .... .... .. ..... .... .....
α     β    γ     δ    ε    η    θ    λ    μ    π     σ     φ     –    —      ‘ ’ “   ”   •  …
..... .##. ..... .### .... .... .##. #... .... ..... ..... ..#.. .... ...... # # #.# #.# .. .....
.##.# #..# #...# .#.. .### ###. #..# .#.. #..# ##### .#### .###. .... ...... # # #.# #.# .. .....
#..#. ###. .#.#. .### ##.. #..# #### .##. #..# .#.#. #..#. #.#.# #### ###### . . ... ... ## .....
#..#. #..# ..#.. #..# #... #..# #..# #..# #..# .#.#. #..#. #.#.# .... ...... . . ... ... ## .....
.##.# ###. ..#.. .##. .### #..# .##. #..# ###. .#.## .##.. .###. .... ...... . . ... ... .. #.#.#
..... #... ..#.. .... .... ...# .... .... #... ..... ..... ..#.. .... ...... . . ... ... .. .....
₀   ←      →      ∑    −    √     ∞     ≈      ≠    ≤    ≥    ⋅ ■    ▷   ○    ●    ✓     ✗
... ..#... ...#.. #### .... ..### ..... .##..# ...# ..## ##.. . .... ... .... .... ..... ....
... .##... ...##. .#.. .... ..#.. .#.#. #..##. #### ##.. ..## . #### #.. .##. .##. ....# #..#
### ###### ###### ..#. #### ..#.. #.#.# ...... ..#. ..## ##.. # #### ##. #..# #### ...#. .##.
#.# .##... ...##. .#.. .... #.#.. .#.#. .##..# #### .... .... . #### ##. #..# #### #.#.. .##.
### ..#... ...#.. #### .... .#... ..... #..##. #... #### #### . #### #.. .##. .##. .#... #..#
... ...... ...... .... .... ..... ..... ...... .... .... .... . .... ... .... .... ..... ....
Ψ     ψ     ρ    τ    ω     χ    Φ     Θ    Λ     ∂    ∇     ÷
#.#.# ..... .... .... ..... .... .###. .##. ..#.. .##. ##### ..#..
#.#.# #.#.# .##. #### #...# #..# #.#.# #..# ..#.. ...# #...# .....
.###. #.#.# #..# .#.. #.#.# .##. #.#.# #### .#.#. .### .#.#. #####
..#.. .###. #..# .#.. #.#.# .##. .###. #..# .#.#. #..# .#.#. .....
..#.. ..#.. ###. ..## .#.#. #..# ..#.. .##. #...# .##. ..#.. ..#..
..... ..#.. #... .... ..... #..# ..... .... ..... .... ..... .....
"""


# What is no letter any more when it loses a column.
_SLIM = """\
k    v    z    K    N     Q    T    V    Y    7
#..  ...  ...  #.#  #..#  .#.  ###  #.#  #.#  ###
#.#  #.#  ###  #.#  ##.#  #.#  .#.  #.#  #.#  ..#
##.  #.#  .##  ##.  #.##  #.#  .#.  #.#  .#.  .#.
##.  #.#  ##.  #.#  #..#  ##.  .#.  #.#  .#.  .#.
#.#  .#.  ###  #.#  #..#  .##  .#.  .#.  .#.  .#.
...  ...  ...  ...  ....  ...  ...  ...  ...  ...
"""
# Marks over and under a letter, by their combining characters: as wide as three dots.
_OVER = {
    "\u0300": "#..", "\u0301": "..#", "\u0302": ".#.", "\u0303": "##.", "\u0304": "###",
    "\u0306": "#.#", "\u0307": ".#.", "\u0308": "#.#", "\u030a": ".#.", "\u030b": ".##", "\u030c": "#.#",
}  # fmt: skip
_UNDER = {"\u0323": ".#.", "\u0326": ".#.", "\u0327": ".#.", "\u0328": "..#", "\u0331": "###"}
# Indices and powers: 4 dots high, in the last rows or the first.
_SMALL = """
0   1   2   3   4   5   6   7   8   9   +   -   =   (  )  a   e   h   i j  k   l m     n   o   p   r   s   t   u   v   x   T
### .#. ##. ##. #.# ### #.. ### ### ### ... ... ... .# #. ... ... #.. # .# #.. # ..... ... ... ##. ... ... .#. ... ... ... ###
#.# ##. ..# .## #.# ##. ### ..# ### #.# .#. ... ### #. .# .## ### ##. . .. #.# # ##.#. ##. ### #.# .## .## ### #.# #.# #.# .#.
#.# .#. .#. ..# ### ..# #.# .#. #.# ### ### ### ... #. .# #.# ##. #.# # .# ##. # #.#.# #.# #.# ##. #.. .#. .#. #.# #.# .#. .#.
### ### ### ##. ..# ##. ### .#. ### ..# .#. ... ### .# #. ### .## #.# # #. #.# # #.#.# #.# ### #.. #.. ##. .## ### .#. #.# .#.
"""  # noqa: E501 (a band is as long as its letters)
_BOX = ("#####", "#...#", "#...#", "#...#", "#####", ".....")
_BOLD_N = ("##..##", "###.##", "######", "##.###", "##..##", "......")


@cache
def low() -> dict[str, tuple[str, ...]]:
    """Return the dots of each character: `HIGH` rows of equal length, a character a dot."""
    found = {" ": ("..",) * HIGH, **_read(_BANDS)}
    found["☑"], found["☐"] = found["✓"], _BOX
    found["◦"], found["‣"] = found["○"], found["▷"]
    found["µ"] = found["μ"]  # the unit's sign and the letter
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):  # Latin letters with marks
        letter, *marks = list(normalize("NFD", chr(code)))
        if marks and letter in found and all(mark in (*_OVER, *_UNDER) for mark in marks):
            rows = found[letter]
            for mark in marks:
                rows = _marked(letter, rows, mark)
            found.setdefault(chr(code), rows)
    small = _read(_SMALL, 4)
    for code in (*range(0x2070, 0x209D), *range(0x1D2C, 0x1D6B), 0x2C7C):
        kind, _, base = decomposition(chr(code)).partition(" ")
        letter = chr(int(base, 16)).replace("\u2212", "-") if base and " " not in base else ""
        if letter in small:
            rows = small[letter]
            blank = ("." * len(rows[0]),) * (HIGH - len(rows))
            raised = (*rows[1:], blank[0]) if letter in "+-=" else rows  # else they look like those of a line
            found.setdefault(chr(code), (*blank, *rows) if kind == "<sub>" else (*raised, *blank))
    return found


def _read(bands: str, high: int = HIGH) -> dict[str, tuple[str, ...]]:
    lines = bands.strip("\n").split("\n")
    found: dict[str, tuple[str, ...]] = {}
    for at in range(0, len(lines), high + 1):
        names, *dots = lines[at : at + high + 1]
        for start in (n for n, name in enumerate(names) if name != " "):
            end = dots[0].find(" ", start)
            found[names[start]] = tuple(row[start : end if end >= 0 else None] for row in dots)
    return found


def _marked(letter: str, rows: tuple[str, ...], mark: str) -> tuple[str, ...]:
    wide = max(3, len(rows[0]))
    rows = tuple(row.center(wide, ".") for row in rows)
    if mark in _UNDER:
        return (*rows[:-1], _UNDER[mark].center(wide, "."))
    over = _OVER[mark].center(wide, ".")
    if letter in "ij":  # without its dot
        return (over, "." * wide, *rows[2:])
    if "#" not in rows[0]:
        return (over, *rows[1:])
    return (over, rows[0], *rows[2:])  # a high one loses a row


@cache
def slim() -> dict[str, tuple[str, ...]]:
    """The same with letters of four columns in three."""
    own = _read(_SLIM)
    return {name: own.get(name) or _narrowed(rows) for name, rows in low().items()}


def _narrowed(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Without the inner column whose dots all have others beside them."""
    for n in range(1, len(rows[0]) - 1) if len(rows[0]) == 4 else ():
        if not any(row[n] == "#" and "#" not in (row[n - 1], row[n + 1]) for row in rows):
            return tuple(row[:n] + row[n + 1 :] for row in rows)
    return rows


@cache
def bold() -> dict[str, tuple[str, ...]]:
    """The same with each dot one wider, so that strokes are about as wide as high."""
    return {name: rows if name in "#@*%≈…" else _widened(name, rows) for name, rows in low().items()}


def _widened(name: str, rows: tuple[str, ...]) -> tuple[str, ...]:
    if name == "N":
        return _BOLD_N
    if name in "mwMWφΦψΨω":  # three strokes: what is between them is there twice, or they run together
        rows = tuple(row[:2] + row[1:4] + row[3:] for row in rows)
    return tuple(
        "".join("#" if "#" in pair else "." for pair in zip("." + row, row + ".", strict=True))
        for row in rows
    )
