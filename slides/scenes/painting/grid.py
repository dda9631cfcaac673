"""Which whole cells the boxes of a flat picture have, and where what stands beside them is then.

Rounding each end alone makes equal boxes unequal, closes gaps and puts the words beside a box a row below
those in it. So equal boxes get equally many cells, a gap stays one, and what is at a box's middle or edge
goes along with it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from slides.scenes.painting.strokes import XY, edges, sized, standing

_NEAR = 6  # decimals of a share of the picture: what differs by less is the same
_OFF = 1.37e-7
_BESIDE = 1e-6  # of the picture: a line that begins at an edge is in the cell outside of it


class Place(NamedTuple):
    """Where a box is, as shares of the picture; `whole`: in whole cells; `seen`: something of it is drawn;
    `frame`: nothing but its outline, around others."""

    left: float
    top: float
    right: float
    bottom: float
    whole: bool
    seen: bool = True
    frame: bool = False


class Grid:
    """The places of all boxes of a picture of `columns` x `rows` cells, and of what stands beside them."""

    def __init__(self, places: Iterable[Place], columns: int, rows: int) -> None:
        self._columns, self._rows = columns, rows
        self._found: dict[Place, Place] = {}
        self._middles: dict[float, float] = {}
        self._sides = _Edges({}, {})
        self._lids = _Edges({}, {})
        self._spans: defaultdict[XY, list[Place]] = defaultdict(list)  # boxes in whole cells, by their sides
        every = dict.fromkeys(places)
        whole = [place for place in every if place.whole]
        spans = {(place.left, place.right) for place in whole}
        frames = {(place.left, place.right) for place in whole if place.frame}
        wide = _widths(whole, columns, _joined(spans) | frames)
        for place in whole:
            first, last = wide[place.left, place.right]
            top, bottom = sized(place.top * rows, place.bottom * rows)
            if place.frame:  # rather a row more than one of what stands in it
                bottom = min(max(bottom, edges(place.top * rows, place.bottom * rows)[1]), rows)
            self._found[place] = Place(first / columns, top / rows, last / columns, bottom / rows, True)
            self._middles[_near((place.top + place.bottom) / 2)] = (
                top + (bottom - top - 1) // 2 + 0.5
            ) / rows
            if place.seen:
                self._sides.first[_near(place.left)] = first / columns
                self._sides.last[_near(place.right)] = last / columns
                self._lids.first[_near(place.top)] = top / rows
                self._lids.last[_near(place.bottom)] = bottom / rows
            self._spans[place.left, place.right].append(place)
        self._stacked([place for place in every if not place.whole])

    def _stacked(self, places: list[Place]) -> None:
        """Bars of several pieces: three colours would meet in a cell if a piece's side were not a cell's."""
        columns: defaultdict[XY, list[Place]] = defaultdict(list)
        for place in places:
            columns[place.left, place.right].append(place)
        stacked = [place for column in columns.values() if _touch(column) for place in column]
        wide = _widths(stacked, self._columns, _joined({(place.left, place.right) for place in stacked}))
        sides = {}
        for (left, right), (first, last) in wide.items():
            sides[_near(left)], sides[_near(right)] = first / self._columns, last / self._columns
        for place in places:
            left, right = (sides.get(_near(side), side) for side in (place.left, place.right))
            self._found[place] = self._sliced(place) or place._replace(left=left, right=right)

    def _sliced(self, place: Place) -> Place | None:
        """A slice of a box in whole cells, from side to side: the same part of its cells."""
        for whole in self._spans.get((place.left, place.right), ()):
            if whole.top <= place.top and place.bottom <= whole.bottom:
                to = self._found[whole]
                grown = (to.bottom - to.top) / (whole.bottom - whole.top)
                top, bottom = (to.top + (y - whole.top) * grown for y in (place.top, place.bottom))
                return Place(to.left, top, to.right, bottom, False)
        return None

    def box(self, place: Place) -> Place:
        """Return where a box is in cells."""
        return self._found[place]

    def row(self, y: float) -> float:
        """Return the height of words: in the row of the words of a box whose middle it is."""
        return self._middles.get(_near(y), y)

    def over(self, y: float) -> float:
        """Return the height of words in the row over what ends at y: in its own they would lie upon it.

        What is thinner than a row and stands on another piece has the row above that, in whole cells.
        """
        ends = [place for place in self._found if _near(place.top) == _near(y)]
        tops = [standing(place.top * self._rows, place.bottom * self._rows)[0] for place in ends]
        top = min([math.floor(y * self._rows + 1e-6), *tops])
        return (max(top - 1, 0) + 0.5) / self._rows

    def line(self, points: tuple[XY, ...]) -> tuple[XY, ...]:
        """Return a line that ends beside the boxes at whose edges it ended."""
        if not self._middles:
            return points
        found = []
        for n, (x, y) in enumerate(points):
            other = points[n + 1 if n == 0 else n - 1]
            corners, ends = len(points) > 2, n in (0, len(points) - 1)
            if ends and not (corners and other[0] == x):  # a corner stays upright over its end
                x = self._sides.beside(x, other[0])
            y = self.row(y)
            if ends and not (corners and other[1] == points[n][1]):
                y = self._lids.beside(y, other[1])
            found.append((x, y))
        return tuple(found)


class _Edges(NamedTuple):
    """Where the first and the last edges of boxes are in cells."""

    first: dict[float, float]
    last: dict[float, float]

    def beside(self, at: float, other: float) -> float:
        """Return where a line ends that comes from `other`, outside of the box at whose edge it ended."""
        near = _near(at)
        if near in self.last and other >= at:
            return self.last[near] + _BESIDE
        if near in self.first and other <= at:
            return self.first[near] - _BESIDE
        return at


def _near(share: float) -> float:
    # The last digit of sums differs: not at the half of a decimal, where many shares are, is it decided.
    return round(share + _OFF, _NEAR)


def _touch(column: list[Place]) -> bool:
    """Whether one of these stands on another."""
    tops = {_near(place.top) for place in column}
    return len(column) > 1 and not tops.isdisjoint(_near(place.bottom) for place in column)


def _joined(spans: set[XY]) -> set[XY]:
    """Those of which one begins where another ends, and what ends with them: what touches stays so."""
    starts, ends = {_near(left) for left, _ in spans}, {_near(right) for _, right in spans}
    between = starts & ends
    touching = {span for span in spans if not between.isdisjoint(map(_near, span))}
    fixed = {_near(end) for span in touching for end in span}
    return touching | {span for span in spans if not fixed.isdisjoint(map(_near, span))}


def _widths(places: list[Place], columns: int, joined: set[XY]) -> dict[XY, tuple[int, int]]:
    """The first cell, and that behind the last, of each stretch from left to right."""
    found: dict[XY, tuple[int, int]] = {}
    alike: defaultdict[float, list[XY]] = defaultdict(list)
    for place in places:
        span = place.left, place.right
        if span in joined:
            found[span] = edges(place.left * columns, place.right * columns)
        elif span not in found:
            found[span] = sized(place.left * columns, place.right * columns)
            alike[_near(place.right - place.left)].append(span)
    lines: defaultdict[float, list[Place]] = defaultdict(list)
    for place in places:
        if place.seen:
            lines[_near(place.top)].append(place)
    most: dict[float, int] = {}
    for line in lines.values():
        line.sort()
        for a, b in pairwise(line):
            one, other = (a.left, a.right), (b.left, b.right)
            if a.right < b.left and found[one][1] >= found[other][0] and one not in joined:
                size, free = _near(a.right - a.left), found[other][0] - 1 - found[one][0]
                most[size] = min(most.get(size, free), free)
    for size, cells in most.items():  # all of a size, so that they stay alike
        for span in alike[size]:
            first, last = found[span]
            found[span] = first, min(last, first + max(cells, 1))
    return found


def pressed(cells: float, least: float) -> float:
    """Return by how much a picture is smaller whose rows, so many `cells` apart, stand on whole ones."""
    if not (math.isfinite(cells) and cells >= 1):
        return 1.0
    less = math.floor(cells + 1e-9) / cells
    return less if less >= least else 1.0
