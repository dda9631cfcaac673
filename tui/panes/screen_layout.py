"""Rows and columns of the parts of a class's screen, from the terminal's size. Pure.

The screen is arranged by it, and `teachrun check` measures by it: what it says fits, fits.
"""

from __future__ import annotations

MAX_TEXT, MAX_WIDE = 110, 152  # cells: longer lines of prose are hard to read; columns may have more
PANEL_ROWS = 4  # rows of a panel besides one per rank
PANEL_PART = 0.6  # of the terminal's height, at most
PANEL_RANKS = 12  # of more ranks the panel shows a strip


def margin(width: int, text: str = "normal") -> int:
    """Blank cells at both sides of a slide, whose text is `normal`, `big` or `compact`."""
    if text == "big":
        return max(2, width // 10) if width >= 40 else 0
    if text == "compact":
        return 2 if width >= 70 else 1 if width >= 40 else 0
    return 4 if width >= 96 else 3 if width >= 70 else 2 if width >= 40 else 0


def measure(width: int, wide: bool, text: str = "normal") -> int:
    """Cells of a line of a slide; `wide`: its blocks stand side by side."""
    most = MAX_WIDE if wide or text == "compact" else MAX_TEXT
    return max(1, min(width - 2 * margin(width, text), most))


def above(width: int, height: int, text: str = "normal") -> int:
    """Blank rows over the first line, the same for all slides of a size: titles must not jump."""
    if text == "compact":
        return 0
    return 2 if height >= 36 and width >= 96 else 1 if height >= 9 and width >= 60 else 0


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
    four, at most 60 % of the terminal's height."""
    least = min(ranks, PANEL_RANKS) + PANEL_ROWS + 1
    most = int(PANEL_PART * min(height, room + 3))
    return max(0, min(most, max(least, room - needed), room - 3))
