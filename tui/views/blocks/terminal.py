"""The pane of a program in a terminal. What the program wrote is untrusted, and made clean here."""

from __future__ import annotations

from collections import Counter

from runtime.protocol.class_messages.screen_messages import EXERCISE
from runtime.protocol.messages import Grid, Run
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.classroom.runs.snippet_outputs import Heard
from tui.figures import numbers
from tui.keys.table import key_of
from tui.terminal.key_sequences import WAY_OUT
from tui.views.blocks.snippet import DIM, HEAD, KEY, MARKS, TEXT, ended
from tui.views.parts.frame import framed, spread

# A terminal's sixteen colours in those of the theme, where they can be read.
_INKS = {
    "black": "faint",
    "red": "bad",
    "green": "good",
    "brown": "warning",
    "yellow": "warning",
    "blue": "accent",
    "magenta": "optimizer",
    "cyan": "params",
    "white": "text",
}
_BOLD, _ITALIC, _UNDERLINE, _STRIKE, _REVERSE = 1, 2, 4, 8, 16
_CURSOR = Style("background", "accent")
_IDLE_CURSOR = Style("text", "select")


def margin(width: int) -> int:
    """Blank cells left and right of a terminal on a slide."""
    return 2 if width >= 96 else 1 if width >= 60 else 0


def room(width: int, height: int) -> tuple[int, int]:
    """(columns, rows) of a terminal in a pane of this size."""
    return max(1, width - 2 * margin(width)), max(1, height - 1)


def pane(heard: Heard, width: int, height: int, *, typing: bool, full: bool, hints: bool) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells; `typing`: keys go there from this screen."""
    side = Span(" " * margin(width))
    grid = heard.output.screen
    columns, rows = room(width, height)
    lines = [_head(heard, columns, typing, full, hints)]
    if grid is None:
        lines.append((Span("nothing to see yet", Style("faint")),) if heard.alive else ())
    elif heard.output.lang == EXERCISE and not typing and (at := _divided(grid, columns)):
        lines += _one_below_the_other(grid, at, columns, rows)
    else:
        lines += screen(grid, columns, rows, typing, heard.alive)
    return framed([(side, *line) if side.text and line else line for line in lines], width, height)


def screen(grid: Grid, columns: int, rows: int, typing: bool, alive: bool = True) -> list[Line]:
    """As much of a terminal as there is room for: the rows around its cursor, from its left edge."""
    written = max((y + 1 for y, row in enumerate(grid.rows) if row), default=0)
    last = max(grid.y + 1 if grid.cursor else 0, min(written, rows))
    top = max(0, last - rows)
    lines = [
        _row(
            row,
            (_CURSOR if typing else _IDLE_CURSOR) if alive and grid.cursor and y == grid.y else None,
            grid.x,
        )
        for y, row in enumerate(grid.rows[top : top + rows], start=top)
    ]
    return [cells.clip(line, columns) for line in lines]


def _divided(grid: Grid, columns: int) -> int:
    """The column of the line between an exercise's two halves, where both do not fit; 0: there is none."""
    if grid.columns <= columns:
        return 0
    found: Counter[int] = Counter()
    for row in grid.rows:
        text = "".join(run[0] for run in row)
        found.update(n for n, sign in enumerate(text) if sign == "│")
    at, rows = max(found.items(), key=lambda it: it[1], default=(0, 0))
    return at if rows > len(grid.rows) // 2 else 0


def _one_below_the_other(grid: Grid, at: int, columns: int, rows: int) -> list[Line]:
    """What an exercise says on a wide screen, for one that is not: its head, what the ranks made of the file,
    and then the task with as much as there is room for."""
    drawn = [_row(row, None, 0) for row in grid.rows]
    inside = [line for line in drawn if plain(line)[at : at + 1] == "│"]
    head = [_part(line, 0, columns) for line in drawn[: drawn.index(inside[0])]]
    right = [_part(line, at + 1, columns) for line in inside]
    while right and not plain(right[-1]).strip():
        right.pop()
    return [*head, *right, (), *(_part(line, 0, min(at, columns)) for line in inside)][:rows]


def _part(line: Line, x: int, columns: int) -> Line:
    """So many cells of a line from cell `x` on, without the blank ones at its end."""
    found: list[Span] = []
    at = 0
    for span in line:
        text = span.text
        size = cells.width(text)
        if at < x < at + size:
            _, under, after = _parted(text, x - at)
            text = under + after
        if at + size > x and at < x + columns:
            if (over := at + size - x - columns) > 0:
                before, _, _ = _parted(text, cells.width(text) - over)
                text = before
            found.append(Span(text, span.style))
        at += size
    while found and not found[-1].text.strip() and not found[-1].style.ground:
        found.pop()
    return tuple(found)


def _row(row: tuple[Run, ...], cursor: Style | None, x: int) -> Line:
    spans = [Span(cells.clean(text), _style(ink, ground, marks)) for text, ink, ground, marks in row]
    if cursor is None:
        return tuple(spans)
    length = cells.line_width(tuple(spans))
    if x >= length:
        return (*spans, Span(" " * (x - length)), Span(" ", cursor))
    line: list[Span] = []
    at = 0
    for span in spans:
        size = cells.width(span.text)
        if at <= x < at + size:
            before, under, after = _parted(span.text, x - at)
            line += [Span(before, span.style), Span(under, cursor), Span(after, span.style)]
        else:
            line.append(span)
        at += size
    return tuple(span for span in line if span.text)


def _parted(text: str, x: int) -> tuple[str, str, str]:
    """The characters before cell `x`, the one on it, those behind it."""
    at = 0
    for n, char in enumerate(text):
        size = cells.width(char)
        if at <= x < at + size:
            end = n + 1
            while end < len(text) and not cells.width(text[end]):
                end += 1
            return text[:n], text[n:end], text[end:]
        at += size
    return text, "", ""


def _style(ink: str, ground: str, marks: int) -> Style:
    inked, behind = _ink(ink) or "text", _ink(ground)
    if marks & _REVERSE:
        inked, behind = behind or "background", inked
    return Style(
        inked,
        behind,
        bold=bool(marks & _BOLD) or ink.startswith("bright"),
        italic=bool(marks & _ITALIC),
        underline=bool(marks & _UNDERLINE),
        strike=bool(marks & _STRIKE),
    )


def _ink(name: str) -> str:
    return name if name.startswith("#") else _INKS.get(name.removeprefix("bright"), "")


def _head(heard: Heard, width: int, typing: bool, full: bool, hints: bool) -> Line:
    output = heard.output
    mark, word, ink = MARKS.get(output.state, ("", output.state, "dim"))
    left = [Span("TERMINAL  ", HEAD), Span(f"{mark} ", Style(ink, bold=True))]
    left += [Span(ended(heard) or word, Style(ink)), Span(f"  {numbers.clock(output.ran_s)}", TEXT)]
    if heard.alive:
        left.append(Span(f" of {numbers.clock(output.timeout_s)} at most", DIM))
    right: list[Span] = []
    if typing:
        right = [Span(" keys go here ", _CURSOR), Span(f"  {WAY_OUT}", KEY), Span(" leaves", DIM)]
    elif hints and heard.alive:
        right = [Span(key_of("run_code"), KEY), Span(" types   ", DIM)]
        right += [Span(key_of("panel"), KEY), Span(" back" if full else " full", DIM)]
    elif hints:
        right = [Span(key_of("run_code"), KEY), Span(" again", DIM)]
    room = width - cells.line_width(tuple(right)) - 2
    return cells.clip(spread(cells.clip(tuple(left), max(0, room)), tuple(right), width), width)
