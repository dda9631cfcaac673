"""Pandoc's grid tables, drawn with `+---+` around each cell, as tables of ours; RStudio's editor writes them.

The lines of a cell become one, its items and paragraphs lines of their own. A table whose cells reach over
several columns or rows stays as it was drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from slides.dialects.translation import Draft

_BORDER = re.compile(r" {0,3}\+(?:[-=:]+\+)+\s*")
_ROW = re.compile(r" {0,3}[|+].*[|+]\s*")
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,3}[.)])\s+")


def draw_grids(draft: Draft) -> None:
    """Put a table of ours in place of each grid table outside code."""
    line = 0
    while line < len(draft.bare):
        if (
            draft.bare[line].lstrip()[:1] != "+"
            or draft.coded[line]
            or not _BORDER.fullmatch(draft.bare[line])
        ):
            line += 1
            continue
        below = (draft.bare[at] for at in range(line, len(draft.bare)))
        rows = [row.strip() for row in takewhile(_ROW.fullmatch, below)]
        while len(rows) > 2 and not _BORDER.fullmatch(rows[-1]):
            rows.pop()
        if len(rows) > 2:
            drawn = _drawn(rows) or ["```text", *rows, "```"]
            draft.replace(line, line + len(rows), "", *drawn, "")
        line += len(rows)


def _drawn(rows: Sequence[str]) -> list[str]:
    """Rows of a table of ours; none where a cell reaches over others, or there is none."""
    ends = [at for at, sign in enumerate(rows[0]) if sign == "+"]
    groups: list[list[list[str]]] = [[]]  # of each row of the table the cells of its lines
    head = 0
    for row in rows[1:]:
        if row[0] == "+":
            if len(row) != len(rows[0]) or any(row[at] != "+" for at in ends) or not _BORDER.fullmatch(row):
                return []
            head = head or (len(groups) if "=" in row else 0)
            groups.append([])
        elif (cells := _cells(row, ends)) is None:
            return []
        else:
            groups[-1].append(cells)
    body = [[_cell(lines) for lines in zip(*group, strict=True)] for group in groups if group]
    if not body:
        return []
    if head != 1:  # of several rows above the double line each is a row
        body.insert(0, [""] * (len(ends) - 1))
    ruled = next((row for row in rows if "=" in row and row[0] == "+"), rows[0])
    sides = [_side(ruled[start + 1 : end]) for start, end in pairwise(ends)]
    drawn = ["| " + " | ".join(cells) + " |" for cells in body]
    return [drawn[0], "|" + "|".join(sides) + "|", *drawn[1:]]


def _cells(row: str, ends: Sequence[int]) -> list[str] | None:
    """The parts of a line between its bars, which wide letters may move from below the signs above."""
    if all(at < len(row) and row[at] == "|" for at in ends):
        return [row[start + 1 : end] for start, end in pairwise(ends)]
    parts = row.split("|")[1:-1]
    return parts if row[0] == "|" and len(parts) == len(ends) - 1 else None


def _cell(lines: Sequence[str]) -> str:
    return "<br>".join(_parts([line.strip() for line in lines])).replace("\\|", "|").replace("|", "\\|")


def _parts(lines: Sequence[str]) -> Iterator[str]:
    """Paragraphs and items of a cell, each on one line."""
    open_: list[str] = []
    for line in (*lines, ""):
        item = _ITEM.match(line)
        if (item or not line) and open_:
            yield " ".join(open_)
            open_ = []
        if item:
            sign = item[0].strip()
            line = f"{'•' if sign in '-*+' else sign} {line[item.end() :]}"
        if line:
            open_.append(line)


def _side(border: str) -> str:
    """`:---:` where a column is centred, and its like."""
    return f"{':' if border[:1] == ':' else ''}---{':' if border[-1:] == ':' else ''}"
