"""Columns that a page's author made of HTML: a box laid out across, and in it a box for each column."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from slides.dialects.draft import Draft

_BOX = r"div|section|article"
_OPENS = re.compile(rf"\s*<(?:{_BOX})((?:\s[^<>]*)?)>\s*$", re.IGNORECASE)
_BEGINS = re.compile(rf"\s*<(?:{_BOX})((?:\s[^<>]*)?)>", re.IGNORECASE)
_TAGS = re.compile(rf"<(/?)(?:{_BOX})\b[^<>]*>", re.IGNORECASE)
# Names that themes and style sheets give to such a box.
_ACROSS = re.compile(
    r"(?:^|[\s\"'_-])(?:columns?-?container|columns|cols|twocol\w*|threecol\w*|col(?:umn)?s?-?[2-4]|[2-4]-?col\w*"
    r"|(?:two|three)-?col\w*|multi-?columns?|grid|flex|row|side-by-side|split)(?=[\s\"']|$)|\bcols-[2-4]\b",
    re.IGNORECASE,
)
_STYLED = re.compile(r"display:\s*(?:inline-)?(?:grid|flex)|grid-template-columns", re.IGNORECASE)
_DOWN = re.compile(r"flex-col\b|flex-direction:\s*column", re.IGNORECASE)
_COUNT = re.compile(r"cols-([2-4])\b|repeat\(\s*([2-4])\s*,", re.IGNORECASE)
_SHARES = re.compile(r"grid-(?:template-columns:\s*|cols-\[)((?:[0-9.]+fr[\s_]*){2,4})", re.IGNORECASE)
_SHARE = re.compile(r"(?:^|[;\s\"'])(?:width|flex):\s*([0-9]{1,3})(?=%|\s*[;\"']|$)", re.IGNORECASE)
_MOST_LINES = 400
_MOST = 4  # columns of a row


class _Part(NamedTuple):
    """A column: the lines of its box, both tags among them."""

    first: int
    last: int
    written: str


def lay_out(draft: Draft, cuts: Collection[int] = (), end: int | None = None) -> None:
    """`::: columns` around such boxes that stand before line `end`, and that no line of `cuts` parts."""
    last = len(draft.shown) if end is None else end
    line = 0
    while line < last:
        text = draft.shown[line]
        if "<" in text and not draft.coded[line] and (match := _OPENS.match(text)) and across(match[1]):
            close, parts = _parts(draft, line, last)
            if not parts and (count := _COUNT.search(match[1])):
                close, parts = _cells(draft, line, last, int(count[1] or count[2]))
            if len(parts) > 1 and not any(line <= cut <= close for cut in cuts):
                _put(draft, match[1], close, parts)
                line = close
        line += 1


def across(written: str) -> bool:
    """Whether a box with these attributes has what is in it side by side."""
    if _DOWN.search(written):
        return False
    named = " ".join(re.findall(r"(?:class|grid|flex)=(\"[^\"]*\"|'[^']*'|[^\s>]+)", written))
    return bool(_ACROSS.search(named) or _STYLED.search(written) or re.search(r"\sgrid=", written))


def _parts(draft: Draft, opens: int, end: int) -> tuple[int, list[_Part]]:
    """(the line of the box's end, the boxes in it); none of one in which there is anything else."""
    parts: list[_Part] = []
    depth, first, written = 0, -1, ""
    for line in range(opens + 1, min(end, opens + _MOST_LINES)):
        text = draft.shown[line]
        if draft.coded[line]:
            if not depth:
                break
            continue
        if not depth:
            if not text.strip():
                continue
            begins = _BEGINS.match(text)
            if re.match(rf"\s*</(?:{_BOX})\s*>\s*$", text, re.IGNORECASE):
                return line, parts
            if not begins:
                break
            first, written = line, begins[1]
        for tag in _TAGS.finditer(text):
            depth += -1 if tag[1] else 1
        if depth < 0:
            break
        if not depth:
            parts.append(_Part(first, line, written))
    return opens, []


def _cells(draft: Draft, opens: int, end: int, count: int) -> tuple[int, list[_Part]]:
    """As `_parts`, of a box in which each block of Markdown is a column."""
    depth = 1
    for line in range(opens + 1, min(end, opens + _MOST_LINES)):
        if not draft.coded[line]:
            depth += sum(-1 if tag[1] else 1 for tag in _TAGS.finditer(draft.shown[line]))
        if depth <= 0:
            found = draft.outline.blocks_in(opens + 1, line)
            cells = [_Part(block.first, block.end - 1, "") for block in found if block.kind != "html_block"]
            return line, cells if len(cells) == len(found) and not len(cells) % count else []
    return opens, []


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
