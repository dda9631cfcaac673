"""Footer, hints, help, clock: pictures of pure functions."""

from __future__ import annotations

import pytest
from made_screen import place

from slides.drawing import cells
from slides.drawing.text import Line, Span, plain
from tui.keys.table import BOTH, for_role, label, rows
from tui.panes import bars
from tui.panes.bars import Badge


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_footer_at_three_widths() -> None:
    assert plain(bars.footer(place(), 80)) == (
        "  Distributed data parallel  ·  Practice   ━━━━━━━━  slide 9/18 · 50 % · 12:40  "
    )
    assert plain(bars.footer(place(), 100)) == (
        "  Distributed data parallel  ·  Practice               ━━━━━━━━━━━━━━━━  slide 9/18 · 50 % · 12:40  "
    )
    for width in (40, 60, 80, 100, 160):
        assert cells.line_width(bars.footer(place(), width)) == width
    assert plain(bars.footer(place(), 60)).endswith("slide 9/18 · 50 % · 12:40  ")
    assert plain(bars.footer(place(elapsed=None), 100)).endswith("slide 9/18 · 50 %  ")
    assert "paused" in plain(bars.footer(place(running=False), 100))


def test_the_bar_gives_way_to_words() -> None:
    section = place(section="What it costs")
    assert plain(bars.footer(section, 80)) == (
        "  Distributed data parallel  ·  What it costs  ━━━━  slide 9/18 · 50 % · 12:40  "
    )
    runs = plain(bars.footer(place(badges=(Badge("demo runs on", "accent"),)), 80))
    assert "   demo runs on   " in runs and "slide 9/18" in runs
    assert "Practice" not in runs and "…" not in runs  # there is no room for all of it
    two = (Badge("demo runs on", "accent"), Badge("room frozen"))
    assert "━" not in plain(bars.footer(place(badges=two), 80))


def test_under_a_stacked_console_the_footer_says_what_goes_on() -> None:
    line = plain(bars.footer(place(), 80, (Span("stage warm  ·  audience 2"),)))
    assert line.startswith("  stage warm  ·  audience 2 ") and line.endswith("━━━━━━━━  50 %  ")


def test_badges_are_words_beside_the_place() -> None:
    line = plain(bars.footer(place(badges=(Badge("host lost, restarting", "bad"),)), 100))
    assert "host lost, restarting" in line and "slide 9/18" in line


def test_half_of_the_deck_is_half_of_the_bar() -> None:
    done, left = bars.progress(0.5, 16)
    assert (len(done.text), len(left.text)) == (8, 8) and done.style != left.style


@pytest.mark.parametrize("role", BOTH)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (160, 45)])
def test_help_lists_every_action_in_at_most_two_screens(role: str, width: int, height: int) -> None:
    first = bars.help_lines(role, width, height)
    last = bars.help_lines(role, width, height, top=999)
    shown = text(first + last)
    for lines in (first, last):
        assert len(lines) <= height
        assert all(cells.line_width(line) <= width for line in lines)
    for row in rows(role):
        assert row.text in shown and row.keys[0] in shown, row
    listed = " ".join(key for row in rows(role) for key in row.keys)
    for action in for_role(role):
        keyless = not action.keys or action.name.startswith("digit(")
        assert keyless or label(action.keys[0]) in listed, action.name


def test_a_help_that_is_longer_than_the_screen_says_so_and_can_be_turned() -> None:
    assert "any key closes" in plain(bars.help_lines("console", 160, 60)[0])
    body = bars.help_rows("console", 80, 12)
    assert "↓ more · any other key closes" in plain(bars.help_lines("console", 80, 12)[0])
    assert "↑ more" in plain(bars.help_lines("console", 80, 12, top=999)[0])
    assert bars.help_lines("console", 80, 12, top=3)[2:] == body[3:13]


def test_help_survives_any_terminal() -> None:
    for width in (1, 5, 20, 59):
        for height in (1, 3, 16):
            lines = bars.help_lines("console", width, height)
            assert len(lines) <= height and all(cells.line_width(line) <= width for line in lines)


def test_hints_are_whole_or_not_there() -> None:
    words = (("d", "start"), ("Enter", "full size"), ("?", "keys"))
    assert plain(bars.hints(words, 80)) == "  d start  Enter full size  ? keys  "
    assert plain(bars.hints(words, 20)) == "  d start  ? keys  "
    assert plain(bars.hints(words, 19)) == "  d start  "


def test_untrusted_words_reach_no_terminal_raw() -> None:
    line = plain(bars.footer(place(title="a\x1b[2Jb\x07"), 80))
    assert "\x1b" not in line and "\x07" not in line
    assert "\x1b" not in plain(bars.message("x\x1b]0;t\x07y", "bad", 80))
