"""A flat scene as marks and words: its plane is stretched over the picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from slides.drawing.canvas import tick_label, ticks
from slides.scenes.painting.grid import Grid, Place, pressed
from slides.scenes.painting.strokes import XY, Face, Mark, Stroke, at, part
from slides.scenes.painting.word_over_picture import Frame, Word
from slides.scenes.shapes import (
    AnyShape,
    Axis,
    Box,
    Bracket,
    Label,
    Number,
    Packet,
    Path,
    Point,
    State,
    finite,
)

_Place = Callable[[Point], XY]


# How far rows may be pressed together to stand on whole cells; where they are few cells apart, it would
# be a third of the picture, and they stay where they are.
LEAST_STRETCH = 0.8


def marks(
    state: State, columns: int, rows: int, least: float = LEAST_STRETCH
) -> tuple[list[Mark], list[Word]]:
    """Return what is painted and what is written of a flat `state`, each in the order it lies upon others.

    Args:
        state: The scene at rest.
        columns, rows: The cells of its picture.
        least: The least part of these that it may be pressed into so that its rows stand on whole ones.
    """
    w, h = state.size
    if not (w > 0 and h > 0 and math.isfinite(w) and math.isfinite(h)):
        return [], []
    if state.needs == state.size:  # its units are cells, and be the picture half as large
        least = min(least, 0.5)
    less = pressed(state.apart * rows / h, least)
    across = pressed(state.across * columns / w, least)
    top = math.floor(rows * (1 - less) / 2) / rows if less < 1 else 0.0

    def place(point: Point) -> XY:
        return point[0] / w * across, top + point[1] / h * less

    shapes = [
        shape
        for shape in sorted(state.shapes, key=lambda shape: shape.layer)
        if shape.alpha > 0 and finite(shape, 2)
    ]
    places = [_place_of(_under_way(shape), place) for shape in shapes if isinstance(shape, Box | Packet)]
    grid = Grid(filter(None, places), columns, rows)
    painted: list[Mark] = []
    words: list[Word] = []
    for shape in shapes:
        _add(shape, place, grid, painted, words)
    return painted, words


def _under_way(shape: Box | Packet) -> Box:
    """A packet as the box that it is at this moment."""
    if isinstance(shape, Box):
        return shape
    middle = at(shape.points, shape.along) if shape.points else shape.size
    corner = tuple(m - s / 2 for m, s in zip(middle, shape.size, strict=True))
    return Box(id=shape.id, ink=shape.ink, alpha=shape.alpha if shape.points else 0.0, layer=shape.layer,
               at=corner, size=shape.size, text=shape.text, short=shape.short, glow=0.25)  # fmt: skip


def _place_of(box: Box, place: _Place) -> Place | None:
    x0, y0 = place(box.at)
    x1, y1 = place((box.at[0] + box.size[0], box.at[1] + box.size[1]))
    if x1 <= x0 or y1 <= y0 or box.alpha <= 0:
        return None
    seen = not (box.hollow and box.edge == "background")
    whole = box.whole or box.hollow or bool(box.text or box.edge)
    return Place(x0, y0, x1, y1, whole, seen, seen and box.hollow and not box.text)


def _add(shape: AnyShape, place: _Place, grid: Grid, painted: list[Mark], words: list[Word]) -> None:
    if isinstance(shape, Box | Packet):
        box = _under_way(shape)
        found = _place_of(box, place)
        if found is not None:
            there = grid.box(found)
            if isinstance(shape, Packet) and not there.whole:  # it goes along with the line that it is on
                down = grid.row((there.top + there.bottom) / 2) - (there.top + there.bottom) / 2
                there = there._replace(top=there.top + down, bottom=there.bottom + down)
            _box(box, there, painted, words)
    elif isinstance(shape, Path):
        points = part(shape.points, shape.drawn)
        if len(points) >= 2:
            thick = place((0.0, shape.width))[1] - place((0.0, 0.0))[1]
            places = tuple(place(point) for point in points)
            line = grid.line(places)
            head = shape.head and not _turned(places, line)
            painted.append(Stroke(line, shape.ink, thick, shape.alpha, head=head, dashed=shape.dashed))
    elif isinstance(shape, Label | Number):
        x, y = place(shape.at)
        text, short, fixed = _said(shape)
        spot = x, grid.over(y) if shape.stands else grid.row(y)
        words.append(Word(spot, text, short, shape.ink, shape.alpha, shape.anchor, shape.bold, fixed=fixed))
    elif isinstance(shape, Bracket):
        _bracket(shape, place, words)
    else:
        _axis(shape, place, painted, words)


def _turned(places: Sequence[XY], line: Sequence[XY]) -> bool:
    """Whether a line that grows goes back or nowhere once it ends in whole cells: it has no head yet."""
    (x0, y0), (x1, y1) = places[-2:]
    (a0, b0), (a1, b1) = line[-2:]
    return (x1 - x0) * (a1 - a0) + (y1 - y0) * (b1 - b0) <= 0


def _said(shape: Label | Number) -> tuple[str, str, bool]:
    """Its words, their short form, and whether they stand on their row or not at all."""
    if isinstance(shape, Label):
        return shape.text, shape.short, shape.layer < 0
    return f"{shape.before}{shape.value:,.{max(shape.decimals, 0)}f}{shape.after}", "", False


def _box(shape: Box, found: Place, painted: list[Mark], words: list[Word]) -> None:
    x0, y0, x1, y1, whole, *_ = found
    ink = shape.edge or shape.ink
    if (shape.hollow or shape.edge) and ink != "background":
        words.append(Word((x0, y0), "", ink=ink, alpha=shape.alpha, frame=Frame("box", (x1, y1))))
    if not shape.hollow:
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        painted.append(Face(corners, shape.ink, glow=shape.glow, alpha=shape.alpha, whole=whole))
    if shape.text:
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        ink = shape.ink if shape.hollow else ""
        words.append(
            Word(
                middle,
                shape.text,
                shape.short,
                ink,
                shape.alpha,
                bold=not shape.hollow,
                within=(x0, y0, x1, y1),
                after=len(painted),
            )
        )


def _bracket(shape: Bracket, place: _Place, words: list[Word]) -> None:
    start, end = place(shape.start), place(shape.end)
    frame = Frame("bracket", end, shape.side, shape.text)
    words.append(Word(start, "", ink=shape.ink, alpha=shape.alpha, frame=frame))


def _axis(shape: Axis, place: _Place, painted: list[Mark], words: list[Word]) -> None:
    start, end = place(shape.start), place(shape.end)
    painted.append(Stroke((start, end), shape.ink, alpha=shape.alpha))
    if not (math.isfinite(shape.low) and math.isfinite(shape.high)) or shape.high == shape.low:
        return
    level = abs(shape.end[0] - shape.start[0]) >= abs(shape.end[1] - shape.start[1])
    values = ticks(shape.low, shape.high, max(shape.ticks, 1))
    step = abs(values[1] - values[0]) if len(values) > 1 else abs(shape.high - shape.low)
    for value in values:
        share = (value - shape.low) / (shape.high - shape.low)
        x = start[0] + (end[0] - start[0]) * share
        y = start[1] + (end[1] - start[1]) * share
        text = tick_label(value, step)
        if value == values[-1] and shape.unit:
            text += f" {shape.unit}"
        where = Frame("tick below" if level else "tick left", (x, y))
        words.append(Word((x, y), text, tick_label(value, step), shape.ink, shape.alpha, frame=where))
