"""What lies before what in space: held against rays from the eye (slabs; Kay and Kajiya 1986)."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from slides.scenes.painting import front_to_back, marks_of
from slides.scenes.painting.projection import View
from slides.scenes.shapes import Box, Camera, State

Three = tuple[float, float, float]


def hit(low: Three, high: Three, eye: Three, way: Three) -> float:
    """How far a ray goes until it meets a cuboid; infinite where it does not."""
    first, last = 0.0, math.inf
    for a, b, start, step in zip(low, high, eye, way, strict=True):
        if abs(step) < 1e-12:
            if not a <= start <= b:
                return math.inf
            continue
        near, far = sorted(((a - start) / step, (b - start) / step))
        first, last = max(first, near), min(last, far)
    return first if first < last - 1e-6 else math.inf


def apart(luck: random.Random, count: int) -> list[tuple[Three, Three]]:
    """Cuboids that do not lie in each other, long and flat ones among them."""
    found: list[tuple[Three, Three]] = []
    while len(found) < count:
        low = tuple(luck.uniform(-5, 5) for _ in range(3))
        high = tuple(at + luck.choice((0.2, 1.0, 6.0)) for at in low)
        if all(any(high[k] <= b[0][k] or b[1][k] <= low[k] for k in range(3)) for b in found):
            found.append((low, high))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_what_a_ray_meets_first_is_painted_last(seed: int) -> None:
    luck = random.Random(seed)
    camera = Camera(yaw=luck.uniform(0, 360), pitch=luck.uniform(5, 70), distance=26.0, target=(0, 0, 0))
    view = View(camera, 160, 90)
    boxes = apart(luck, 14)
    low, high = (np.array([box[n] for box in boxes], float) for n in (0, 1))
    corners = np.array([[(x, y, z) for x in (a[0], b[0]) for y in (a[1], b[1]) for z in (a[2], b[2])]
                        for a, b in boxes])  # fmt: skip
    eye = np.array(view.eye)
    places = np.array([[view.place(tuple(corner)) for corner in box] for box in corners.tolist()])
    keys = front_to_back.keys(low, high, eye, places, np.linalg.norm((low + high) / 2 - eye, axis=1))
    met = 0
    for _ in range(3000):
        to = tuple(luck.uniform(-5, 6) for _ in range(3))
        way = tuple(b - a for a, b in zip(view.eye, to, strict=True))
        hits = sorted((hit(*box, view.eye, way), n) for n, box in enumerate(boxes))  # type: ignore[arg-type]
        first = hits[0][1]
        for far, n in hits[1:]:
            if far < math.inf:
                met += 1
                assert keys[first] < keys[n]
    assert met > 30


def test_a_floor_hides_nothing_that_stands_on_it() -> None:
    """Its middle is nearer than that of what stands at its far end."""
    floor = Box(id="floor", at=(-4.5, -0.3, -4.5), size=(9, 0.3, 9), ink="panel")
    there = [
        Box(id=f"{x}{z}", at=(x, 0.0, z), size=(1, 0.4, 1), ink="good") for x in (-4, 3) for z in (-4, 0, 3)
    ]
    for yaw in (10.0, 80.0, 190.0):
        camera = Camera(yaw=yaw, pitch=35, distance=22, target=(0, 0.2, 0))
        marks, _ = marks_of(State((*there, floor), camera=camera), 80, 30)
        inks = [mark.ink for mark in marks]
        assert set(inks[: inks.count("panel")]) == {"panel"}
