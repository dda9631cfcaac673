"""Converts a table of HTML to one of Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable

from slides.dialects.html.lines import BREAK
from slides.dialects.html.tags import Page

_MOST_ROWS, _MOST_CELLS = 100, 12


def rows_of(page: Page, opens: int, close: int, words: Callable[[int, int], str]) -> list[str]:
    """The lines of the table between these two tags; [] where it has no cells, or more than is drawn.

    `words` gives what stands between two tags, with `BREAK` between its lines.
    """
    rows: list[list[str]] = []
    headed = False
    n = opens + 1
    while n < close:
        tag = page.tags[n]
        if tag.low == "table":
            return []
        if tag.low == "tr" and not tag.closing:
            rows.append([])
        elif tag.low in ("td", "th") and not tag.closing:
            ends = page.partner.get(n)
            if ends is None or ends > close:  # a cell may do without its end
                ends = next(k for k in range(n + 1, close + 1) if page.tags[k].low in _NEXT)
            if not rows:
                rows.append([])
            headed = headed or tag.low == "th"
            rows[-1].append("<br>".join(_lines(words(n, ends))))
            n = ends - (page.tags[ends].low == "tr" or not page.tags[ends].closing)
        n += 1
    rows = [row for row in rows if row]
    width = max(map(len, rows), default=0)
    if not 0 < width <= _MOST_CELLS or len(rows) > _MOST_ROWS:
        return []
    if not headed:
        rows.insert(0, [])
    drawn = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return [drawn[0], "|" + "---|" * width, *drawn[1:]]


def _lines(text: str) -> list[str]:
    """Those of a cell that have words; what marks an item stands before the words that it holds."""
    found: list[str] = []
    for line in text.replace("|", "\\|").split(BREAK):
        if shown := " ".join(line.split()):
            if found and _MARK.fullmatch(found[-1]):
                found[-1] = f"{found[-1]} {shown}"
            else:
                found.append(shown)
    return found


_MARK = re.compile(r"•|[0-9]{1,9}\.")
_NEXT = frozenset(("td", "th", "tr", "tbody", "thead", "table"))
