"""Pictures of scenes by pixels, where the terminal has them: made by a thread while cells stand there,
kept by what they show, and two in turn while one moves.

Only kitty's protocol moves by pixels: sixels and inline images of a whole picture are too many bytes for a
frame, so those terminals have cells on the way and pixels at rest.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, NamedTuple

from slides.drawing.text import Line
from slides.palette import THEMES
from slides.scenes.painting import pixels as painting
from slides.scenes.shapes import State
from tui.graphics import kitty, placeholder
from tui.graphics.picture_cache import IDLE_S, Pixels
from tui.graphics.pixel_pictures import Cell, PixelPicture

if TYPE_CHECKING:
    from PIL import Image

KEPT = 24  # each may be half a megabyte
MOVING_PIXELS = 200_000  # of a picture that is gone in a moment: the terminal enlarges it


class Wanted(NamedTuple):
    """What a picture shows, and in which cells."""

    state: State
    columns: int
    rows: int
    theme: str
    cell: Cell


class _Made(NamedTuple):
    """`number` is None where it cannot be shown by pixels; `page` has it."""

    number: int | None
    lines: list[Line]
    page: Hashable


class ScenePlates:
    """`ready` is called by the thread after each picture; without it they are made at once."""

    def __init__(
        self, ready: Callable[[], object] | None = None, first: Callable[[], object] | None = None
    ) -> None:
        """`first` is called when the first picture is wanted: then the terminal is asked what it has."""
        self._ready, self._first = ready, first
        self._pixels: Pixels | None = None
        self._kept: OrderedDict[Wanted, _Made] = OrderedDict()
        self._jobs: OrderedDict[Wanted, Hashable] = OrderedDict()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._moving: dict[int, list[int]] = {}
        self._seen: dict[Hashable, int] = {}
        self._age = 0

    def seen(self, page: Hashable) -> Hashable:
        """Another value whenever a page may look different by what was made."""
        return self._age, self._seen.get(page, 0)

    def show_by(self, pixels: Pixels | None) -> None:
        """From now on pictures are shown by pixels, or no longer."""
        with self._wake:
            before, self._pixels = self._pixels, pixels
            if before is not None:
                for made in self._kept.values():
                    if made.number is not None:
                        before.plates.take_down(made.number)
            self._kept.clear()
            self._jobs.clear()
            self._moving.clear()
            self._age += 1

    def ask(self) -> None:
        """Have the terminal asked what it has, once."""
        if self._first is not None:
            first, self._first = self._first, None
            first()

    def lines(self, page: Hashable, state: State, columns: int, rows: int, theme: str) -> list[Line] | None:
        """Return the rows of a picture by pixels; None where it is cells for now, or for good."""
        self.ask()
        pixels = self._pixels
        if pixels is None or columns < 1 or rows < 1 or not THEMES[theme].colours:
            return None
        wanted = Wanted(state, columns, rows, theme, pixels.cell())
        with self._wake:
            made = self._kept.get(wanted)
            if made is not None:
                self._kept.move_to_end(wanted)
            elif self._ready is not None:
                again = wanted in self._jobs  # somebody looks at it, the others are only ahead
                self._jobs[wanted] = page
                self._jobs.move_to_end(wanted, last=not again)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="scenes", daemon=True)
                    self._thread.start()
                self._wake.notify()
        if made is None and self._ready is None:
            self._make(wanted, page, pixels)
            made = self._kept.get(wanted)
        return made.lines if made is not None and made.number is not None else None

    # --- while it moves ---------------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """Whether a picture is sent again and again in a moment: to a terminal that is here, by kitty."""
        way = self._pixels.plates.way if self._pixels is not None else None
        return isinstance(way, kitty.Kitty) and way.near

    def frame(self, place: int, state: State, columns: int, rows: int, theme: str) -> list[Line] | None:
        """Return the rows of a picture that is gone in a moment; None where that is not by pixels. `place`:
        which one of those on the page it is."""
        pixels = self._pixels
        if pixels is None or not self.moves or columns < 1 or rows < 1 or not THEMES[theme].colours:
            return None
        width, height = pixels.cell()
        scale = min(1.0, (MOVING_PIXELS / (columns * width * rows * height)) ** 0.5)
        cell = max(2, round(width * scale)), max(4, round(height * scale))
        drawn = painting.sharp(state, columns, rows, cell, THEMES[theme])
        way = pixels.plates.way
        assert isinstance(way, kitty.Kitty)
        # Another shape than that of its cells would stand smaller in them, and beside its words.
        across = columns * cell[0]
        shape = across, max(1, round(across * rows * height / (columns * width)))
        sent = drawn.image if drawn.image.size == shape else drawn.image.resize(shape)
        plate = PixelPicture(
            columns, rows, way.quick(sent), painting.Blocks(drawn.image, columns, rows, THEMES[theme])
        )
        # Two in turn: one is sent while the other is seen. Their numbers stay, so that nothing piles up.
        numbers = self._moving.setdefault(place, [])
        if len(numbers) < 2:
            number = pixels.plates.hang(plate)
            if number is None:
                return None
            numbers.append(number)
        else:
            number = numbers[0]
            numbers.reverse()
            pixels.plates.hang_again(number, plate)
        return painting.lines(drawn, [placeholder.row(number, row, columns) for row in range(rows)])

    # --- in the thread ----------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._wake:
                if not self._jobs:
                    self._wake.wait(IDLE_S)
                if not self._jobs:
                    self._thread = None
                    return
                wanted, page = self._jobs.popitem(last=False)
                pixels = self._pixels
            if pixels is not None:
                self._make(wanted, page, pixels)
            if self._ready is not None:
                self._ready()

    def _make(self, wanted: Wanted, page: Hashable, pixels: Pixels) -> None:
        number, lines = None, []
        columns, rows, way = wanted.columns, wanted.rows, pixels.plates.way
        try:
            drawn = painting.sharp(wanted.state, columns, rows, wanted.cell, THEMES[wanted.theme])
            image = drawn.image.convert("RGBA")
            if (
                not way.remembers
            ):  # colours of sixels are percents: the ground around is not quite one of them
                image.putalpha(_unlike(drawn.image, THEMES[wanted.theme].colour("background")))
            payload = way.prepare(image, columns, rows, wanted.cell)
            if payload is not None:
                stretches = painting.parts(drawn, columns)
                way.cut(payload, stretches)
                blocks = painting.Blocks(drawn.image, columns, rows, THEMES[wanted.theme])
                plate = PixelPicture(columns, rows, payload, blocks, stretches)
                number = pixels.plates.hang(plate)
        except Exception:  # a scene may be somebody's own: its cells say why
            number = None
        if number is not None:
            lines = painting.lines(drawn, [placeholder.row(number, row, columns) for row in range(rows)])
        with self._wake:
            if self._pixels is not pixels:
                return  # another terminal
            self._kept[wanted] = _Made(number, lines, page)
            self._seen[page] = self._seen.get(page, 0) + 1
            while len(self._kept) > KEPT:
                gone = self._kept.popitem(last=False)[1]
                self._seen[gone.page] = self._seen.get(gone.page, 0) + 1
                if gone.number is not None:
                    pixels.plates.take_down(gone.number)


def _unlike(image: Image.Image, colour: str) -> Image.Image:
    """A mask of the pixels that have another colour."""
    from PIL import Image, ImageChops

    red, green, blue = ImageChops.difference(image, Image.new("RGB", image.size, colour)).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return most.point([0, *[255] * 255])
