"""Scenes by pixels: what a terminal of each kind shows is what was painted, and nothing piles up in it."""

from __future__ import annotations

import threading

import pytest
from made_pixel_terminal import PixelTerminal
from PIL import Image, ImageChops, ImageStat
from rich.console import Console
from textual.strip import Strip

from slides.drawing.text import Line
from slides.palette import THEMES
from slides.pixel_cells import SIGN
from slides.reading.split import split
from slides.scenes import scene_request
from slides.scenes.motion import between
from slides.scenes.painting.pixels import sharp
from slides.scenes.shapes import Box, Label, State
from tui.classroom.session import Session
from tui.deck.contents import Contents
from tui.graphics.iterm2 import Inline
from tui.graphics.kitty import MOST_PIXELS_AWAY, Kitty, Quick
from tui.graphics.picture_cache import Pixels
from tui.graphics.pixel_pictures import PixelPictures, Way
from tui.graphics.scene_pixels import ScenePlates
from tui.rendering.pages.scene_look import SceneLook
from tui.rendering.row_strip import RowStrip
from tui.rendering.themed_strips import Painter

CELL = 6, 12
COLUMNS, ROWS = 60, 16
CONSOLE = Console(force_terminal=True, color_system="truecolor")
BOXES = State(
    shapes=(
        Box(id="a", at=(2, 1), size=(20, 8), ink="params", edge="line", text="weights"),
        Box(id="b", at=(30, 5), size=(25, 6), ink="grads"),
        Label(id="c", at=(42, 14), text="words"),
    ),
    size=(COLUMNS, ROWS),
)


def room(step: int = 1) -> State:
    return scene_request.asked("room", {}).state(step)


class Shown:
    """Plates with a terminal that is written to as the screen does it."""

    def __init__(self, way: Way) -> None:
        self.pictures = PixelPictures(way, lambda: 0)
        self.plates = ScenePlates()
        self.plates.show_by(Pixels(self.pictures, lambda: CELL))
        self.terminal = PixelTerminal(COLUMNS, ROWS, CELL)

    def write(self, lines: list[Line] | None, theme: str = "dark") -> Image.Image:
        assert lines is not None
        strips = Painter(theme).strips(lines, COLUMNS)
        data = "".join(f"\x1b[{y + 1};1H{_at(strip)}" for y, strip in enumerate(strips))
        self.terminal.feed(self.pictures.shown(data))
        return self.terminal.seen()


def _at(strip: Strip) -> str:
    assert isinstance(strip, RowStrip)
    return strip.render_at(CONSOLE, 0)


def unlike(seen: Image.Image, state: State, theme: str = "dark") -> float:
    """The mean difference of what is seen and what was painted, 0 to 255, of the cells without words."""
    meant = sharp(state, COLUMNS, ROWS, CELL, THEMES[theme])
    mask = Image.new("L", seen.size, 255)
    for row, words in meant.words.items():
        for column, _ in words:
            left, top = column * CELL[0], row * CELL[1]
            mask.paste(0, (left, top, left + CELL[0], top + CELL[1]))
    difference = ImageChops.difference(seen, meant.image)
    return max(ImageStat.Stat(difference, mask).mean)


@pytest.mark.parametrize("theme", ["dark", "light", "projector"])
@pytest.mark.parametrize("state", [BOXES, room()], ids=["boxes", "room"])
@pytest.mark.parametrize("way", ["kitty", "iterm2", "sixel"])
def test_a_terminal_shows_what_was_painted(way: str, state: State, theme: str) -> None:
    from tui.graphics.sixel import Sixel

    ways: dict[str, Way] = {"kitty": Kitty(77), "iterm2": Inline(), "sixel": Sixel()}
    shown = Shown(ways[way])
    seen = shown.write(shown.plates.lines(0, state, COLUMNS, ROWS, theme), theme)
    assert unlike(seen, state, theme) <= (0 if way != "sixel" else 4)  # that one has 256 colours, in percent
    assert unlike(seen, room(4), theme) > 4


def test_words_are_letters_on_the_colour_that_the_picture_has_there() -> None:
    shown = Shown(Kitty(77))
    lines = shown.plates.lines(0, BOXES, COLUMNS, ROWS, "dark")
    assert lines is not None
    spans = {span.text: span.style for line in lines for span in line if SIGN not in span.text}
    assert set(spans) == {"weights", "words"}
    assert spans["weights"].ground == THEMES["dark"].colour("params")
    assert spans["words"].ground == ""


def test_frames_of_a_movement_are_two_pictures_in_turn() -> None:
    """However long it moves, the terminal has two of it, and what is seen is always there."""
    shown = Shown(Kitty(77))
    assert shown.plates.moves
    for n in range(12):
        state = between(room(2), room(3), n / 12)
        seen = shown.write(shown.plates.frame(0, state, COLUMNS, ROWS, "dark"))
        assert shown.terminal.shown <= set(shown.terminal.images)
        assert unlike(seen, state) < 3
        assert len(shown.terminal.images) <= 2
    shown.write(shown.plates.lines(0, room(3), COLUMNS, ROWS, "dark"))
    assert len(shown.terminal.images) == 3
    shown.terminal.feed(shown.pictures.clear())
    assert not shown.terminal.images


def test_what_is_at_rest_is_sent_once() -> None:
    shown = Shown(Kitty(77))
    lines = shown.plates.lines(0, BOXES, COLUMNS, ROWS, "dark")
    shown.write(lines)
    assert shown.plates.lines(0, BOXES, COLUMNS, ROWS, "dark") == lines
    shown.write(lines)
    assert shown.terminal.sent == 1


def test_many_pictures_are_forgotten_one_by_one_and_a_page_hears_of_it() -> None:
    shown = Shown(Kitty(77))
    heard = set()
    for n in range(60):
        state = State(shapes=(Box(id="a", at=(n, 1), size=(1, 1)),), size=(COLUMNS, ROWS))
        shown.write(shown.plates.lines(n, state, COLUMNS, ROWS, "dark"))
        heard.add(shown.plates.seen(0))
    assert len(shown.terminal.images) <= 25
    assert len(heard) == 2  # made, and gone


@pytest.mark.parametrize(
    "way", [Kitty(77, most_pixels=MOST_PIXELS_AWAY), Kitty(77, lambda text: text), Inline()]
)
def test_over_a_line_and_without_numbers_nothing_moves_by_pixels(way: Way) -> None:
    shown = Shown(way)
    assert not shown.plates.moves
    assert shown.plates.frame(0, BOXES, COLUMNS, ROWS, "dark") is None


def test_no_cells_no_colours_and_no_terminal_are_no_picture() -> None:
    shown = Shown(Kitty(77))
    assert shown.plates.lines(0, BOXES, 0, 0, "dark") is None
    assert shown.plates.frame(0, BOXES, 0, 5, "dark") is None
    assert shown.plates.lines(0, BOXES, COLUMNS, ROWS, "mono") is None
    shown.plates.show_by(None)
    assert shown.plates.lines(0, BOXES, COLUMNS, ROWS, "dark") is None


def test_a_thread_makes_it_while_cells_stand_there() -> None:
    made = threading.Event()
    plates = ScenePlates(made.set)
    plates.show_by(Pixels(PixelPictures(Kitty(77), lambda: 0), lambda: CELL))
    before = plates.seen("page")
    assert plates.lines("page", BOXES, COLUMNS, ROWS, "dark") is None
    assert made.wait(30)
    assert plates.seen("page") != before and plates.seen("other") == before
    assert plates.lines("page", BOXES, COLUMNS, ROWS, "dark") is not None


def test_where_there_are_few_colours_pixels_are_still_asked_for_and_moves_are_in_blocks() -> None:
    asked: list[int] = []
    look = SceneLook(Session(Contents(split("# A\n\n::: scene room\n", ""))))
    look.surface = "characters"  # 16 colours
    look.have_plates(None, lambda: asked.append(1))
    assert look.by_pixels is not None
    found = [look.surface]
    look.show_by(Pixels(PixelPictures(Kitty(77), lambda: 0), lambda: CELL))
    found.append(look.surface)
    look.in_cells = True  # as somebody wishes
    found.append(look.surface)
    assert (asked, found) == ([1], ["characters", "halves", "characters"])


@pytest.mark.parametrize("cell", [(9, 18), (10, 21), (7, 15), (13, 29)])
@pytest.mark.parametrize("rows", range(18, 36, 3))
def test_a_picture_that_moves_has_the_shape_of_its_cells(
    cell: tuple[int, int], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[int, int]] = []
    whole = Kitty.quick

    def quick(way: Kitty, image: Image.Image) -> Quick:
        sent.append(image.size)
        return whole(way, image)

    monkeypatch.setattr(Kitty, "quick", quick)
    plates = ScenePlates()
    plates.show_by(Pixels(PixelPictures(Kitty(77), lambda: 0), lambda: cell))
    assert plates.frame(0, BOXES, 160, rows, "dark") is not None
    [(wide, high)] = sent
    assert abs(wide * rows * cell[1] / (high * 160 * cell[0]) - 1) < 1 / high
