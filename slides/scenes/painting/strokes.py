"""What is painted, in order and in fractions of the picture: faces and strokes, whatever paints them.

Coordinates are (x, y) of the picture's width and height, 0 to 1, y down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

XY = tuple[float, float]
Cells = tuple[int, int, int, int]
"""First and last column, first and last row, the last ones not included."""


class Face(NamedTuple):
    """A filled polygon.

    Args:
        points: Its corners.
        ink: The name of its colour.
        light: What its colour is multiplied by: 1 as it is, less in the shade.
        glow: 0 to 1, the part of it that is the brightest colour there is.
        fog: 0 to 1, the part of it that is background because it is far away.
        alpha: 0 to 1, how much it hides what is behind.
        edge: The ink of its outline, or "".
        whole: It begins and ends with whole cells, because there are words in it.
    """

    points: tuple[XY, ...]
    ink: str
    light: float = 1.0
    glow: float = 0.0
    fog: float = 0.0
    alpha: float = 1.0
    edge: str = ""
    whole: bool = False


class Stroke(NamedTuple):
    """A line through points; `width` is a fraction of the picture's height, 0 the thinnest there is."""

    points: tuple[XY, ...]
    ink: str
    width: float = 0.0
    alpha: float = 1.0
    fog: float = 0.0
    head: bool = False
    dashed: bool = False


Mark = Face | Stroke


# A hair more than a half: ends of rows that are halves but for the last digit all go one way.
_HALF = 0.5 + 1e-6


def edges(low: float, high: float) -> tuple[int, int]:
    """Return whole numbers for the ends of what lies beside others: what touches goes on touching."""
    first = math.floor(low + _HALF)  # not `round`, which makes equal boxes 2 or 4 high by turns
    return first, max(math.floor(high + _HALF), first + 1)


def standing(low: float, high: float) -> tuple[int, int]:
    """Return the same for what stands on something: one that is low is above it, not over it."""
    first, last = math.floor(low + _HALF), math.floor(high + _HALF)
    return min(first, last - 1), last


def sized(low: float, high: float) -> tuple[int, int]:
    """Return whole numbers for the ends of what is as high as others elsewhere: its size is rounded first."""
    first = math.floor(low + _HALF)
    return first, first + max(math.floor(high - low + _HALF), 1)


def level(points: Sequence[XY]) -> bool:
    """Return whether it is a rectangle that stands straight, its first corner above and left of its third."""
    if len(points) != 4:
        return False
    a, b, c, d = points
    return a[1] == b[1] and b[0] == c[0] and c[1] == d[1] and d[0] == a[0] and a[0] < c[0] and a[1] < c[1]


def part(points: Sequence[tuple[float, ...]], share: float) -> tuple[tuple[float, ...], ...]:
    """Return the first `share` (0 to 1) of the length of the line through `points`; () is none of it."""
    if share >= 1 or len(points) < 2:
        return tuple(points)
    if share <= 0:
        return ()
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    left = sum(lengths) * share
    found = [points[0]]
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left >= length:
            found.append(b)
            left -= length
            continue
        if length:
            found.append(tuple(x + (y - x) * left / length for x, y in zip(a, b, strict=True)))
        break
    return tuple(found)


def at(points: Sequence[tuple[float, ...]], share: float) -> tuple[float, ...]:
    """Return the point after `share` (0 to 1) of the length of the line through `points`."""
    if not points:
        return ()
    found = part(points, max(share, 1e-9))
    return found[-1] if found else points[0]


def covered(row: int, column: int, boxes: Sequence[Cells]) -> bool:
    """Return whether a cell is one of these."""
    return any(left <= column < right and top <= row < bottom for left, right, top, bottom in boxes)


def meet(a: Cells, b: Cells) -> bool:
    """Return whether they have a cell in common."""
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def seen(box: Cells, columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """Return (row, column) of those of a box's cells that are in the picture: it may go far beyond it."""
    left, right, top, bottom = box
    return product(range(max(top, 0), min(bottom, rows)), range(max(left, 0), min(right, columns)))
