"""A slide with a scene: its picture has all the room that its title and its words leave, and no more.

Such a slide has the whole width of the screen. Its words begin where those of all slides do; only pictures
reach from edge to edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock
from slides.drawing.cells import line_width, pad
from slides.drawing.draw_protocol import Draw
from slides.drawing.large.large_titles import lettered_title
from slides.drawing.page_width import TEXT_PAGE, WIDE_PAGE, page_width
from slides.drawing.room_page import GUTTER
from slides.drawing.text import Line, Span
from slides.drawing.text_size import COMPACT, ENLARGED, NORMAL, SLIM, TIGHT, Mode
from slides.reading_order import has_scene

EDGE = 4  # cells at each side of a slide that has the whole width of a wide screen
LEAST = 10  # rows of a scene, however little room its words leave
_LETTERS_FROM = 36  # rows of a page from which on its title is in letters
_LETTERS_BESIDE = 26  # rows of a picture from which on the words beside it are, too
_LEAST_WORDS, _MOST_WORDS = 30, 60  # cells of words beside a picture


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
        drawn = _beside(block, width - before, room, mode, draw) if _pictured(block) else None
        if drawn is None:
            drawn = title if title and not n else draw([block], cells, rows=room)
        lines += [(*indent, *line) if line else () for line in drawn]
    return lines


def _beside(block: AnyBlock, width: int, rows: int, mode: Mode, draw: Draw) -> list[Line] | None:
    """Words in a column of their measure beside a picture in all that is left of the width; None where it is
    not these two, or where one of them has no room. The words are in letters where these have room."""
    if not isinstance(block, deck.Columns) or len(block.columns) != 2:
        return None
    pictured = [any(map(_pictured, column)) for column in block.columns]
    if sum(pictured) != 1:
        return None
    at, cells = pictured.index(False), width - GUTTER
    share = cells * block.widths[at] // max(sum(block.widths), 1)
    words = min(share, _MOST_WORDS) if len(set(block.widths)) == 1 else share
    if min(words, cells - words) < _LEAST_WORDS:
        return None
    picture = draw(block.columns[1 - at], cells - words, rows=rows)
    said = draw(block.columns[at], words, rows=rows)
    for size in (ENLARGED, TIGHT, SLIM) if mode is NORMAL and rows >= _LETTERS_BESIDE else ():
        letters = draw(block.columns[at], words, rows=rows, mode=size)
        if len(letters) <= rows and all(line_width(line) <= words for line in letters):
            said = letters
            break
    columns = ((said, words), (picture, cells - words))
    first, second = columns if at == 0 else columns[::-1]
    return [
        (*pad(one, first[1]), Span(" " * GUTTER), *other)
        for one, other in zip_longest(first[0], second[0], fillvalue=())
    ]


def _pictured(block: AnyBlock) -> bool:
    return has_scene([block])


def _title(block: AnyBlock, width: int, height: int) -> list[Line] | None:
    """A title that is there from the first step on, in one row of letters; None where there is no room."""
    if not isinstance(block, deck.Heading) or block.level > 2 or block.at or height < _LETTERS_FROM:
        return None
    drawn = lettered_title(block, 0, width, height)
    return drawn if drawn is not None and len(drawn) <= 4 else None
