"""Styled lines: what layout makes of blocks, and all that a screen, an export or a test needs.

A style names meanings (`ink="accent"`), never colours; `slides.palette` turns names into colours per theme.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple


class Style(NamedTuple):
    """`ink` and `ground` are names of the palette; an empty `ground` is the background behind the line.

    `link` is where a click leads, as `slides.drawing.links.target` writes it: never a deck's own text.
    """

    ink: str = "text"
    ground: str = ""
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    link: str = ""

    def on(self, ground: str) -> Style:
        """Return the style with another background, a name as `ink`."""
        return self if ground == self.ground else _on(self, ground)


@lru_cache(1024)  # each piece of each line of code is asked
def _on(style: Style, ground: str) -> Style:
    return style._replace(ground=ground)


PLAIN = Style()


class Span(NamedTuple):
    """A run of text in one style. Text holds no control characters: `slides.drawing.cells.clean` took them
    out."""

    text: str
    style: Style = PLAIN


Line = tuple[Span, ...]


def plain(line: Iterable[Span]) -> str:
    """The line's bare text, for tests, search and plain output."""
    return "".join(span.text for span in line)


def joined(spans: Iterable[Span]) -> Line:
    """Neighbours in one style as one span: fewer pieces to draw."""
    runs = groupby(spans, attrgetter("style"))
    return tuple(Span("".join(span.text for span in run), style) for style, run in runs)


def indented(lines: Iterable[Line], first: Span, rest: Span) -> list[Line]:
    """The lines behind `first`, and from the second on behind `rest`; a later one that is blank stays so."""
    return [(first if n == 0 else rest, *line) if line or n == 0 else () for n, line in enumerate(lines)]
