"""The blocks of a text as Pandoc cuts it, where that is not as CommonMark does, which `Draft.outline` has.

A title is one line with its underline at the margin; lines of dashes make tables; what is in a `<div>` is
part of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from slides.dialects.programs.patat.grid_tables import draw_grids
from slides.dialects.translation import Block, Draft
from slides.reading.scan import scan

_DASHES = re.compile(r" {0,3}-+(?: +-+)* *")
_COUNTED = re.compile(r"^((?:[ >]|[-*+] ){0,12})#\.(?=[ \t])")
_SPAN = re.compile(r"-+")
_DIV = re.compile(r"<(/?)div\b[^<>]*>", re.IGNORECASE)
_MOST = 400  # lines of a table, or of a `<div>`


def numbered(lines: Sequence[str]) -> list[str]:
    """The lines with `#.`, which Pandoc counts by itself (`fancy_lists`), as CommonMark counts."""
    held = scan(lines).held
    return [line if held[n] else _COUNTED.sub(r"\g<1>1.", line) for n, line in enumerate(lines)]


def blocks(draft: Draft) -> tuple[Block, ...]:
    """The blocks at the top level. Tables are drawn as ours, and what is no title is told from one."""
    draw_grids(draft)
    return tuple(_blocks(draft, draft.outline.blocks))


def with_tables(draft: Draft) -> tuple[Block, ...]:
    """The blocks at the top level with tables of dashes, where a row of dashes names columns: any other
    pair of rules parts slides. Grid tables are drawn, too."""
    draw_grids(draft)
    if not _columned(draft.bare):
        return draft.outline.blocks
    return tuple(_blocks(draft, draft.outline.blocks, only_tables=True))


def _columned(rows: Sequence[str]) -> bool:
    return any(_DASHES.fullmatch(row) and "--" in row and len(_SPAN.findall(row)) > 1 for row in rows)


def _blocks(draft: Draft, found: Sequence[Block], only_tables: bool = False) -> Iterator[Block]:
    lines, done = draft.bare, 0
    last = [n for n, line in enumerate(lines) if _ends_table(lines, n, line)]
    for n, block in enumerate(found):
        if block.first < done:
            continue
        following = found[n + 1] if n + 1 < len(found) else None
        end = _table(lines, block, following, last)
        if end and not (only_tables and not _columned(lines[block.first : end])):
            draft.replace(block.first, end, *_drawn(lines[block.first : end]))
            yield Block("table", block.first, done := end)
        elif only_tables:
            yield block
        elif block.kind == "html_block" and (end := _div(lines, block)):
            yield Block("div", block.first, done := end)
        elif block.kind == "heading" and block.markup in ("-", "=") and not _titles(lines, block):
            draft.replace(block.end - 1, block.end, f"\\{lines[block.end - 1].strip()}")
            yield Block("paragraph", block.first, block.end)
        else:
            yield block


def _titles(lines: Sequence[str], block: Block) -> bool:
    return block.end - block.first == 2 and lines[block.end - 1][:1] in ("-", "=")


def _ends_table(lines: Sequence[str], n: int, line: str) -> bool:
    return (n + 1 == len(lines) or not lines[n + 1].strip()) and bool(_DASHES.fullmatch(line))


def _table(lines: Sequence[str], block: Block, following: Block | None, last: Sequence[int]) -> int:
    """The line behind the table that begins with this block; 0 where none does. `last` are the lines that
    a table can end with."""
    if block.kind == "paragraph" and following is not None and following.kind == "hr":
        under = lines[following.first]
        named = block.end - block.first == 1 and following.first == block.end
        if named and _DASHES.fullmatch(under) and len(_SPAN.findall(under)) > 1:
            return next((n for n in range(following.end, len(lines)) if not lines[n].strip()), len(lines))
    if block.kind not in ("hr", "paragraph") or not _DASHES.fullmatch(lines[block.first]):
        return 0
    if block.first + 1 >= len(lines) or not lines[block.first + 1].strip():
        return 0
    at = bisect_left(last, block.first + 2)
    return last[at] + 1 if at < len(last) and last[at] < block.first + _MOST else 0


def _drawn(rows: Sequence[str]) -> list[str]:
    """A table in columns of dashes as one of ours; one of many lines a row as it was written."""
    at = next((n for n, row in enumerate(rows[:2]) if _DASHES.fullmatch(row)), 0)
    starts = [span.start() for span in _SPAN.finditer(rows[at])]
    body = [row for row in rows[at + 1 :] if not _DASHES.fullmatch(row)]
    if not all(row.strip() for row in body) or len(starts) > 12:
        return ["```text", *rows, "```"]
    ends = [*starts[1:], None]
    starts[0] = 0
    cells = [
        [row[start:end].strip().replace("|", "\\|") for start, end in zip(starts, ends, strict=True)]
        for row in (rows[0] if at else "", *body)
    ]
    drawn = ["| " + " | ".join(row) + " |" for row in cells]
    return [drawn[0], "|" + "---|" * len(starts), *drawn[1:]]


def _div(lines: Sequence[str], block: Block) -> int:
    """The line behind a `<div>` that is closed; 0 where there is none."""
    if not _DIV.match(lines[block.first].lstrip()):
        return 0
    depth = 0
    for line in range(block.first, min(len(lines), block.first + _MOST)):
        for tag in _DIV.finditer(lines[line]):
            depth += -1 if tag[1] else 1
        if depth <= 0:
            return max(line + 1, block.end)
    return 0
