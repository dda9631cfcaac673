"""What a block came to be in a class, before it is written as HTML or Markdown.

The caller, who knows runs and answers, makes these; an export only writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from slides.deck import AnyBlock, Chart
from slides.drawing.text import Line
from slides.languages.program_words import Say

Blocks = tuple[AnyBlock, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of plain text. Its first column names its rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Cells as a screen shows them; `caption` says what they show, also for readers who cannot see them."""

    caption: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A demo: what ran (`title`), where and how (`badge`), what is to be said of it, its figures."""

    title: str
    badge: str = ""
    words: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a question; `right` and `votes` are None where they are not to be told."""

    content: Blocks
    right: bool | None = None
    votes: int | None = None
    explain: Blocks = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. `told` False: its answer is folded away. `result` is how the room did,
    `answered` how many of it chose something; None: hands were counted, of which several may be one's."""

    stem: Blocks
    choices: tuple[Choice, ...]
    general: Blocks = ()
    answer: str = ""  # in words, where there is nothing to choose from
    result: str = ""
    told: bool = True
    answered: int | None = None


Part = Figure | Asked | Drawing | Chart
Special = Callable[[AnyBlock], "Part | None"]
"""What a block came to be, or None for what every export knows how to write."""


def in_language(special: Special, say: Say) -> Special:
    """Return the same with what the program says of a figure or a question put by `say`."""

    def said(block: AnyBlock) -> Part | None:
        part = special(block)
        if isinstance(part, Figure):
            grids = tuple(replace(grid, caption=say(grid.caption)) for grid in part.grids)
            drawings = tuple(replace(drawn, caption=say(drawn.caption)) for drawn in part.drawings)
            words = tuple(map(say, part.words))
            return replace(part, badge=say(part.badge), words=words, grids=grids, drawings=drawings)
        return replace(part, result=say(part.result)) if isinstance(part, Asked) else part

    return said


def nothing_special(block: AnyBlock) -> Part | None:
    """For a deck that nobody has shown yet."""
    return None
