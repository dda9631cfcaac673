"""Columns that a page's author made of HTML: a box laid out across, and in it a box for each column."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from slides.dialects.html.tags import Page, Tag
from slides.dialects.translation import Draft

_BOXES = frozenset(("div", "section", "article"))
# What may be a column: a box, a list, a picture, or a component with something in it.
_COLUMNS = _BOXES | {"p", "ul", "ol", "img", "figure", "table", "aside", "main", "blockquote", "pre"}
# Names that themes and style sheets give to such a box.
_ACROSS = re.compile(
    r"(?:^|[\s_-])(?:columns?-?container|columns|cols|twocol\w*|threecol\w*|col(?:umn)?s?-?[2-4]|[2-4]-?col\w*"
    r"|(?:two|three)-?col\w*|multi-?columns?|grid|flex|row|side-by-side|split)(?=\s|$)|\bcols-[2-4]\b",
    re.IGNORECASE,
)
_STYLED = re.compile(r"display:\s*(?:inline-)?(?:grid|flex)|grid-template-columns", re.IGNORECASE)
_DOWN = re.compile(r"flex-col\b|flex-direction:\s*column", re.IGNORECASE)
# A grid of UnoCSS that nothing gives columns has its boxes below each other.
_UTILITY = re.compile(r"(?:^|\s)(?:gap|place|items|justify|h|w|p|m|[mp][xytblr]|grid-rows|text)-[\w\[]")
_GRID_ALONE = re.compile(r"(?:^|\s)grid(?=\s|$)")
_COUNT = re.compile(r"cols(?:-|:\s*)([2-4])\b|repeat\(\s*([2-4])\s*,", re.IGNORECASE)
_SHARES = re.compile(
    r"grid-(?:template-columns:\s*|cols-\[)((?:[0-9.]{1,9}fr[\s_]{0,9}){2,4})", re.IGNORECASE
)
_SHARE = re.compile(r"(?:^|[;\s\"'])(?:width|flex):\s*([0-9]{1,3})(?=%|\s*[;\"']|$)", re.IGNORECASE)
_MOST_LINES = 400
_MOST = 4  # columns of a row


class _Part(NamedTuple):
    """A column: the lines of its box, both tags among them."""

    first: int
    last: int
    written: str


def lay_out(draft: Draft, cuts: Collection[int] = ()) -> None:
    """`::: columns` around such boxes that no line of `cuts` parts."""
    page = Page(draft.shown)
    last = len(draft.shown)
    line = -1
    for n, tag in enumerate(page.tags):
        if tag.line <= line or tag.last >= last or tag.closing or tag.low not in _BOXES:
            continue
        close = page.partner.get(n)
        if close is None or not _alone(page, tag) or not across(tag):
            continue
        ends = page.tags[close].line
        if ends >= last or ends > tag.line + _MOST_LINES or not _alone(page, page.tags[close]):
            continue
        parts = _parts(draft, page, n, close)
        if not parts and (count := _COUNT.search(tag.written)):
            parts = _cells(draft, tag.last, ends, int(count[1] or count[2]))
        if len(parts) > 1 and not any(tag.line <= cut <= ends for cut in cuts):
            _put(draft, tag.written, ends, parts)
            line = ends


def across(tag: Tag) -> bool:
    """Whether a box lays out its content side by side."""
    written = tag.written
    if _DOWN.search(written):
        return False
    known = tag.attributes
    if re.search(r"(?:^|\s)grid=", written):
        return True
    named = known.get("class", "")
    if _GRID_ALONE.search(named) and "cols" not in named and _UTILITY.search(named):
        return False
    if _ACROSS.search(named) or _ACROSS.search(known.get("flex", "")):
        return True
    return bool(_STYLED.search(known.get("style", "")) or re.search(r"(?:^|\s)flex(?=[\s=]|$)", written))


def _alone(page: Page, tag: Tag) -> bool:
    """Whether nothing else stands on its lines."""
    before = page.text[page.starts[tag.line] : tag.start]
    behind = page.text[tag.end : page.starts[tag.last] + len(page.lines[tag.last])]
    return not before.strip() and not behind.strip()


def _parts(draft: Draft, page: Page, opens: int, close: int) -> list[_Part]:
    """The boxes in a box; none of one in which there is anything else, or two of them on a line."""
    parts: list[_Part] = []
    at, n = page.tags[opens].end, opens + 1
    while n < close:
        tag = page.tags[n]
        end = page.partner.get(n, n)
        component = tag.name[0].isupper() or tag.low.startswith("v-click")
        if (
            tag.closing
            or end > close
            or page.text[at : tag.start].strip()
            or not (tag.low in _COLUMNS or (component and end > n))
            or (parts and parts[-1].last >= tag.line)
            or draft.coded[tag.line]
        ):
            return []
        parts.append(_Part(tag.line, page.tags[end].last, tag.written))
        at, n = page.tags[end].end, end + 1
    return [] if page.text[at : page.tags[close].start].strip() else parts


def _cells(draft: Draft, opens: int, close: int, count: int) -> list[_Part]:
    """As `_parts`, of a box in which each block of Markdown is a column."""
    found = draft.outline.blocks_in(opens + 1, close)
    cells = [_Part(block.first, block.end - 1, "") for block in found if block.kind != "html_block"]
    return cells if len(cells) == len(found) and not len(cells) % count else []


def _put(draft: Draft, written: str, close: int, parts: list[_Part]) -> None:
    match = _COUNT.search(written)
    count = int(match[1] or match[2]) if match else len(parts)
    if count > _MOST:
        return
    for n, part in enumerate(parts):
        column = n % count
        if column:
            draft.put(part.first, "", "+++", "")
        else:
            row = parts[n : n + count]
            shares = _shares(written, row)
            draft.put(part.first, *(["", ":::"] if n else []), "", f"::: columns {shares}", "")
    draft.put(close, "", ":::", "")


def _shares(written: str, row: list[_Part]) -> str:
    """How wide the columns are, as far as it is said."""
    if match := _SHARES.search(written):
        said = [round(float(share) * 10) for share in re.findall(r"([0-9.]+)fr", match[1]) if _number(share)]
    else:
        said = [int(match[1]) for part in row if (match := _SHARE.search(part.written))]
    if len(said) != len(row) or not all(0 < share < 1000 for share in said):
        said = [1] * len(row)
    return ",".join(str(share) for share in said)


def _number(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{1,2}(?:\.[0-9]{1,2})?", text))
