"""What is written for a row is less, and the row looks the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from png import Cell, parse_ansi
from rich.console import Console
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.rendering.row_strip import RowStrip, changed
from tui.rendering.themed_strips import Painter

CONSOLE = Console(color_system="truecolor", width=80)
INKS = st.sampled_from(["text", "dim", "good", "accent", ""])
STYLES = st.builds(
    Style,
    ink=INKS,
    ground=st.sampled_from(["", "panel", "select"]),
    bold=st.booleans(),
    underline=st.booleans(),
    strike=st.booleans(),
    link=st.sampled_from(["", "", "https://x.org/a", "#slide"]),
)
WORDS = st.lists(st.sampled_from([*"ab  ─█漢字", "e\u0301"]), max_size=6).map("".join)
LINES = st.lists(st.builds(Span, WORDS, STYLES), max_size=6).map(tuple)


def seen(written: str) -> list[Cell]:
    """The cells; of a blank that shows its ground alone the ink says nothing."""
    (row,) = parse_ansi(written)
    return [
        cell._replace(ink="", bold=False, italic=False)
        if cell.text == " " and not (cell.underline or cell.strike)
        else cell
        for cell in row
    ]


@given(line=LINES, theme=st.sampled_from(["dark", "light", "projector", "mono"]))
def test_a_row_looks_as_textual_writes_it(line: Line, theme: str) -> None:
    strip = Painter(theme).strip(line, 40)
    assert isinstance(strip, RowStrip) and strip.cell_length == 40
    ours, theirs = strip.render(CONSOLE), Strip(list(strip)).render(CONSOLE)
    assert seen(ours) == seen(theirs)
    assert len(ours) <= len(theirs)


def test_a_look_is_said_once_and_taken_back_at_the_end() -> None:
    red = RichStyle(color="#ff0000", bgcolor="#000000")
    bold = RichStyle(color="#ff0000", bgcolor="#000000", bold=True)
    blank = RichStyle(color="#00ff00", bgcolor="#000000")
    row = RowStrip([Segment("a", red), Segment("  ", blank), Segment("b", bold), Segment("c", red)])
    assert row.render(CONSOLE) == (
        "\x1b[38;2;255;0;0;48;2;0;0;0ma  \x1b[1mb\x1b[0;38;2;255;0;0;48;2;0;0;0mc\x1b[0m"
    )
    assert RowStrip([Segment("plain")]).render(CONSOLE) == "plain"


@pytest.mark.parametrize(("system", "code"), [("256", "38;5;196"), ("standard", "31")])
def test_a_terminal_of_fewer_colours_gets_those(system: Any, code: str) -> None:
    row = RowStrip([Segment("a", RichStyle(color="#ff0000"))])
    assert row.render(Console(color_system=system)) == f"\x1b[{code}ma\x1b[0m"


@given(was=LINES, now=LINES)
def test_what_changed_painted_over_what_was_is_what_is(was: Line, now: Line) -> None:
    painter = Painter("dark")
    first, last = changed(was, now)
    old, new = painter.strip(was, 40), painter.strip(now, 40)
    assert 0 <= first <= last <= max(cells.line_width(was), cells.line_width(now))
    painted = Strip.join([old.crop(0, first), new.crop(first, last), old.crop(last, 40)])
    assert seen(painted.render(CONSOLE)) == seen(Strip(list(new)).render(CONSOLE))


def test_a_figure_alone_is_painted() -> None:
    text, dim = Style("text"), Style("dim")
    was = (Span("rank 0  ", text), Span("step 118", text), Span("  17 MB", dim))
    assert changed(was, (was[0], Span("step 129", text), was[2])) == (14, 16)
    assert changed(was, (*was[:2], Span("  9 MB", dim))) == (18, 23)
    assert changed(was, (Span("rank 0  step 118", text), was[2])) == (8, 8)  # nothing is another
