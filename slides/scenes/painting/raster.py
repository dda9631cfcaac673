"""Marks as pixels, with Pillow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from slides.palette import Palette
from slides.scenes.painting.colours import RGB, lit, mixed, rgb
from slides.scenes.painting.strokes import XY, Face, Mark, Stroke, edges, sized

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

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
) -> Image.Image:
    """Paint `marks` on `width` x `height` pixels as RGB.

    Args:
        marks: In the order that they lie over each other.
        width, height: At least 1.
        palette: Whose inks they have, on its background.
        cell: Width and height of a text cell in pixels, to which boxes with words are fitted.
        outlines: Whether edges and thin lines are painted too; where they are written as text they are not.
        smooth: How many times as fine it is painted before it is made smaller.
    """
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (width * smooth, height * smooth), rgb(palette, "background"))
    draw = ImageDraw.Draw(picture, "RGBA")
    scale = width * smooth, height * smooth
    for mark in marks:
        if isinstance(mark, Face):
            _face(draw, mark, scale, palette, (cell[0] * smooth, cell[1] * smooth), outlines, smooth)
        elif mark.width or outlines:
            _stroke(draw, mark, scale, palette, smooth)
    if smooth == 1:
        return picture
    return picture.reduce(smooth)


def _scaled(points: Sequence[XY], scale: tuple[int, int]) -> list[XY]:
    limit = _FAR + 1
    return [(min(max(x, -_FAR), limit) * scale[0], min(max(y, -_FAR), limit) * scale[1]) for x, y in points]


def _face(
    draw: ImageDraw.ImageDraw,
    face: Face,
    scale: tuple[int, int],
    palette: Palette,
    cell: XY,
    outlines: bool,
    smooth: int,
) -> None:
    colour = lit(palette, face.ink, face.light, face.glow, face.fog)
    fill = (*colour, round(255 * min(max(face.alpha, 0.0), 1.0)))
    points = _scaled(face.points, scale)
    if _level(face.points):
        (x0, y0), (x1, y1) = points[0], points[2]
        across, down = cell if face.whole else (smooth, smooth)
        left, right = edges(x0 / across, x1 / across)
        top, bottom = (sized if face.whole else edges)(y0 / down, y1 / down)
        x0, x1, y0, y1 = left * across, right * across, top * down, bottom * down
        draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=fill)
        if outlines and face.edge and face.alpha > 0.4:
            draw.rectangle(
                (x0, y0, x1 - 1, y1 - 1), outline=(*rgb(palette, face.edge), fill[3]), width=smooth
            )
        return
    draw.polygon(points, fill=fill)
    if face.edge and face.alpha > 0.4:
        edge: RGB = mixed(rgb(palette, face.edge), rgb(palette, "background"), face.fog)
        draw.line([*points, points[0]], fill=(*edge, fill[3]), width=max(1, smooth - 1))
    elif outlines and face.alpha > 0.4:
        draw.line(
            [*points, points[0]], fill=(*mixed((0, 0, 0), colour, 0.6), fill[3]), width=max(1, smooth - 1)
        )


def _level(points: Sequence[XY]) -> bool:
    """Whether it is a rectangle that stands straight, its first corner above and left of its third."""
    if len(points) != 4:
        return False
    a, b, c, d = points
    return a[1] == b[1] and b[0] == c[0] and c[1] == d[1] and d[0] == a[0] and a[0] < c[0] and a[1] < c[1]


def _stroke(
    draw: ImageDraw.ImageDraw, stroke: Stroke, scale: tuple[int, int], palette: Palette, smooth: int
) -> None:
    colour = lit(palette, stroke.ink, fog=stroke.fog)
    fill = (*colour, round(255 * min(max(stroke.alpha, 0.0), 1.0)))
    points = _scaled(stroke.points, scale)
    thick = max(round(stroke.width * scale[1]), max(1, smooth // 2))
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
