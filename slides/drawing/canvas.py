"""Drawing in cells: braille dots for curves, and round numbers for axes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from slides.drawing.text import Line, Span, Style

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

# The bits of a braille cell's 4 rows and 2 columns of dots (U+2800 + bits).
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


class Braille:
    """`h` lines of `w` cells, each of 2 x 4 dots; x runs right and y down from 0, in dots.

    A cell has one ink for all its dots, that of the last to draw there: draw what matters last.
    """

    def __init__(self, w: int, h: int) -> None:
        import numpy as np

        self.w, self.h = max(w, 0), max(h, 0)
        self.dots: NDArray[np.bool_] = np.zeros((self.h * 4, self.w * 2), bool)
        self._ink: NDArray[np.uint8] = np.zeros((self.h, self.w), np.uint8)
        self._inks: list[str] = []

    def points(self, x: ArrayLike, y: ArrayLike, ink: str) -> None:
        """Dots at `x`, `y`; those outside and those that are NaN are left out."""
        import numpy as np

        fx, fy = np.atleast_1d(np.asarray(x, np.float64)), np.atleast_1d(np.asarray(y, np.float64))
        inside = (fx >= 0) & (fy >= 0) & (fx < self.w * 2) & (fy < self.h * 4)
        xs, ys = fx[inside].astype(np.int64), fy[inside].astype(np.int64)
        if ink not in self._inks:
            self._inks.append(ink)
        self.dots[ys, xs] = True
        self._ink[ys >> 2, xs >> 1] = self._inks.index(ink)

    def segments(self, start: ArrayLike, end: ArrayLike, ink: str) -> None:
        """Straight lines from each `start` to each `end`, arrays (N, 2) of x, y in dots.

        All lines at once by DDA: a line takes as many evenly spaced points as its longer side has dots.
        A line with an end that is not finite is left out.
        """
        import numpy as np

        p0 = np.asarray(start, np.float64).reshape(-1, 2)
        p1 = np.asarray(end, np.float64).reshape(-1, 2)
        # Far outside nothing can be seen, and a huge coordinate would make as many points.
        bound = 8.0 * (self.w + self.h + 1)
        fine = np.isfinite(p0).all(1) & np.isfinite(p1).all(1)
        p0, p1 = p0[fine].clip(-bound, bound), p1[fine].clip(-bound, bound)
        if not len(p0):
            return
        delta = p1 - p0
        count = np.maximum(np.abs(delta).max(1).astype(np.int64), 1) + 1
        line = np.repeat(np.arange(len(count)), count)
        offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        t = (offset / (count[line] - 1))[:, None]
        dots = np.floor(p0[line] + t * delta[line] + 0.5)
        self.points(dots[:, 0], dots[:, 1], ink)

    def lines(self, points: ArrayLike, ink: str) -> None:
        """A polyline through `points`, an array (N, 2) of x, y in dots; it is broken where one is NaN."""
        import numpy as np

        p = np.asarray(points, np.float64).reshape(-1, 2)
        if len(p) == 1 and np.isfinite(p).all():
            self.points(np.floor(p[:, 0] + 0.5), np.floor(p[:, 1] + 0.5), ink)
        self.segments(p[:-1], p[1:], ink)

    def render(self, ground: str = "") -> list[Line]:
        """`h` lines, each exactly `w` cells; cells without dots are blanks."""
        import numpy as np

        if not self.w:
            return [()] * self.h
        cells = self.dots.reshape(self.h, 4, self.w, 2)
        bits = (cells * np.array(DOTS, np.uint32)[None, :, None, :]).sum((1, 3), dtype=np.uint32)
        glyphs = np.where(bits == 0, 0x20, bits + 0x2800).astype("<u4")
        inks = np.where(bits == 0, -1, self._ink.astype(np.int64))
        rows: list[Line] = []
        for glyph, ink in zip(glyphs, inks, strict=True):
            text = glyph.tobytes().decode("utf-32-le")
            edges = [0, *(np.flatnonzero(np.diff(ink)) + 1).tolist(), self.w]
            spans = (
                Span(text[a:b], Style(self._inks[ink[a]] if ink[a] >= 0 else "text", ground))
                for a, b in pairwise(edges)
            )
            rows.append(tuple(spans))
        return rows


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About `count` round numbers (1, 2 or 5 times a power of ten apart) within [low, high]."""
    if not (math.isfinite(low) and math.isfinite(high)) or count < 1:
        return []
    if high < low:
        low, high = high, low
    if high == low or not math.isfinite(high - low):
        return [low]
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 1e-300 else 0.0
    if power == 0.0:
        return [low]
    step = next(m for m in (1, 2, 5, 10) if m * power >= raw * (1 - 1e-9)) * power
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def tick_label(value: float, step: float) -> str:
    """`value` with as many decimals as ticks `step` apart need to differ; thousands as k, millions as M."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if step >= size / 10 and abs(value) >= size:
            return tick_label(value / size, step / size) + suffix
    if value == 0 or step <= 0:
        return "0" if value == 0 else f"{value:g}"
    if step < 1e-4:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"
