"""A slide with a scene: its picture has all the room that its title and its words leave, and no more.

Such a slide has the whole width of the screen. Its words begin where those of all slides do; only pictures
reach from edge to edge.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock, Slide
from slides.drawing.density import COMPACT, Mode
from slides.drawing.draw_protocol import Draw
from slides.drawing.large.large_titles import lettered_title
from slides.drawing.page_width import TEXT_PAGE, WIDE_PAGE, page_width
from slides.drawing.text import Line, Span
from slides.reading_order import blocks as walk

EDGE = 4  # cells at each side of a slide that has the whole width of a wide screen
LEAST = 10  # rows of a scene, however little room its words leave
_LETTERS_FROM = 36  # rows of a page from which on its title is in letters


def has_scene(slide: Slide) -> bool:
    """Whether a scene is on the slide, be it in a column."""
    return any(isinstance(block, deck.Scene) for block in walk(slide.blocks))


def inset(width: int, mode: Mode) -> int:
    """Blank cells before the words of a slide that has the whole width."""
    if mode.whole or mode is COMPACT:
        return 0
    screen = width + 2 * EDGE
    return max(0, (screen - page_width(screen, WIDE_PAGE if mode.letters else TEXT_PAGE)) // 2 - EDGE)


def scene_page(blocks: Sequence[AnyBlock], width: int, height: int, mode: Mode, draw: Draw) -> list[Line]:
    """The lines of a slide with a scene in `height` rows, 0 where that is not known."""
    before = inset(width, mode)
    cells = min(width - before, WIDE_PAGE)
    words = [block for block in blocks if not _pictured(block)]
    pictured = [block for block in blocks if _pictured(block)]
    gaps = max(0, len(blocks) - 1)
    title = _title(blocks[0], cells, height) if blocks else None
    taken = sum(len(draw([block], cells)) for block in (words[1:] if title else words)) + gaps
    taken += len(title or ())
    room = max(LEAST, (height - taken) // max(1, len(pictured))) if height else 0
    lines: list[Line] = []
    for n, block in enumerate(blocks):
        if n:
            lines.append(())
        if isinstance(block, deck.Scene):
            lines += draw([replace(block, inset=before)], width, rows=room)
            continue
        indent = (Span(" " * before),) if before else ()
        drawn = title if title and not n else draw([block], cells, rows=room)
        lines += [(*indent, *line) if line else () for line in drawn]
    return lines


def _pictured(block: AnyBlock) -> bool:
    return any(isinstance(inner, deck.Scene) for inner in walk([block]))


def _title(block: AnyBlock, width: int, height: int) -> list[Line] | None:
    """A title that is there from the first step on, in one row of letters; None where there is no room."""
    if not isinstance(block, deck.Heading) or block.level > 2 or block.at or height < _LETTERS_FROM:
        return None
    drawn = lettered_title(block, 0, width, height)
    return drawn if drawn is not None and len(drawn) <= 4 else None
