"""What is between two states of a scene, by the ids of its shapes: moved, grown, faded.

`between(a, b, 0)` looks as `a` and `between(a, b, 1)` as `b`, whatever their shapes; backwards is the same
with `t` from 1 to 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from slides.scenes.shapes import NUMBERS, AnyShape, Box, Camera, Label, Number, Packet, Path, Point, State


def between(a: State, b: State, t: float) -> State:
    """Return the state `t` (0 to 1) of the way from `a` to `b`; words and camera are those of the nearer."""
    if t <= 0:
        return a
    if t >= 1:
        return b
    if (a.camera is None) != (b.camera is None):
        return b if t >= 0.5 else a
    t = t * t * (3 - 2 * t)  # begins and ends at rest
    shapes = [_mixed(pair, t) for pair in _pairs(a, b)]
    near = b if t >= 0.5 else a
    camera = None
    if a.camera is not None and b.camera is not None:
        camera = cameras(a.camera, b.camera, t)
    size = (_number(a.size[0], b.size[0], t), _number(a.size[1], b.size[1], t))
    return replace(near, shapes=tuple(shapes), camera=camera, size=size)


class _Pair(NamedTuple):
    """What a shape is in two states, and the numbers that differ: (field, before, after)."""

    old: AnyShape
    new: AnyShape
    differ: tuple[tuple[str, Any, Any], ...]


def _pairs(a: State, b: State) -> list[_Pair]:
    """What each shape is in `a` and in `b`. Of the states that were asked for last it is known: a movement
    asks for the same two in each of its frames."""
    global _last
    if _last is not None and _last[0] is a and _last[1] is b:
        return _last[2]
    old, new = {shape.id: shape for shape in a.shapes}, {shape.id: shape for shape in b.shapes}
    found = [
        _pair(shape, _gone(shape, new))
        for shape in a.shapes
        if shape.id not in new or type(new[shape.id]) is not type(shape)
    ]
    for shape in b.shapes:
        same = old.get(shape.id)
        if same is None or type(same) is not type(shape):
            same = _unborn(shape, old)
        # What stands still is not mixed in any frame.
        found.append(_pair(shape if same == shape else same, shape))
    _last = a, b, found
    return found


_last: tuple[State, State, list[_Pair]] | None = None


def _pair(old: AnyShape, new: AnyShape) -> _Pair:
    names = NUMBERS[type(new)] if old is not new else ()
    numbers = [(name, getattr(old, name), getattr(new, name)) for name in names]
    return _Pair(old, new, tuple(it for it in numbers if it[1] != it[2]))


def cameras(a: Camera, b: Camera, t: float) -> Camera:
    """Return the camera `t` of the way; it turns the shorter way round."""
    turn = (b.yaw - a.yaw + 180.0) % 360.0 - 180.0
    return Camera(
        a.yaw + turn * t,
        _number(a.pitch, b.pitch, t),
        _number(a.distance, b.distance, t),
        (
            _number(a.target[0], b.target[0], t),
            _number(a.target[1], b.target[1], t),
            _number(a.target[2], b.target[2], t),
        ),
        _number(a.view, b.view, t),
    )


def _unborn(shape: AnyShape, old: dict[str, AnyShape]) -> AnyShape:
    """`shape` as it is just before it appears."""
    if isinstance(shape, Packet):
        return replace(shape, along=0.0)
    source = old.get(shape.comes_from)
    if source is not None:
        return _placed(shape, source)
    if isinstance(shape, Path) and shape.head:
        return replace(shape, drawn=0.0)
    return replace(shape, alpha=0.0)


def _gone(shape: AnyShape, new: dict[str, AnyShape]) -> AnyShape:
    """`shape` as it is just after it has gone."""
    target = new.get(shape.goes_to)
    faded = replace(shape, alpha=0.0)
    return _placed(faded, target) if target is not None else faded


def _placed(shape: AnyShape, other: AnyShape) -> AnyShape:
    """`shape` where `other` is, as large as that is if both are boxes."""
    if isinstance(shape, Box) and isinstance(other, Box) and len(shape.at) == len(other.at):
        return replace(shape, at=other.at, size=other.size)
    place = _middle(other)
    if place is None:
        return replace(shape, alpha=0.0)
    if isinstance(shape, Box) and len(shape.at) == len(place):
        corner = tuple(m - s / 2 for m, s in zip(place, shape.size, strict=True))
        return replace(shape, at=corner)
    if isinstance(shape, (Label, Number)) and len(shape.at) == len(place):
        return replace(shape, at=place)
    return replace(shape, alpha=0.0)


def _middle(shape: AnyShape) -> Point | None:
    if isinstance(shape, Box):
        return tuple(a + s / 2 for a, s in zip(shape.at, shape.size, strict=True))
    if isinstance(shape, (Label, Number)):
        return shape.at
    if isinstance(shape, (Path, Packet)) and shape.points:
        return shape.points[-1]
    return None


def _mixed(pair: _Pair, t: float) -> AnyShape:
    """The new one, its numbers `t` of the way from the old one's; else what the nearer one has."""
    near = pair.new if t >= 0.5 else pair.old
    if not pair.differ:
        return near
    mixed: dict[str, Any] = {name: _mix(before, after, t) for name, before, after in pair.differ}
    if isinstance(pair.old, Number) and isinstance(pair.new, Number):
        # 99.8 becomes 104 by way of 101, not 101.0: what is longer than both ends may have no room.
        mixed["decimals"] = min(pair.old.decimals, pair.new.decimals)
    return replace(near, **mixed)


def _mix(a: Any, b: Any, t: float) -> Any:
    if isinstance(a, tuple):
        if len(a) != len(b):
            return b if t >= 0.5 else a
        return tuple(_mix(x, y, t) for x, y in zip(a, b, strict=True))
    return _number(a, b, t)


def _number(a: float, b: float, t: float) -> float:
    return a + (b - a) * t
