"""A row of blocks along time: each as wide as it lasts, its name in it, and the cursor where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

EMPTY, DIM, WAITING = Style("faint"), Style("dim"), Style("exposed")
WAITS = "░"
WIDEST = 6  # cells of a step
CURSOR = Style("background", "accent", bold=True, underline=True)
BROKEN = Style("background", "bad", bold=True)
# What a block is, by the letter of its name: the ink of the course for it.
GROUNDS = {"F": "forward", "B": "backward", "W": "weight"}


class Mark(NamedTuple):
    """A block from step `start` up to `end`, with its text and style."""

    start: int
    end: int
    text: str
    style: Style


def of(name: str) -> Style:
    """Return the style of a block of work by the letter its name begins with."""
    return Style("background", GROUNDS[name[:1]], bold=True)


def row(marks: Sequence[Mark], columns: int, cell: int, high: int, empty: str = "·") -> list[Line]:
    """`high` lines of `columns` steps, `cell` cells each; a thin gap parts neighbours where there is room."""
    lines: list[Line] = []
    for y in range(high):
        spans: list[Span] = []
        step = 0
        for mark in sorted(marks):
            spans += _blank(mark.start - step, cell, empty if y == (high - 1) // 2 else " ")
            room = (mark.end - mark.start) * cell
            inner = room - (room > 2)
            style = mark.style if y == (high - 1) // 2 else mark.style._replace(underline=False)
            text = mark.text if cells.width(mark.text) <= inner else mark.text[:1]
            shown = text if y == (high - 1) // 2 else ""
            spans += [*cells.fit((Span(shown, style),), inner, style, "center")]
            spans += [Span(" " * (room - inner))] if room > inner else []
            step = mark.end
        spans += _blank(columns - step, cell, empty if y == (high - 1) // 2 else " ")
        lines.append(tuple(spans))
    return lines


def _blank(steps: int, cell: int, sign: str) -> list[Span]:
    """Steps in which nothing is done. A wait fills its cells; a free place is a dot in the middle."""
    if steps <= 0:
        return []
    one = sign * cell if sign == WAITS else sign.center(cell)
    return [Span(one * steps, WAITING if sign == WAITS else EMPTY)]


def axis(columns: int, cell: int, every: int = 5) -> Line:
    """The numbers of steps, from 1, each over its column: the first, and every fifth."""
    text = [" "] * (columns * cell)
    for step in range(columns):
        if step == 0 or (step + 1) % every == 0:
            label = str(step + 1).center(cell) if cell > 2 else str(step + 1)
            at = step * cell
            if at + len(label) <= len(text):
                text[at : at + len(label)] = label
    return (Span("".join(text), DIM),)


def cell_width(columns: int, room: int) -> int:
    """Cells of a step where so many share the room."""
    return max(1, min(WIDEST, room // max(1, columns)))
