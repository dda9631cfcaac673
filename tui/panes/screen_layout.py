"""Rows and columns of the parts of a class's screen, from the terminal's size. Pure.

The screen is arranged by it, and `teachrun check` measures by it: what it says fits, fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slides.drawing import room_page
from slides.drawing.page_width import TEXT_PAGE, WIDE_PAGE, page_width
from slides.drawing.text_size import Mode

if TYPE_CHECKING:
    from slides.drawing.author_layouts import Extent

PANEL_ROWS = 4  # rows of a panel besides one per rank
PANEL_PART, LARGE_PANEL = 0.6, 0.75  # of the terminal's height, at most; of one of 36 rows and more
PANEL_RANKS = 12  # of more ranks the panel shows a strip


def margin(width: int, text: str = "normal", extent: Extent = "") -> int:
    """Blank cells at the left of a slide, whose text is `normal`, `big` or `compact`: of all slides the same,
    so that titles do not jump. On a wide screen the page stands in the middle; one that has the whole width
    begins at the edge, and its words as far in as those of others (`scene_page.inset`)."""
    if extent == "whole":
        return _edge(width, text)
    page = page_width(width, WIDE_PAGE if text == "big" else TEXT_PAGE)
    return max(_edge(width, text), (width - page) // 2 if text != "compact" else 0)


def _edge(width: int, text: str) -> int:
    if text == "big":
        return 4 if width >= 96 else max(2, width // 10) if width >= 40 else 0
    if text == "compact":
        return 2 if width >= 70 else 1 if width >= 40 else 0
    return 4 if width >= 96 else 3 if width >= 70 else 2 if width >= 40 else 0


def measure(width: int, extent: Extent, text: str = "normal") -> int:
    """Cells of a line of a slide."""
    if extent == "whole":
        return max(1, width - 2 * _edge(width, text))
    if extent == "edge" and text == "normal":
        return max(1, width - margin(width, text) - _edge(width, text))
    wide = extent or text != "normal"
    most = WIDE_PAGE if text == "compact" else page_width(width, WIDE_PAGE if wide else TEXT_PAGE)
    return max(1, min(width - margin(width, text) - _edge(width, text), most))


def above(width: int, height: int, text: str = "normal") -> int:
    """Blank rows over the first line, the same for all slides of a size: titles must not jump."""
    if text == "compact":
        return 0
    return 2 if height >= 36 and width >= 96 else 1 if height >= 9 and width >= 60 else 0


class Rows(NamedTuple):
    """Rows over a page, those that there are for it, and those of them that are seen: with a panel fewer."""

    above: int
    height: int
    part: int


def page_rows(width: int, whole: int, part: int, extent: Extent, mode: Mode, *, tall: bool = True) -> Rows:
    """Of the `whole` height of the terminal's middle a slide has `part`. Not `tall`: on a small terminal it
    looks the same at any height."""
    over = above(width, whole, mode.name)
    if room_page.suits(measure(width, extent, mode.name), whole - over, mode):
        return Rows(over, max(0, whole - over), max(0, part - over))
    over = above(width, part, mode.name)
    rows = max(0, part - over) if tall else 0
    return Rows(over, rows, rows)


def bottom_rows(height: int, role: str) -> int:
    """Rows of hints and footer under a slide, on a terminal that is not too small for them."""
    if role == "audience":
        return 1
    return 2 if height < 30 else 3 if height < 40 else 4


def caption_rows(width: int) -> int:
    """Rows of captions: enough for the longest there is."""
    return 3 if width < 72 else 2


def panel_rows(ranks: int, needed: int, room: int, height: int) -> int:
    """Rows of a demo's panel: what a slide of `needed` rows leaves of `room`, at least a row per rank and
    four, at most 60 % of the terminal's height, of a large one 75 %."""
    least = min(ranks, PANEL_RANKS) + PANEL_ROWS + 1
    most = int((LARGE_PANEL if height >= 36 else PANEL_PART) * min(height, room + 3))
    return max(0, min(most, max(least, room - needed), room - 3))
