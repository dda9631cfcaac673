"""The help in two pages: the keys a teacher needs, large, then all there are. Pure: data in, lines out."""

from __future__ import annotations

from itertools import combinations, pairwise

from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span
from tui.keys import table
from tui.panes.edges.footer_lines import BOLD, DIM, KEY, TEXT, rule

_LARGE = (104, 34)  # columns and rows from which on the first page is in large letters


def first_page(role: str, width: int, height: int) -> list[Line]:
    """The few keys one gets through a class with, as large as there is room for. [] where it is no help."""
    rows = table.first_rows(role)
    if len(rows) < 2 or height < len(rows) + 2 or width < 40:
        return []
    title: Line = (
        Span("  "),
        Span("The keys you need", BOLD),
        Span("   ? or ↓ all keys · any other key closes", DIM),
    )
    body = (_in_letters(rows, width) if width >= _LARGE[0] and height >= _LARGE[1] else []) or _in_words(rows)
    room = height - 2
    blocks = len(rows)
    each = len(body) // blocks
    apart = max(0, min(2, (room - len(body)) // max(1, blocks - 1)))
    spaced = [line for n in range(blocks) for line in (*body[n * each : (n + 1) * each], *[()] * apart)]
    spaced = spaced[: len(spaced) - apart]
    over = max(0, room - len(spaced)) // 3
    return [
        cells.clip(title, width),
        rule(width),
        *[()] * over,
        *(cells.clip(line, width) for line in spaced),
    ][:height]


def _in_words(rows: list[table.Row]) -> list[Line]:
    gutter = max(cells.width(row.keys[0]) for row in rows) + 4
    return [
        (
            Span(" " * 4),
            Span(f" {row.keys[0]} ", KEY.on("select")),
            Span(" " * (gutter - cells.width(row.keys[0]))),
            Span(row.text, TEXT),
        )
        for row in rows
    ]


def _in_letters(rows: list[table.Row], width: int) -> list[Line]:
    """Keys and words in letters of three rows; [] where one of them does not fit."""
    keys = [letters(row.keys[0], width, ("bold",), 1) for row in rows]
    gutter = max((cells.width(line) for key in keys for line in key or ()), default=0) + 6
    words = [letters(row.text, width - gutter - 6, ("bold", "low"), 1) for row in rows]
    lines: list[Line] = []
    for key, word in zip(keys, words, strict=True):
        if not key or not word or len(key) != len(word):
            return []
        for left, right in zip(key, word, strict=True):
            lines.append((Span(" " * 4), Span(left.ljust(gutter), KEY), Span(right, TEXT)))
    return lines


def help_lines(role: str, width: int, height: int, top: int = 0) -> list[Line]:
    """All keys from row `top` on, under a head that says how to go on and how to leave."""
    body = help_rows(role, width, height)
    room = max(0, height - 2)
    top = max(0, min(top, len(body) - room))
    arrows = ("↑ " if top else "") + ("↓ " if top + room < len(body) else "")
    way = f"   {arrows}more · any other key closes" if arrows else "   any key closes"
    title: Line = (Span("  "), Span("All keys", BOLD), Span(way, DIM))
    return [cells.clip(title, width), rule(width), *body[top : top + room]][:height]


def help_rows(role: str, width: int, height: int) -> list[Line]:
    """Every action of the table under its group, in even columns; more than a screen goes on below it.

    Groups stay whole wherever the terminal has the height of the largest: each screen is then a page.
    """
    groups: dict[str, list[table.Row]] = {}
    for row in table.rows(role):
        groups.setdefault(row.group, []).append(row)
    body = max(1, height - 2)
    across = 1 if width < 76 else 2 if width < 120 else 3
    column_width = (width - 4) // across
    key_width = min(22, max(10, column_width - 28))
    blocks = [_block(group, entries, key_width, column_width) for group, entries in groups.items()]
    lines: list[Line] = []
    columns = _columns(blocks, across, body)
    if len(columns) <= across and 2 * max(map(len, columns)) - 1 <= body:
        columns = [[line for row in column for line in (row, ())][:-1] for column in columns]
    pages = [columns[n : n + across] for n in range(0, len(columns), across)]
    for page in pages:
        deep = max(map(len, page), default=0)
        for n in range(deep):
            line: list[Span] = [Span("  ")]
            for column in page:
                cell = column[n] if n < len(column) else ()
                line += [*cell, Span(" " * max(0, column_width - cells.line_width(cell)))]
            lines.append(cells.clip(tuple(line), width))
        if len(pages) > 1 and deep <= body:
            lines += [()] * (body - deep)
    return lines


def _block(group: str, rows: list[table.Row], key_width: int, width: int) -> list[Line]:
    block: list[Line] = [(Span(group, BOLD),)]
    for _, keys, text in rows:
        shown = _whole_keys(keys, key_width - 1)
        pad = " " * (key_width - cells.width(shown))
        block.append((Span(shown, KEY), Span(pad), Span(cells.clip_text(text, width - key_width - 1), TEXT)))
    return block


def _whole_keys(keys: tuple[str, ...], width: int) -> str:
    """As many keys as fit, each whole."""
    while len(keys) > 1 and cells.width(" ".join(keys)) > width:
        keys = keys[:-1]
    return cells.clip_text(" ".join(keys), width)


def _columns(blocks: list[list[Line]], across: int, body: int) -> list[list[Line]]:
    """Whole blocks in columns as even as can be, of as few screens of `across` columns as they need."""
    for count in range(across, len(blocks) + across, across):
        found = _even(blocks, min(count, len(blocks)))
        if max(map(len, found)) <= body:
            return found
    # Not even one block is no longer than the screen: rows follow each other.
    rows = [row for block in blocks for row in block]
    height = -(-len(rows) // across)
    return [rows[n : n + height] for n in range(0, len(rows), height)]


def _even(blocks: list[list[Line]], count: int) -> list[list[Line]]:
    """The blocks, in their order, in `count` columns of which the longest is as short as can be."""
    ways = (
        [blocks[a:b] for a, b in pairwise((0, *cuts, len(blocks)))]
        for cuts in combinations(range(1, len(blocks)), count - 1)
    )
    joined = ([_joined(column) for column in way] for way in ways)
    return min(joined, key=lambda columns: (max(map(len, columns)), -min(map(len, columns))))


def _joined(blocks: list[list[Line]]) -> list[Line]:
    """One below the other, a blank line between."""
    return [line for block in blocks for line in ((), *block)][1:]
