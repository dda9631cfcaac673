"""How densely a slide is set. Cells of a terminal cannot grow, so big text is fewer words and more air."""

from __future__ import annotations

from typing import NamedTuple


class Mode(NamedTuple):
    """`gap`: blank lines between two blocks; `words`: the cells of a line of prose, at most.

    `loose`: a blank line between all items of a list, None as they are written. `letters`: headings in
    letters made of blocks. `whole`: a row of a table and a line of code take one line, and are cut off.
    """

    name: str
    gap: int = 1
    words: int = 1 << 16
    loose: bool | None = None
    letters: bool = False
    whole: bool = False


NORMAL = Mode("normal")
BIG = Mode("big", gap=2, words=56, loose=True, letters=True)
COMPACT = Mode("compact", gap=0, loose=False)
SMALL = Mode("small", whole=True)  # a thumbnail: words torn in two there tell nothing

CHOICE = (NORMAL, BIG, COMPACT)
"""Those a key goes through."""


def following(mode: Mode) -> Mode:
    return CHOICE[(CHOICE.index(mode) + 1) % len(CHOICE)]
