"""A row of a moving picture, written from arrays: the terminal shows what the same row of segments shows."""

from __future__ import annotations

import pyte
import pytest
from rich.console import Console
from textual.strip import Strip

from slides.drawing.text import Line
from slides.palette import THEMES
from slides.scenes import painting, scene_request
from slides.scenes.motion import between
from slides.scenes.painting.picture import changed, flat
from slides.scenes.shapes import Box, Label, State
from tui.rendering.picture_strip import PictureStrip
from tui.rendering.themed_strips import Painter

CONSOLE = Console(force_terminal=True, color_system="truecolor")
PAINTER = Painter("dark")


def shown(*written: tuple[int, str], columns: int = 60) -> list[object]:
    """The cells of a terminal after these strings were written, each from its column on."""
    screen = pyte.Screen(columns, 1)
    stream = pyte.Stream(screen)
    for column, text in written:
        stream.feed(f"\x1b[1;{column + 1}H{text}")
    cells = [screen.buffer[0][x] for x in range(columns)]
    return [cell._replace(fg="default", bold=False) if cell.data == " " else cell for cell in cells]


def room(part: float, columns: int = 56, rows: int = 12) -> list[Line]:
    scene = scene_request.asked("room", {})
    state = between(scene.state(2), scene.state(3), part)
    return painting.rows_of(state, columns, rows, THEMES["dark"], "halves")


@pytest.mark.parametrize("surface", ["halves", "quadrants", "sextants"])
@pytest.mark.parametrize("name", ["room", "ring", "scaling"])
def test_it_shows_what_the_same_row_of_spans_shows(name: str, surface: painting.Surface) -> None:
    scene = scene_request.asked(name, {})
    state = between(scene.state(0), scene.state(scene.steps - 1), 0.4)
    moving = painting.rows_of(state, 56, 12, THEMES["dark"], surface)
    still = painting.lines(state, 56, 12, THEMES["dark"], surface)
    for now, at_rest in zip(moving, still, strict=True):
        assert flat(now) == at_rest
        strip, plain = PAINTER.strip(now, 60, margin=2), PAINTER.strip(at_rest, 60, margin=2)
        assert isinstance(strip, PictureStrip)
        assert strip.cell_length == plain.cell_length == 60
        seen = shown((0, strip.render(CONSOLE)))
        assert seen == shown((0, plain.render(CONSOLE)))
        assert shown((0, strip.plain.render(CONSOLE))) == seen


def test_only_the_columns_that_changed_are_written_and_the_row_is_whole() -> None:
    less = 0
    for was, now in zip(room(0.3), room(0.4), strict=True):
        part = changed(was, now)
        before, after = PAINTER.strip(was, 60, margin=2), PAINTER.strip(now, 60, margin=2)
        if part is None:
            assert was == now
            continue
        piece = after.crop(2 + part[0], 2 + part[1])
        written = shown((0, before.render(CONSOLE)), (2 + part[0], piece.render(CONSOLE)))
        assert written == shown((0, after.render(CONSOLE)))
        less += part != (0, 56)
    assert less


def test_wide_and_joined_letters_are_whole() -> None:
    """Letters of two cells, and of several codes in one."""
    shapes = (
        Box(id="box", at=(0, 0), size=(30, 5), ink="params"),
        Label(id="a", at=(2, 2), text="数据 cafe\u0301", anchor="left"),
    )
    state = State(shapes=shapes, size=(30, 5))
    moving = painting.rows_of(state, 30, 5, THEMES["dark"], "halves")
    still = painting.lines(state, 30, 5, THEMES["dark"], "halves")
    assert [flat(line) for line in moving] == still
    row = next(n for n, line in enumerate(still) if "cafe\u0301" in "".join(span.text for span in line))
    strip = PAINTER.strip(moving[row], 34, margin=2)
    assert strip.text == "  " + "".join(span.text for span in still[row]) + "  "
    assert "数据" in strip.render(CONSOLE)


def test_a_row_that_is_cut_or_joined_by_others_keeps_its_colours() -> None:
    row = PAINTER.strip(room(0.5)[5], 60, margin=2)
    assert isinstance(row, PictureStrip)
    halves = [row.crop(0, 20), row.crop(20, 60)]
    seen = shown((0, halves[0].render(CONSOLE)), (20, halves[1].render(CONSOLE)))
    assert seen == shown((0, row.render(CONSOLE)))
    narrower = row.adjust_cell_length(40)
    assert shown((0, narrower.render(CONSOLE)))[:40] == seen[:40]
    assert shown((0, Strip.join([row.plain]).render(CONSOLE))) == seen
