"""What stands over every slide: the header of the deck's front matter and its logo, on rows of their own, so
that nothing of a slide is ever under them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from slides.deck import Image
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from slides.header_and_footer import HeaderAndFooter
from tui.deck import header_and_footer_of_slide
from tui.deck.contents import Contents

if TYPE_CHECKING:
    from tui.rendering.pages.slide_painter import Drawing


class Shown(Protocol):
    """Which slide of which deck; a session is one."""

    @property
    def contents(self) -> Contents:
        """The deck."""

    @property
    def index(self) -> int:
        """The slide shown."""


class Still(Struct, frozen=True):
    """The same where nobody goes from slide to slide."""

    contents: Contents
    index: int


WORDS, LOGO = Style("dim"), Style("accent", bold=True)
LEAST = 60, 16  # columns and rows from which on there is one
ROOMY = 36  # rows from which on a picture has three, and words a blank one over them
WIDEST_LOGO = 24  # cells


def rows(of: HeaderAndFooter, width: int, height: int) -> int:
    """Rows of a terminal of this size that it takes from the slides."""
    if width < LEAST[0] or height < LEAST[1]:
        return 0
    if of.picture:
        return 3 if height >= ROOMY else 2
    return (2 if height >= ROOMY else 1) if of.worded else 0


def lines(session: Shown, drawing: Drawing | None, width: int, height: int) -> list[Line]:
    """Exactly `height` lines: words at the left, in the middle and at the right, a picture in the corner."""
    if not height:
        return []
    contents = session.contents
    of = header_and_footer_of_slide.of(contents)
    left, middle, right = of.over(header_and_footer_of_slide.place(contents, session.index))
    picture = (
        _picture(header_and_footer_of_slide.logo(contents), drawing, height) if drawing is not None else []
    )
    corner = max(map(cells.line_width, picture), default=0)
    room = width - 4 - (corner + 3 if corner else 0)
    words = _words(left, middle, right, of.logo, room, (width - 4) // 2)
    at = min(height - 1, 1)
    drawn: list[Line] = []
    for n in range(height):
        line: Line = (Span("  "), *cells.pad(words if n == at else (), room))
        if n < len(picture):
            line = (*line, Span("   "), *picture[n])
        drawn.append(line if n == at or n < len(picture) else ())
    return drawn


def _words(left: str, middle: str, right: str, logo: str, room: int, centre: int) -> Line:
    """The three parts in a line, the middle around column `centre`; of what has no room that goes first, then
    the left is cut."""
    end: Line = (Span(right, WORDS),)
    if logo and right.endswith(logo):
        end = (Span(right.removesuffix(logo), WORDS), Span(logo, LOGO))
    end = cells.clip(end, room)
    start = cells.clip((Span(left, WORDS),), max(0, room - cells.line_width(end) - 3))
    if not left:
        start = ()
    used = cells.line_width(start)
    between = room - used - cells.line_width(end)
    if middle:
        before = max(2, centre - cells.width(middle) // 2 - used)
        if before + cells.width(middle) + 2 <= between:
            start = (*start, Span(" " * before), Span(middle, WORDS))
            between -= before + cells.width(middle)
    return (*start, Span(" " * max(0, between)), *end)


def _picture(path: str, drawing: Drawing, height: int) -> list[Line]:
    """The logo in so many rows, [] where it cannot be shown."""

    drawn = drawing.picture(Image(line=1, path=path, alt="logo"), WIDEST_LOGO, height) if path else ""
    return drawn if not isinstance(drawn, str) else []
