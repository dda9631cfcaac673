"""A camera moved by hand: turned, tilted, nearer, to a plan from above, to a rank."""

from __future__ import annotations

import re
from dataclasses import replace

from slides.scenes.shapes import Box, Camera, Label, Number, State

TURN, TILT, NEARER = 12.0, 8.0, 0.8  # degrees; the part of the distance that is left
LOWEST, PLAN = 2.0, 89.0  # degrees above the floor
NEAREST, FURTHEST = 0.2, 4.0  # of the distance that the author has
_RANK = re.compile(r"(?:rank|device)[ _-]?(\d+)")


def turned(camera: Camera, steps: int) -> Camera:
    """Return the camera so many steps further round."""
    return replace(camera, yaw=(camera.yaw + TURN * steps) % 360.0)


def tilted(camera: Camera, steps: int) -> Camera:
    """Return the camera so many steps higher, never below the floor nor over the top."""
    return replace(camera, pitch=min(PLAN, max(LOWEST, camera.pitch + TILT * steps)))


def nearer(camera: Camera, steps: int, author: Camera) -> Camera:
    """Return the camera so many steps nearer, within bounds of how far its author has it."""
    distance = camera.distance * NEARER**steps
    return replace(camera, distance=min(FURTHEST * author.distance, max(NEAREST * author.distance, distance)))


def plan(author: Camera) -> Camera:
    """Return the view from above, with the first row of things at the lower edge."""
    return replace(author, yaw=0.0, pitch=PLAN)


def flown(camera: Camera, author: Camera, target: tuple[float, float, float]) -> Camera:
    """Return the camera near `target`, looking the same way."""
    return replace(camera, target=target, distance=0.45 * author.distance)


def ranks(state: State) -> list[tuple[float, float, float]]:
    """Return where the ranks of a scene in space stand, in their order: middles of what has their names."""
    found: dict[int, tuple[float, float, float]] = {}
    for shape in state.shapes:
        match = _RANK.fullmatch(shape.id)
        if match is None or not isinstance(shape, Box | Label | Number) or len(shape.at) != 3:
            continue
        size = shape.size if isinstance(shape, Box) and len(shape.size) == 3 else (0.0, 0.0, 0.0)
        x, y, z = (a + s / 2 for a, s in zip(shape.at, size, strict=True))
        found.setdefault(int(match[1]), (x, y + 0.9, z))
    return [found[rank] for rank in sorted(found)]
