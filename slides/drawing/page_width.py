"""How wide a page is on a screen: letters use most of it, lines of one row end before an eye loses them."""

from __future__ import annotations

TEXT_PAGE, WIDE_PAGE = 112, 128  # cells of lines of one row; of those with something beside them
PAGE_PART = 0.8  # of a wide screen's width, for what is in letters


def page_width(screen: int, least: int = TEXT_PAGE) -> int:
    """Cells of a page in the middle of a screen that is wider than it."""
    return max(least, int(PAGE_PART * screen))
