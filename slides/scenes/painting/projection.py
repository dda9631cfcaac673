"""A scene in space as marks and words: projected, lit, the far ones first.

One camera model: a pinhole. A point p is seen at k (r·q / f·q, u·q / f·q) with q = p - eye and r, u, f the
camera's right, up and forward; k follows from the opening angle (Hughes et al., Computer Graphics: Principles
and Practice, 3rd ed., ch. 13).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from slides.scenes.painting import front_to_back
from slides.scenes.painting.strokes import XY, Face, Mark, Stroke, at, part
from slides.scenes.painting.word_over_picture import Word
from slides.scenes.shapes import AnyShape, Box, Camera, Label, Number, Packet, Path, Point, State, finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

NEAR = 0.2  # units before the eye: what is nearer is not drawn
WIDE = 2.2  # times as wide as high: a narrower picture shows as much from left to right, only smaller
FOG_FROM, FOG_PER, MOST_FOG = 0.75, 1.6, 0.55  # of the camera's distance; distances until all is fog; at most
AMBIENT = 0.42  # the light in the shade

_LIGHT = (-0.445, 0.79, -0.42)  # towards the lamp: from the left, above and before

# The corners of each side of a cuboid, by the bits x, y, z of upper or lower, and the way it faces.
_SIDES = (
    ((0, 1, 3, 2), (-1, 0, 0)),
    ((4, 6, 7, 5), (1, 0, 0)),
    ((0, 4, 5, 1), (0, -1, 0)),
    ((2, 3, 7, 6), (0, 1, 0)),
    ((0, 2, 6, 4), (0, 0, -1)),
    ((1, 5, 7, 3), (0, 0, 1)),
)

_CORNERS = tuple(itertools.product((0.0, 1.0), repeat=3))
_MIDDLES = tuple(tuple((1 + towards) / 2 for towards in way) for _, way in _SIDES)
_LIGHTS = tuple(
    AMBIENT + (1 - AMBIENT) * max(0.0, sum(w * v for w, v in zip(way, _LIGHT, strict=True)) / 0.998)
    for _, way in _SIDES
)


class View:
    """What a camera sees on a picture of `width` x `height` square units."""

    def __init__(self, camera: Camera, width: float, height: float) -> None:
        self.camera = camera
        yaw, pitch = math.radians(camera.yaw), math.radians(min(max(camera.pitch, -89.0), 89.9))
        self.forward = (math.sin(yaw) * math.cos(pitch), -math.sin(pitch), math.cos(yaw) * math.cos(pitch))
        self.right = (math.cos(yaw), 0.0, -math.sin(yaw))
        fx, fy, fz = self.forward
        rx, _, rz = self.right
        self.up = (fy * rz, fz * rx - fx * rz, -fy * rx)
        x, y, z = camera.target
        self.eye = (x - fx * camera.distance, y - fy * camera.distance, z - fz * camera.distance)
        self.width, self.height = width, height
        tall = min(height, width / WIDE)
        self._k = tall / 2 / math.tan(math.radians(min(max(camera.view, 1.0), 150.0)) / 2)

    def depth(self, p: Point) -> float:
        """Return how far `p` is before the eye, along the view; negative behind it."""
        e, f = self.eye, self.forward
        return (p[0] - e[0]) * f[0] + (p[1] - e[1]) * f[1] + (p[2] - e[2]) * f[2]

    def place(self, p: Point) -> XY:
        """Return where `p` is seen, in fractions of the picture. It must not be behind the eye."""
        e, r, u = self.eye, self.right, self.up
        qx, qy, qz = p[0] - e[0], p[1] - e[1], p[2] - e[2]
        z = max(self.depth(p), NEAR)
        x = qx * r[0] + qz * r[2]
        y = qx * u[0] + qy * u[1] + qz * u[2]
        return 0.5 + self._k * x / z / self.width, 0.5 - self._k * y / z / self.height

    def thick(self, size: float, depth: float) -> float:
        """Return what `size` units at `depth` are of the picture's height."""
        return self._k * size / max(depth, NEAR) / self.height

    def places(self, from_eye: Numbers, depths: Numbers) -> Numbers:
        """Return `place` of many points, given as what leads to them from the eye and their depths."""
        import numpy as np

        ahead = np.maximum(depths, NEAR)
        x = 0.5 + self._k * (from_eye @ np.array(self.right)) / ahead / self.width
        y = 0.5 - self._k * (from_eye @ np.array(self.up)) / ahead / self.height
        return np.stack((x, y), -1)

    def fogs(self, distances: Numbers) -> Numbers:
        """Return `fog` of many distances."""
        import numpy as np

        near = self.camera.distance * FOG_FROM
        return np.clip((distances - near) / (self.camera.distance * FOG_PER), 0.0, MOST_FOG)

    def fog(self, distance: float) -> float:
        """Return the part of what is at `distance` that is background."""
        near = self.camera.distance * FOG_FROM
        return max(0.0, min(MOST_FOG, (distance - near) / (self.camera.distance * FOG_PER)))


def marks(state: State, camera: Camera, width: float, height: float) -> tuple[list[Mark], list[Word]]:
    """Return what is painted and written of a state in space, the far before the near.

    A higher layer lies over a lower one wherever it is: floors and plates below what stands on them.
    """
    numbers = (camera.yaw, camera.pitch, camera.distance, camera.view, *camera.target)
    if not all(map(math.isfinite, numbers)) or camera.distance <= 0:
        return [], []
    view = View(camera, width, height)
    cuboids: list[_Cuboid] = []
    found: _Found = []
    words: list[tuple[int, float, Word]] = []
    for shape in state.shapes:
        if shape.alpha <= 0:
            continue
        if isinstance(shape, Box):
            if len(shape.at) == len(shape.size) == 3:
                cuboids.append(_Cuboid(shape, shape.at, shape.size, shape.glow))
        elif finite(shape, 3):
            _add(shape, view, cuboids, found, words)
    found = _sides(cuboids, view) + found
    found.sort(key=lambda item: (item[0], -item[1]))
    words.sort(key=lambda item: (-item[0], item[1]))
    return [mark for _, _, mark in found], [word for _, _, word in words]


_Found = list[tuple[int, float, Mark]]


class _Cuboid(NamedTuple):
    shape: Box | Packet
    low: Point
    size: Point
    glow: float


def _add(
    shape: AnyShape,
    view: View,
    cuboids: list[_Cuboid],
    found: _Found,
    words: list[tuple[int, float, Word]],
) -> None:
    if isinstance(shape, Packet):
        if shape.points:
            middle = at(shape.points, shape.along)
            corner = tuple(m - s / 2 for m, s in zip(middle, shape.size, strict=True))
            cuboids.append(_Cuboid(shape, corner, shape.size, 0.6))
    elif isinstance(shape, Path):
        found += _path(shape, view)
    elif isinstance(shape, (Label, Number)):
        depth = view.depth(shape.at)
        if depth > NEAR:
            words.append((shape.layer, depth, _word(shape, view.place(shape.at))))


def _word(shape: Label | Number, place: XY) -> Word:
    if isinstance(shape, Label):
        fixed = shape.layer < 0
        return Word(
            place, shape.text, shape.short, shape.ink, shape.alpha, shape.anchor, shape.bold, fixed=fixed
        )
    text = f"{shape.before}{shape.value:,.{max(shape.decimals, 0)}f}{shape.after}"
    return Word(place, text, "", shape.ink, shape.alpha, shape.anchor, shape.bold)


def _sides(cuboids: list[_Cuboid], view: View) -> _Found:
    """The sides that are seen of all cuboids. All at once: a moving picture has hundreds in each frame."""
    import numpy as np

    if not cuboids:
        return []
    with np.errstate(all="ignore"):  # there may be numbers as large as there are
        low = np.array([cuboid.low for cuboid in cuboids], float)
        size = np.array([cuboid.size for cuboid in cuboids], float)
        rest = np.array([(cuboid.shape.alpha, cuboid.glow) for cuboid in cuboids], float)
        whole = np.isfinite(low).all(1) & np.isfinite(size).all(1) & np.isfinite(rest).all(1)
        low[~whole] = size[~whole] = 0
        corners = low[:, None] + size[:, None] * np.array(_CORNERS)
        from_eye = corners - np.array(view.eye)
        depths = from_eye @ np.array(view.forward)
        whole &= depths.min(1) > NEAR
        places = view.places(from_eye, depths)
        away = low[:, None] + size[:, None] * np.array(_MIDDLES) - np.array(view.eye)
        ways = np.array([way for _, way in _SIDES], float)
        whole &= np.isfinite(places).all((1, 2))
        seen = ((away * ways).sum(-1) < 0) & whole[:, None]
        eye = np.array(view.eye)
        middles = np.sqrt(((low + size / 2 - eye) ** 2).sum(-1))
        layers = np.array([cuboid.shape.layer for cuboid in cuboids])
        far = middles.copy()
        for layer in set(layers.tolist()):
            these = np.flatnonzero((layers == layer) & whole)
            far[these] = front_to_back.keys(
                low[these], low[these] + size[these], eye, places[these], middles[these]
            )
        which, side = np.nonzero(seen)
        distances = np.sqrt((away[which, side] ** 2).sum(-1))
        quads = places[which[:, None], np.array([corner for corner, _ in _SIDES])[side]]
        fogs = view.fogs(distances)

    found: _Found = []
    rows = zip(which.tolist(), side.tolist(), quads.tolist(), fogs.tolist(), strict=True)
    keys = far.tolist()
    for n, face, (a, b, c, d), fog in rows:
        shape, _, _, glow = cuboids[n]
        points = (tuple(a), tuple(b), tuple(c), tuple(d))
        edge = shape.edge if isinstance(shape, Box) else ""
        if isinstance(shape, Box) and shape.hollow:
            stroke = Stroke((*points, points[0]), edge or shape.ink, 0.004, shape.alpha, fog)
            found.append((shape.layer, keys[n], stroke))
        else:
            mark = Face(points, shape.ink, _LIGHTS[face], glow, fog, shape.alpha, edge)
            found.append((shape.layer, keys[n], mark))
    return found


def _path(shape: Path, view: View) -> Iterable[tuple[int, float, Mark]]:
    points = part(shape.points, shape.drawn)
    for n, (a, b) in enumerate(itertools.pairwise(points)):
        near, far = view.depth(a), view.depth(b)
        if near <= NEAR and far <= NEAR:
            continue
        if near <= NEAR or far <= NEAR:  # cut where it comes too near
            share = (NEAR * 1.01 - near) / (far - near)
            cut = tuple(x + (y - x) * share for x, y in zip(a, b, strict=True))
            a, b = (cut, b) if near <= NEAR else (a, cut)
        middle = tuple((x + y) / 2 for x, y in zip(a, b, strict=True))
        distance = math.dist(middle, view.eye)
        # The thinnest line in space is painted, not written: letters do not get smaller far away.
        width = max(view.thick(shape.width, distance), 1e-4)
        head = shape.head and n == len(points) - 2
        line = (view.place(a), view.place(b))
        yield (
            shape.layer,
            distance,
            Stroke(line, shape.ink, width, shape.alpha, view.fog(distance), head, shape.dashed),
        )
