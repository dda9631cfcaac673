"""Whatever a terminal thinks of a letter's width, what follows stands in its column."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from unicodedata import category, combining

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from slides.drawing import cells
from slides.drawing.layout import layout
from slides.drawing.text import Line, Span
from slides.reading.parse import parse_slide
from slides.reading.split import split
from tui.rendering.row_strip import WholeRow
from tui.rendering.themed_strips import Painter

CONSOLE = Console(color_system="truecolor", width=80)
TABLE = """\
| word | what |
|---|---|
| समझो ज़रा | one |
| நீங்கள் | two |
| 👩\u200d🔬 lab | three |
| plain | four |
"""


def joined(text: str) -> list[int]:
    """Cells of each letter where signs and emoji are joined as `cells` thinks."""
    before = [cells.width(text[:n]) for n in range(len(text) + 1)]
    return [b - a for a, b in pairwise(before)]


def apart(text: str) -> list[int]:
    """As in xterm and tmux 3.3: vowel signs that are spacing take a cell, joined emoji stand side by side."""
    return [
        0 if letter == "\u200d" or category(letter) == "Mn" or combining(letter)
        else 1 if category(letter) == "Mc" else cells.width(letter)
        for letter in text
    ]  # fmt: skip


def screen(written: str, sizes: Callable[[str], list[int]]) -> dict[int, str]:
    """What stands in each column of a terminal that has these widths."""
    found: dict[int, str] = {}
    x = 0
    for column, other, run in re.findall(r"\x1b\[(\d+)G|(\x1b\[[\d;]*m)|([^\x1b]+)", written):
        x = int(column) - 1 if column else x
        if other:
            continue
        for letter, size in zip(run, sizes(run), strict=True):
            if size:
                found[x] = letter
            x += size
    return found


def rows(lines: list[Line], width: int) -> list[str]:
    painter = Painter("mono")
    written = []
    for line in lines:
        strip = painter.strip(line, width)
        written.append(strip.render_at(CONSOLE, 0))  # type: ignore[attr-defined]
    return written


@pytest.mark.parametrize("sizes", [joined, apart])
def test_columns_of_a_table_are_straight_and_no_letter_is_lost(sizes: Callable[[str], list[int]]) -> None:
    lines = layout(parse_slide(split(TABLE, "deck.md"), 0), 0, 40)
    shown = [screen(row, sizes) for row in rows(lines, 40)]
    words = [shown[0], *shown[2:]]
    start = next(x for x, letter in shown[0].items() if letter == "w" and x > 3)
    assert [row[start] for row in words] == ["w", "o", "t", "t", "f"]
    if sizes is apart:
        assert "".join(letter for _, letter in sorted(shown[2].items())).split()[:2] == ["समझो", "जरा"]
    # `ज़रा` without its dot below, which has no cell of its own.


@given(
    st.lists(
        st.sampled_from(["समझो", "ज़रा", "a", "  ", " ", "│", "👩\u200d🔬", "நீ", "漢", "█"]), max_size=12
    ),
    st.booleans(),
)
def test_a_mark_behind_a_gap_is_in_its_column_everywhere(parts: list[str], split_up: bool) -> None:
    text = "".join(parts)
    line = tuple(map(Span, parts)) if split_up else (Span(text),)
    line = (*line, Span("  │"))
    if cells.line_width(line) > 60:
        return
    (row,) = rows([line], 60)
    for sizes in (joined, apart):
        assert screen(row, sizes)[cells.line_width(line) - 1] == "│"


def test_rows_without_such_letters_are_written_as_before() -> None:
    (row,) = rows([(Span("größe │ 漢字  ─"),)], 20)
    assert "G" not in row


def test_a_part_of_a_row_knows_where_it_begins() -> None:
    strip = Painter("mono").strip((Span("समझो  x"),), 10)
    written = strip.render_at(CONSOLE, 7)  # type: ignore[attr-defined]
    assert "\x1b[8G" in written and "\x1b[13G" in written


@pytest.mark.parametrize("text", ["plain words", "größe ─", "समझो  x"])
def test_a_whole_row_is_written_as_one_that_begins_at_the_left(text: str) -> None:
    strip = Painter("mono").strip((Span(text),), 20)
    assert WholeRow(strip).render(CONSOLE) == strip.render_at(CONSOLE, 0)  # type: ignore[attr-defined]
