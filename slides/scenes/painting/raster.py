"""Marks as pixels, with Pillow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slides.palette import Palette
from slides.scenes.painting.colours import RGB, fogged, lit_faces, mixed, rgb
from slides.scenes.painting.strokes import XY, Face, Mark, Stroke, edges, level, sized, standing

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

_MOST_KEPT = 1_000_000  # pixels of a picture of which the beginning is kept: none that moves has more
_FAR = 4.0  # pictures: further outside nothing can be seen, and Pillow takes no huge coordinates


def image(
    marks: Iterable[Mark],
    width: int,
    height: int,
    palette: Palette,
    *,
    cell: XY,
    outlines: bool,
    smooth: int = 1,
    thin: float = 0.0,
) -> Image.Image:
    """Paint `marks` on `width` x `height` pixels as RGB.

    Args:
        marks: In the order that they lie over each other.
        width, height: At least 1.
        palette: Whose inks they have, on its background.
        cell: Width and height of a text cell in pixels, to which boxes with words are fitted.
        outlines: Whether edges and thin lines are painted too; where they are written as text they are not.
        smooth: How many times as fine it is painted before it is made smaller.
        thin: How many pixels wide lines are that have no width; 0: as thin as can be.
    """
    from PIL import Image, ImageDraw

    global _last
    marks, scale = list(marks), (width * smooth, height * smooth)
    key = scale, palette, palette.version, cell, outlines, smooth, thin
    last = _last  # a thread paints, too
    alike = _alike(marks, last.marks) if last is not None and last.key == key else 0
    begun = last.begun if last is not None and 0 < last.upto <= alike else None
    first = last.upto if last is not None and begun is not None else 0
    picture = begun.copy() if begun is not None else Image.new("RGB", scale, rgb(palette, "background"))
    pens = _Pens(ImageDraw.Draw(picture), ImageDraw.Draw(picture, "RGBA"))
    faces = [mark for mark in marks[first:] if isinstance(mark, Face)]
    shades = zip(_corners(faces, scale), *lit_faces(palette, faces), strict=True)
    for n, mark in enumerate(marks[first:], first):
        if n == alike and n > first:
            begun, first = picture.copy(), n
        if isinstance(mark, Face):
            _face(pens, mark, *next(shades), palette, (cell[0] * smooth, cell[1] * smooth), outlines, smooth)
        elif mark.width or outlines:
            _stroke(pens, mark, scale, palette, smooth, round(thin * smooth))
    _last = _Begun(key, marks, first, begun) if scale[0] * scale[1] <= _MOST_KEPT else None
    if smooth == 1:
        return picture
    return picture.reduce(smooth)


class _Begun(NamedTuple):
    """The picture that was painted last, as it was up to its mark `upto`: those of a moving one begin
    as in the frame before, with the floor and what stands still far away."""

    key: tuple[object, ...]
    marks: list[Mark]
    upto: int
    begun: Image.Image | None


_last: _Begun | None = None


def _alike(marks: list[Mark], others: list[Mark]) -> int:
    """Return how many marks at the beginning are the same in both."""
    pairs = enumerate(zip(marks, others, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(marks), len(others)))


class _Pens(NamedTuple):
    """What draws over what is there, and what mixes with it, which takes longer."""

    over: ImageDraw.ImageDraw
    mixing: ImageDraw.ImageDraw

    def of(self, colour: RGB, alpha: float) -> tuple[ImageDraw.ImageDraw, tuple[int, ...]]:
        """Return what draws in a colour, and the colour for it."""
        if alpha >= 1:
            return self.over, colour
        return self.mixing, (*colour, round(255 * max(alpha, 0.0)))


def _corners(faces: Sequence[Face], scale: tuple[int, int]) -> Iterator[list[float]]:
    """The corners of each face in pixels: x, y, x, y, …"""
    import numpy as np

    every = np.array([point for face in faces for point in face.points], float).reshape(-1, 2)
    flat = (every.clip(-_FAR, _FAR + 1) * scale).ravel().tolist()
    at = 0
    for face in faces:
        yield flat[at : at + 2 * len(face.points)]
        at += 2 * len(face.points)


def _scaled(points: Sequence[XY], scale: tuple[int, int]) -> list[XY]:
    limit = _FAR + 1
    return [(min(max(x, -_FAR), limit) * scale[0], min(max(y, -_FAR), limit) * scale[1]) for x, y in points]


def _face(
    pens: _Pens,
    face: Face,
    points: list[float],
    colour: RGB,
    edge: RGB,
    palette: Palette,
    cell: XY,
    outlines: bool,
    smooth: int,
) -> None:
    draw, fill = pens.of(colour, face.alpha)
    edged = face.alpha > 0.4 and bool(face.edge)
    if level(face.points):
        x0, y0, _, _, x1, y1, *_ = points
        across, down = cell if face.whole else (smooth, smooth)
        left, right = edges(x0 / across, x1 / across)
        top, bottom = (sized if face.whole else standing)(y0 / down, y1 / down)
        x0, x1, y0, y1 = left * across, right * across, top * down, bottom * down
        draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=fill)
        if outlines and edged:
            draw, line = pens.of(rgb(palette, face.edge), face.alpha)
            draw.rectangle((x0, y0, x1 - 1, y1 - 1), outline=line, width=smooth)
        return
    if not edged and not (outlines and face.alpha > 0.4):
        draw.polygon(points, fill=fill)
        return
    _, line = pens.of(edge if edged else mixed((0, 0, 0), colour, 0.6), face.alpha)
    thick = max(1, smooth - 1)
    if face.alpha >= 1 and line != fill:
        draw.polygon(points, fill=fill, outline=line, width=thick)
    else:  # in one call Pillow leaves out an edge of the same colour, and mixes corners only once
        draw.polygon(points, fill=fill)
        draw.line([*points, *points[:2]], fill=line, width=thick)


def _stroke(
    pens: _Pens, stroke: Stroke, scale: tuple[int, int], palette: Palette, smooth: int, thin: int
) -> None:
    draw, fill = pens.of(fogged(palette, stroke.ink, stroke.fog), stroke.alpha)
    points = _scaled(stroke.points, scale)
    thick = max(round(min(stroke.width, 1.0) * scale[1]), max(1, smooth // 2, 0 if stroke.width else thin))
    if stroke.dashed:
        for start, end in _dashes(points, 3.0 * max(thick, 2)):
            draw.line([start, end], fill=fill, width=thick)
    else:
        draw.line(points, fill=fill, width=thick, joint="curve" if thick > 2 else None)
    if stroke.head and len(points) >= 2:
        (x0, y0), (x, y) = points[-2:]
        length = math.hypot(x - x0, y - y0)
        if length:
            size = max(2.2 * thick, 4.0 * smooth)
            ux, uy = (x - x0) / length, (y - y0) / length
            base = x - ux * size, y - uy * size
            side = -uy * size * 0.6, ux * size * 0.6
            corners = [(x, y), (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])]
            draw.polygon(corners, fill=fill)


def _dashes(points: Sequence[XY], size: float) -> Iterable[tuple[XY, XY]]:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0)
        pieces = min(max(int(length / size), 1), 500)
        for n in range(0, pieces, 2):
            a, b = n / pieces, min((n + 1) / pieces, 1.0)
            yield (x0 + (x1 - x0) * a, y0 + (y1 - y0) * a), (x0 + (x1 - x0) * b, y0 + (y1 - y0) * b)
