"""Screens of cells that follow each other as an animated GIF or WebP. Needs Pillow, the extra `film`.

A GIF is written frame by frame, of each only the rows that changed, with the colours that occur in them.
"""

from __future__ import annotations

import io
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from slides.export.drawings import png
from slides.export.drawings.png import Cell

if TYPE_CHECKING:
    from PIL import Image

Row = tuple[Cell, ...]
Progress = Callable[[float], None]
MOST_BYTES = 40 << 20  # of a file: what is larger nobody can send or play
MOST_AT_ONCE = 1200  # frames of a WebP, which is made as a whole
_MOST_INKS = 64
_BLOCKS = re.compile("[\u2580-\u259f\U0001fb00-\U0001fb3b]").match  # what pictures are made of
_LOOP = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


class Frame(NamedTuple):
    """Rows, and how long they are shown."""

    seconds: float
    rows: tuple[Row, ...]


class Film(NamedTuple):
    """`columns` x `height` cells; rows of frames may be shorter and fewer."""

    frames: Sequence[Frame]
    columns: int
    height: int
    ground: str


class Cut(NamedTuple):
    """How many frames there was room for, and the seconds that they last."""

    frames: int
    seconds: float


def gif(film: Film, scale: int, write: Callable[[bytes], object], progress: Progress) -> Cut:
    """Write a film as a GIF, as far as it gets within `MOST_BYTES`.

    Delays are whole hundredths of a second, and none is below two of them: players take less for none.
    """
    screen = _Screen(film, scale)
    width, height = screen.image.size
    write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0, 0, 0) + _LOOP)
    written, told, shown, late = 0, 0, 0.0, 0.0
    for n, frame in enumerate(film.frames):
        box = screen.show(frame) if n else (screen.show(frame), (0, 0, width, height))[1]
        due = frame.seconds + late
        delay = max(2, round(100 * due))
        late = due - delay / 100
        part = _gif_frame(screen.image.crop(box), box[:2], delay, _inks(frame))
        if written + len(part) > MOST_BYTES:
            break
        write(part)
        written, told, shown = written + len(part), n + 1, shown + frame.seconds
        progress((n + 1) / len(film.frames))
    write(b"\x3b")
    return Cut(told, shown)


def _inks(frame: Frame) -> list[str]:
    """The colours of words and of the marks of a legend, those that occur most first."""
    found = Counter(
        cell.ink for row in frame.rows for cell in row if cell.text.strip() and not _BLOCKS(cell.text)
    )
    return [ink for ink, _ in found.most_common(_MOST_INKS)]


def _of_few_colours(image: Image.Image, inks: Sequence[str]) -> Image.Image:
    """A picture of at most 256 colours. Where it has more, words keep theirs: they are too small to count
    beside areas."""
    from PIL import Image, ImageColor

    if image.getcolors(256) is not None:
        return image.quantize(256, dither=Image.Dither.NONE)
    kept = [channel for ink in inks for channel in ImageColor.getrgb(ink)[:3]]
    others = image.quantize(256 - len(inks), dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette((kept + others)[: 3 * 256])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def _gif_frame(image: Image.Image, at: tuple[int, int], delay: int, inks: Sequence[str]) -> bytes:
    """A picture as one frame: what Pillow makes of it alone, with its colours as a table of its own."""
    out = io.BytesIO()
    flat = _of_few_colours(image, inks)
    flat.save(out, "GIF", optimize=False)
    data = out.getvalue()
    table = 3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0
    colours, body = data[13 : 13 + table], 13 + table
    while data[body] == 0x21:  # extensions, block by block
        body += 2
        while data[body]:
            body += data[body] + 1
        body += 1
    _, _, _, width, height, flags = struct.unpack("<BHHHHB", data[body : body + 10])
    local = (flags & 0x40) | (0x80 | (data[10] & 7) if table else flags & 0x87)
    control = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 1 << 2, min(delay, 0xFFFF), 0, 0)
    descriptor = struct.pack("<BHHHHB", 0x2C, *at, width, height, local)
    return control + descriptor + colours + data[body + 10 : -1]


def webp(film: Film, scale: int, write: Callable[[bytes], object], progress: Progress) -> Cut:
    """Write a film as a WebP, at most `MOST_AT_ONCE` frames of it: smaller, and in all its colours."""
    from PIL import Image

    frames = film.frames[:MOST_AT_ONCE]
    screen = _Screen(film, scale)
    moving = Image.new("RGB", screen.image.size)

    def seek(n: int) -> None:
        """Draw a frame when it is asked for: all of them at once are gigabytes."""
        screen.show(frames[n])
        moving.paste(screen.image)
        if n:  # Pillow goes back to the first when it is done
            progress((n + 1) / len(frames))

    moving.__dict__.update(n_frames=len(frames), seek=seek)
    seek(0)  # of a film of one frame Pillow asks for none
    out = io.BytesIO()
    durations = [max(20, round(1000 * frame.seconds)) for frame in frames]
    moving.save(out, "WEBP", save_all=True, duration=durations, loop=0, lossless=True, quality=20, method=0)
    write(out.getvalue())
    return Cut(len(frames), sum(frame.seconds for frame in frames))


class _Screen:
    """The picture of the frame shown last; the next one costs the rows in which it differs."""

    def __init__(self, film: Film, scale: int) -> None:
        self._film, self._scale = film, scale
        self._rows: list[Row] = [()] * film.height
        self.image = png.painted([], film.columns, film.height, film.ground, scale)
        self._strip = lru_cache(512)(self._drawn)

    def _drawn(self, row: Row) -> Image.Image:
        return png.painted([row], self._film.columns, 1, self._film.ground, self._scale)

    def show(self, frame: Frame) -> tuple[int, int, int, int]:
        """The box of pixels that changed; one pixel where nothing did."""
        high = png.CELL_H * self._scale
        changed = [y for y, row in enumerate(self._of(frame)) if row != self._rows[y]]
        for y in changed:
            self._rows[y] = frame.rows[y] if y < len(frame.rows) else ()
            self.image.paste(self._strip(self._rows[y]), (0, y * high))
        if not changed:
            return 0, 0, 1, 1
        return 0, changed[0] * high, self.image.width, (changed[-1] + 1) * high

    def _of(self, frame: Frame) -> Iterator[Row]:
        for y in range(self._film.height):
            yield frame.rows[y] if y < len(frame.rows) else ()
