"""The pictures of a deck as cells: decoded by a thread, kept by source, size and theme.

A picture that is asked for the first time is not there yet: a frame stands in its place, and `ready` says
when to draw again. One that may have changed stays until it is made anew, and where the terminal has pixels,
half blocks stay until those are ready. Nothing waits for any of it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from slides.drawing.blocks import image
from slides.drawing.cells import clip, line_width
from slides.drawing.text import Line
from slides.palette import THEMES

if TYPE_CHECKING:
    from tui.graphics.pixel_pictures import Cell, PixelPictures

KEPT = 200
SHARP = 48  # of these by pixels: each may be a few hundred kilobytes
IDLE_S = 5.0  # how long the thread outlives its last picture

AWAY = "the picture is where the deck is, not here"
READING = "is being read …"


class Wanted(NamedTuple):
    """Key of a prepared picture: file, size in cells, theme, and whether it may be enlarged."""

    name: str
    columns: int
    rows: int
    theme: str
    grow: bool


class Pixels(NamedTuple):
    """Where pictures can be more than half blocks: `cell()` says how large a cell is now."""

    plates: PixelPictures
    cell: Callable[[], Cell]


class _Picture(NamedTuple):
    """`lines` in half blocks, or why there are none; `made_of` tells the bytes and colours they show."""

    lines: list[Line] | str
    made_of: tuple[bytes, int] | None = None
    age: int = -1  # of the gallery when it was made
    cell: Cell | None = None  # that pixels were made for, or could not be
    number: int | None = None  # of its plate


class _Job(NamedTuple):
    source: Path | bytes
    sharp: bool


class PictureCache:
    """Decoded pictures by size and theme, made in a thread where `ready` is given."""

    def __init__(
        self, ready: Callable[[], object] | None = None, first: Callable[[], object] | None = None
    ) -> None:
        """`ready` is called by the thread, after each picture. Without it they are decoded at once.

        `first` is called when the first picture is wanted.
        """
        self._ready, self._first = ready, first
        self._kept: OrderedDict[Wanted, _Picture] = OrderedDict()
        # In turn; but what is asked for again is what somebody looks at, and comes first.
        self._jobs: OrderedDict[Wanted, _Job] = OrderedDict()
        self._later: OrderedDict[Wanted, _Job] = OrderedDict()  # half blocks come before any pixels
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._age = 0
        self._pixels: Pixels | None = None
        self.seen = 0  # pictures decoded so far: with another number a page looks different

    def get(self, wanted: Wanted, source: Path | bytes, *, sharp: bool = False) -> list[Line] | str:
        """Its lines, or what to say in its place now. `sharp`: by pixels where the terminal has them."""
        if not image.available():
            return image.no_pillow()
        pixels = self._pixels if sharp and THEMES[wanted.theme].colours else None
        found = self._kept.get(wanted)
        if found is None or found.age != self._age:
            found = self._want(wanted, _Job(source, pixels is not None))
        elif pixels is not None and isinstance(found.lines, list) and found.cell != pixels.cell():
            found = self._want(wanted, _Job(source, True))
        if pixels is None or found.number is None:
            return found.lines
        with self._wake:
            if wanted in self._kept:
                self._kept.move_to_end(wanted)
        return pixels.plates.lines(found.number) or found.lines

    def forget(self) -> None:
        """Files may have changed."""
        self._age += 1
        self._look_again()

    def show_by(self, pixels: Pixels | None) -> None:
        """From now on pictures are shown by pixels, or no longer."""
        with self._wake:
            for wanted, kept in self._kept.items():
                self._kept[wanted] = kept._replace(cell=None, number=None)
            self._pixels = pixels
        self._look_again()

    def _look_again(self) -> None:
        with self._wake:  # said by two threads, and each must make it another number
            self.seen += 1

    def _want(self, wanted: Wanted, job: _Job) -> _Picture:
        """What there is of it for now."""
        if self._first is not None:
            first, self._first = self._first, None
            first()
        if self._ready is None:
            self._make(wanted, job)
            return self._kept[wanted]
        with self._wake:
            if wanted not in self._kept:
                self._kept[wanted] = _Picture(self._about_the_same(wanted))
            again = wanted in self._jobs
            waiting = self._jobs.pop(wanted, None) or self._later.pop(wanted, None) or job
            self._jobs[wanted] = job._replace(sharp=job.sharp or waiting.sharp)
            self._jobs.move_to_end(wanted, last=not again)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="pictures", daemon=True)
                self._thread.start()
            self._wake.notify()
            return self._kept[wanted]

    def _about_the_same(self, wanted: Wanted) -> list[Line] | str:
        """The picture in nearly the same size, while somebody resizes the terminal."""
        for other, kept in reversed(self._kept.items()):
            near = abs(other.columns - wanted.columns) * 4 <= wanted.columns
            if near and other._replace(columns=wanted.columns, rows=wanted.rows) == wanted:
                if isinstance(kept.lines, str):
                    return kept.lines
                return [clip(line, wanted.columns) for line in kept.lines[: wanted.rows]]
        return READING

    # --- in the thread ----------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._wake:
                if not (self._jobs or self._later):
                    self._wake.wait(IDLE_S)
                if not (self._jobs or self._later):
                    self._thread = None
                    return
                wanted, job = (self._jobs or self._later).popitem(last=False)
                before = self._kept.get(wanted)
                first = job.sharp and (before is None or before.made_of is None)
            if self._make(wanted, job._replace(sharp=job.sharp and not first)):
                self._look_again()
            if first:
                self._put_off(wanted, job)
            if self._ready is not None:
                self._ready()

    def _put_off(self, wanted: Wanted, job: _Job) -> None:
        """Pixels are made ahead as far as there is room for them."""
        with self._wake:
            hung = sum(kept.number is not None for kept in self._kept.values())
            if hung + len(self._later) < SHARP and wanted not in self._jobs:
                self._later[wanted] = job

    def _make(self, wanted: Wanted, job: _Job) -> bool:
        """Decode and keep it; False where it looks as it did."""
        age, pixels, before = self._age, self._pixels, self._kept.get(wanted)
        palette = THEMES[wanted.theme]
        try:
            data = image.read(job.source)
            made_of = blake2b(data, digest_size=16).digest(), palette.version
            if before is not None and before.made_of == made_of:
                made = before._replace(age=age)
            else:
                lines = image.picture(data, wanted.columns, wanted.rows, palette, grow=wanted.grow)
                made = _Picture(lines, made_of, age)
            if job.sharp and pixels is not None:
                made = _sharpened(made, wanted, data, pixels)
        except image.Unreadable as why:
            made = _Picture(str(why), None, age)
        self._keep(wanted, made, pixels)
        return before is None or made != before._replace(age=age)

    def _keep(self, wanted: Wanted, made: _Picture, pixels: Pixels | None) -> None:
        with self._wake:
            if made.number is not None and pixels is not self._pixels:
                made = made._replace(cell=None, number=None)  # they are shown in another way by now
            before = self._kept.pop(wanted, None)
            self._kept[wanted] = made
            gone = [] if before is None or before.number == made.number else [before]
            if len(self._kept) > KEPT:
                gone.append(self._kept.popitem(last=False)[1])
            hung = [key for key, kept in self._kept.items() if kept.number is not None]
            for key in hung[:-SHARP]:
                gone.append(self._kept[key])
                self._kept[key] = self._kept[key]._replace(cell=None, number=None)
            for kept in gone:
                if kept.number is not None and self._pixels is not None:
                    self._pixels.plates.take_down(kept.number)


def _sharpened(made: _Picture, wanted: Wanted, data: bytes, pixels: Pixels) -> _Picture:
    """The same with a plate; without one where it has to stay in half blocks."""
    from tui.graphics.pixel_pictures import PixelPicture

    cell, lines = pixels.cell(), made.lines
    if isinstance(lines, str) or made.cell == cell:
        return made
    columns, rows = line_width(lines[0]), len(lines)
    size = wanted.columns, wanted.rows, cell, THEMES[wanted.theme]
    payload = pixels.plates.way.prepare(image.pixels(data, *size, grow=wanted.grow), columns, rows, cell)
    hung = None if payload is None else pixels.plates.hang(PixelPicture(columns, rows, payload, lines))
    return made._replace(cell=cell, number=hung)
