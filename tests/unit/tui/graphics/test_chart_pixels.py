"""Charts by pixels, where the terminal has them: as high as their numbers, to the pixel."""

from __future__ import annotations

from collections import Counter

import pytest
from made_pixel_terminal import PixelTerminal
from made_snapshots import running
from PIL import Image
from rich.console import Console
from textual.strip import Strip

from slides.drawing.text import plain
from slides.palette import THEMES
from slides.pixel_cells import SIGN
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.graphics.kitty import Kitty
from tui.graphics.picture_cache import Pixels
from tui.graphics.pixel_pictures import PixelPictures
from tui.rendering.pages.offscreen import Offscreen
from tui.rendering.pages.page import Page
from tui.rendering.row_strip import RowStrip
from tui.rendering.themed_strips import Painter

CELL = 8, 16
COLUMNS, ROWS = 90, 30
CONSOLE = Console(force_terminal=True, color_system="truecolor")
BARS = "::: chart bars\n| | GB |\n|--|--|\n| whole | 60 |\n| third | 20 |\n:::\n"
LINE = "::: chart line\n```csv\nstep,loss\n0,4\n50,2\n100,1\n```\n:::\n"


def shown(still: Offscreen) -> tuple[Image.Image, str]:
    """What a terminal with pixels shows of the first slide, and the text of its rows."""
    pictures = PixelPictures(Kitty(77), lambda: 0)
    still.drawing.scenes.have_plates()
    still.drawing.scenes.show_by(Pixels(pictures, lambda: CELL))
    lines = still.drawing.page(Page(0, 0), COLUMNS, ROWS)
    terminal = PixelTerminal(COLUMNS, ROWS, CELL)
    strips = Painter("dark").strips(lines[:ROWS], COLUMNS)
    data = "".join(f"\x1b[{y + 1};1H{_at(strip)}" for y, strip in enumerate(strips))
    terminal.feed(pictures.shown(data))
    return terminal.seen(), "\n".join(map(plain, lines))


def _at(strip: Strip) -> str:
    assert isinstance(strip, RowStrip)
    return strip.render_at(CONSOLE, 0)


def of(text: str) -> Offscreen:
    return Offscreen(Contents(split(f"# Chart\n\n{text}", "")))


def heights(seen: Image.Image, ink: str) -> list[int]:
    """The columns of pixels of a colour: how many each has."""
    colour = Image.new("RGB", (1, 1), THEMES["dark"].colour(ink)).getpixel((0, 0))
    pixels = seen.load()
    assert pixels is not None
    return [sum(pixels[x, y] == colour for y in range(seen.height)) for x in range(seen.width)]


def test_bars_are_as_high_as_their_numbers_to_the_pixel() -> None:
    seen, _ = shown(of(BARS))
    counted = Counter(height for height in heights(seen, "rank4") if height > CELL[1])
    low, high = sorted(height for height, _ in counted.most_common(2))  # a few lie under the legend's square
    assert abs(low - high / 3) <= 1.5  # in cells it is up to half a cell


def test_a_line_goes_through_its_points_on_axes_of_letters() -> None:
    seen, text = shown(of(LINE))
    assert SIGN in text and "┤" in text and "100" in text
    tops = [height for height in heights(seen, "rank4") if height]
    assert len(tops) > 50 * CELL[0]  # all along, in columns of pixels
    assert sum(tops) / len(tops) < CELL[1]  # and thin


def test_without_pixels_it_is_braille_and_so_is_a_run_that_goes_on() -> None:
    bare = "\n".join(map(plain, of(LINE).drawing.page(Page(0, 0), COLUMNS, ROWS)))
    assert SIGN not in bare and any("\u2800" < sign <= "\u28ff" for sign in bare)
    still = of("::: demo ddp {#live} ranks=2\n\n::: chart line values=loss demo=live\n")
    still.room.snapshots["live"] = running(2)
    assert SIGN not in shown(still)[1]
    still.room.snapshots["live"] = running(2, state="done")
    assert SIGN in shown(still)[1]


@pytest.mark.parametrize("parts", [8, 9])
def test_bars_with_patterns_stay_cells_as_their_legend_is(parts: int) -> None:
    names = "".join(f" part {n} |" for n in range(parts))
    text = f"::: chart stacked\n| run |{names}\n|{'--|' * (parts + 1)}\n| one |{' 5 |' * parts}\n:::\n"
    assert (SIGN in shown(of(text))[1]) == (parts == 8)
