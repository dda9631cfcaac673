"""Pictures that are how a slide looks and no part of it: behind all of it, or a logo at its edge."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from slides.dialects.html.tags import Page, Tag

_BELOW = re.compile(r"z-index:\s*-\d|(?:^|[\s\"'])-z-\d", re.IGNORECASE)
_LIES_OVER = re.compile(
    r"position:\s*(?:absolute|fixed)|(?:^|[\s\"'])(?:absolute|fixed)(?=[\s\"']|$)", re.IGNORECASE
)
_FILLS = re.compile(
    r"inset:\s*0|(?:^|[\s\"';])inset-0(?=[\s\"']|$)|width:\s*100%[^<>]{0,200}?height:\s*100%|w-full\s+h-full",
    re.IGNORECASE,
)
_EDGE = re.compile(r"(?:^|[\s_-])(?:header|footer|logo|watermark)(?=[\s_-]|$)", re.IGNORECASE)
_SMALL = re.compile(
    r"\b(?:width|height)\s*[=:]\s*[\"']?\s*(?:[1-5]?[0-9](?:px)?|[12](?:\.[0-9])?r?em)\s*[\"';]"
)
_NEAR = 3  # boxes around a picture
_MANY = 40  # tags before a picture and behind it, among which another is looked for


def behind(page: Page, n: int) -> bool:
    """Whether picture `n` lies behind the slide, fills it, is an icon, or stands in its header or footer."""
    if _SMALL.search(page.tags[n].written):
        return True
    for tag in (page.tags[n], *_around(page, n)):
        written = tag.written
        if _BELOW.search(written) or (_LIES_OVER.search(written) and _FILLS.search(written)):
            return True
        if tag.low in ("div", "header", "footer", "span") and _EDGE.search(tag.attributes.get("class", "")):
            return True
    return False


def has_more(page: Page, n: int, cuts: Sequence[int]) -> bool:
    """Whether there are words or another picture on the slide of tag `n`; slides end on the lines `cuts`,
    which are sorted."""
    line = page.tags[n].line
    at = bisect_right(cuts, line)
    first = cuts[at - 1] if at else 0
    following = bisect_left(page.worded, first)
    last = cuts[at] if at < len(cuts) else len(page.lines)
    if following < len(page.worded) and page.worded[following] < last:
        return True
    near = page.tags[max(n - _MANY, 0) : n + _MANY]
    return any(
        tag.low == "img" and first <= tag.line < last and not behind(page, k)
        for k, tag in enumerate(near, max(n - _MANY, 0))
    )


def _around(page: Page, n: int) -> list[Tag]:
    """The boxes around tag `n`, the nearest first, as far as nothing but them stands between."""
    found: list[Tag] = []
    for back in range(n - 1, max(n - 1 - _NEAR, -1), -1):
        tag = page.tags[back]
        if tag.closing or tag.empty or page.text[tag.end : page.tags[back + 1].start].strip():
            break
        found.append(tag)
    return found
