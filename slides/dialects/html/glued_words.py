"""Words that only a style sheet sets apart: without it they would be glued together."""

from __future__ import annotations

from collections.abc import Collection

from slides.dialects.html.columns import across
from slides.dialects.html.lines import BESIDE
from slides.dialects.html.tags import Page, Tag

_NEAR = 60  # tags among which the box around one is looked for
_LONGEST = 300  # characters of an element that is looked into
_PARENTS = frozenset(("div", "p", "li", "td", "th", "section", "article", "header", "footer", "figcaption"))
_TIED = frozenset(("br", "wbr", "sub", "sup"))


def between(page: Page, n: int) -> bool:
    """Whether tag `n` parts two boxes that stand side by side."""
    tag, tags = page.tags[n], page.tags
    if not tag.closing or n + 1 >= len(tags) or tags[n + 1].closing:
        return False
    if page.text[tag.end : tags[n + 1].start].strip(" \t"):
        return False
    parent = _parent(page, n)
    return parent is not None and across(parent)


def beside(page: Page, n: int) -> str:
    """Air between an element that ends with tag `n` and one that begins right behind it."""
    tag, tags = page.tags[n], page.tags
    if not (tag.closing or tag.empty) or n + 1 >= len(tags) or tags[n + 1].closing:
        return ""
    return "" if page.text[tag.end : tags[n + 1].start].strip(" \t") else BESIDE


def air(page: Page, n: int, inline: Collection[str]) -> tuple[str, str]:
    """What belongs before tag `n` and behind it, which is of an `inline` element."""
    return (_before(page, n), "") if not page.tags[n].closing else ("", _behind(page, n, inline))


def _before(page: Page, n: int) -> str:
    """Air before several words that begin right behind another: marks within a word have no blank in them."""
    tag, text = page.tags[n], page.text
    if tag.low in _TIED or not tag.start or not text[tag.start - 1].isalnum():
        return ""
    return " " if _is_several(page, n) else ""


def _is_several(page: Page, n: int) -> bool:
    """Whether the element that begins with tag `n` is several words."""
    close = page.partner.get(n)
    inner = "" if close is None else page.text[page.tags[n].end : page.tags[close].start]
    words = inner.split() if len(inner) < _LONGEST and "<" not in inner else []
    return len(words) > 1 and inner[0].isalnum()


def _behind(page: Page, n: int, inline: Collection[str]) -> str:
    """Air behind marked words with others right behind them: keys, and what a box with a style is made of."""
    tag, tags = page.tags[n], page.tags
    if n + 1 >= len(tags):
        return ""
    following = tags[n + 1]
    if following.closing or following.low not in inline or following.low in _TIED or tag.low in _TIED:
        return ""
    if following.start != tag.end:
        return ""
    if tag.low == following.low == "kbd":
        return " "
    parent = _parent(page, n)
    if parent is None or parent.low not in _PARENTS:
        return ""
    known = parent.attributes
    if known.get("class") or known.get("style") or across(parent):
        return BESIDE
    return " " if page.text[tag.start - 2 : tag.start].isalnum() and _is_several(page, n + 1) else ""


def _parent(page: Page, n: int) -> Tag | None:
    """The box around the element that ends with tag `n`."""
    depth = 0
    for back in range(n - 1, max(n - _NEAR, -1), -1):
        tag = page.tags[back]
        if tag.closing:
            depth += 1
        elif not tag.empty:
            depth -= 1
            if depth == -2:
                return tag
    return None
