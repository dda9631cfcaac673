"""The console's first line: what is said at which width, and what gives way to what."""

from __future__ import annotations

import pytest
from made_screen import place

from slides.drawing import cells
from slides.drawing.text import plain
from tui.classroom.pace import Pace, Timing
from tui.classroom.position.place_in_talk import Badge
from tui.panes.console.console_bar import bar

PACE = Pace(total_s=2100, left_s=1270, slide_left_s=70, behind_s=100)
FULL = Timing("14:02", 760.0, None, "15:30", PACE)


def said(width: int, timing: Timing = FULL, *marks: Badge, live: Badge | None = None) -> str:
    line = bar(place(), timing, marks, live, width)
    assert cells.line_width(line) == width
    return plain(line)


def test_everything_is_said_where_there_is_room() -> None:
    assert said(160, live=Badge("● LIVE CPU", "good")) == (
        "  Distributed data parallel   slide 9/18  step 2/3           "
        "14:02   elapsed 12:40   ends 15:30 21:10 to go   this slide 1:10 left   -1:40 behind   ● LIVE CPU  "
    )


def test_on_80_columns_the_pace_stays_and_the_clock_goes() -> None:
    line = said(80, live=Badge("● LIVE CPU", "good"))
    assert line.endswith("12:40   21:10 to go   slide 1:10 left   -1:40 behind  ")
    assert "9/18" in line and "LIVE" not in line and "14:02" not in line


def test_what_must_not_be_forgotten_stays_at_any_width() -> None:
    paused = Timing("14:02", 760.0, 130.0, "15:30", PACE)
    line = said(80, paused, Badge("ROOM: BLACK"), Badge("pts/3 drives"))
    assert "ROOM: BLACK" in line and "pts/3 drives" in line and "paused 2:10" in line and "9/18" in line
    assert "ROOM: BLACK" in said(60, paused, Badge("ROOM: BLACK"))


def test_over_time_is_said_in_words() -> None:
    over = Timing("15:31", 3000.0, None, "15:30", Pace(2100, -80.0, -20.0, 500))
    line = said(160, over)
    assert "over by 1:20" in line and "0:20 over" in line and "-8:20 behind" in line


def test_without_a_plan_nothing_is_made_up() -> None:
    assert said(100, Timing("14:02", None)).split("step 2/3")[1].split() == ["14:02"]
    assert said(100, Timing("14:02", 5.0)).rstrip().endswith("14:02   elapsed 0:05")


@pytest.mark.parametrize("width", [60, 61, 70, 79, 80, 90, 100, 120, 160, 200])
def test_a_long_title_never_pushes_the_place_out(width: int) -> None:
    line = plain(bar(place(title="A title as long as " + "it " * 30), FULL, (), None, width))
    assert "9/18" in line and "behind" in line
