"""What stands where somebody clicks, read from the lines that are drawn there. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from slides.drawing import cells
from slides.drawing.text import Line, Span, plain
from tui.views.question.answer_rows import CHIP

_DIGIT = re.compile(r"(?<!\S)(\d)(?= [a-z])")
_CHOSEN = ("accent", "good", "bad", CHIP.ground)  # grounds of the number of an option
_CHIP_CELLS = 10  # it stands within so many


def span_at(line: Line, column: int) -> Span | None:
    """The piece of a line at a column."""
    at = 0
    for span in line:
        at += cells.width(span.text)
        if column < at:
            return span
    return None


def link(line: Line, column: int) -> str:
    """Where the words at a column lead, "" where they lead nowhere."""
    span = span_at(line, column)
    return span.style.link if span is not None else ""


def option(lines: Sequence[Line], row: int) -> int | None:
    """Which option of a question (from 1) a row belongs to. Its number stands before it, in letters several
    rows of it; a row without words is none's."""
    if not 0 <= row < len(lines) or not plain(lines[row]).strip():
        return None
    count, found, before = 0, 0, False
    for line in lines[: row + 1]:
        chip = _chip(line)
        if chip is not None and chip.strip().isdigit():
            count = found = int(chip)
        elif chip is not None and not before:
            count += 1
            found = count
        elif not line:
            found = 0  # a row of air is behind an option
        before = chip is not None
    return found or None


def _chip(line: Line) -> str | None:
    """The number of an option that a row begins with, None for any other row."""
    at = 0
    for text, style in line:
        if at >= _CHIP_CELLS:
            return None
        if style.bold and style.ground in _CHOSEN and len(text) <= _CHIP_CELLS and text.strip():
            return text
        at += cells.width(text)
    return None


def tab(line: Line, tabs: Line, column: int) -> int | None:
    """Which view's digit stands at a column, in a row that shows `tabs`."""
    shown, wanted = plain(line), plain(tabs).strip()
    if not wanted or shown.strip() != wanted:
        return None
    starts = [(cells.width(shown[: match.start()]), int(match.group())) for match in _DIGIT.finditer(shown)]
    edges = [*starts, (cells.width(shown.rstrip()) + 1, -1)]
    return next((digit for (at, digit), (end, _) in pairwise(edges) if at <= column < end), None)
