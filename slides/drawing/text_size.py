"""How densely a slide is set. Cells of a terminal cannot grow, so big text is fewer words and more air."""

from __future__ import annotations

from typing import NamedTuple


class Mode(NamedTuple):
    """`gap`: blank lines between two blocks; `words`: the cells of a line of prose, at most.

    `loose`: a blank line between all items of a list, None as they are written. `letters`: headings in
    letters made of blocks. `whole`: a row of a table and a line of code take one line, and are cut off.
    `airy`: columns and rows of a table stand apart. `enlarged`: all of it is in large letters, `tight`: of
    which those of one item or row have no blank row between them; `dense`: nor have the rows of a table;
    `slim`: the narrowest ones;
    `words_only`: tables, formulas and listings keep their size. `copied`: words are looked for and copied, so
    that only large titles are in letters.
    """

    name: str
    gap: int = 1
    words: int = 76
    loose: bool | None = None
    letters: bool = False
    whole: bool = False
    airy: bool = False
    enlarged: bool = False
    tight: bool = False
    dense: bool = False
    slim: bool = False
    words_only: bool = False
    copied: bool = False


NORMAL = Mode("normal")
COPIED = NORMAL._replace(copied=True)
AIRY = NORMAL._replace(loose=True)  # where there is room for it
ROOMY = AIRY._replace(gap=2, airy=True)  # where there is more than that
WHOLE_WIDTH = NORMAL._replace(words=1 << 16)  # in a place that is not a slide
BIG = Mode("big", gap=2, words=56, loose=True, letters=True)
ENLARGED = BIG._replace(gap=1, words=1 << 16, enlarged=True)  # on a screen that has room for it
SPOKEN = ENLARGED._replace(gap=2)  # a few words, with more air between them than within
TIGHT = ENLARGED._replace(tight=True)  # more words than that
DENSE = TIGHT._replace(dense=True)  # a table of more words than that
SLIM = DENSE._replace(slim=True)  # and more
PACKED = SLIM._replace(gap=0, loose=None)  # the most
COMPACT = Mode("compact", gap=0, loose=False, words=1 << 16)
SMALL = Mode("small", whole=True)  # a thumbnail: words torn in two there tell nothing

CHOICE = (NORMAL, BIG, COMPACT)
"""Those a key goes through."""


def following(mode: Mode) -> Mode:
    """Return the mode that the key goes to from `mode`, in a circle."""
    return CHOICE[(CHOICE.index(mode) + 1) % len(CHOICE)]
