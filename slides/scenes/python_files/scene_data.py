"""Steps of a scene as JSON and back: what a process of an author's own says is checked before it is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from slides.drawing.cells import clean
from slides.palette import DARK
from slides.problems import Mistake, did_you_mean, quoted
from slides.scenes.scene import MOST_STEPS, Scene, Values
from slides.scenes.shapes import NUMBERS, AnyShape, Box, Camera, Label, Packet, Path, State, finite

MOST_SHAPES = 4000  # of a step
MOST_POINTS = 20_000  # of a step, in its paths
MOST_WORDS = 2000  # characters of a text
MOST_BYTES = 8 << 20
RETURNED = "`scene` returns a list of `State`, each with a tuple of shapes."
_KINDS: dict[str, type] = {kind.__name__: kind for kind in NUMBERS}
_TEXTS = ("text", "short", "before", "after", "unit")


class StepData(msgspec.Struct, forbid_unknown_fields=True):
    """A `State` as JSON: a shape is an object with `kind`, and else the fields of that shape."""

    shapes: list[dict[str, Any]]
    lead: str = ""
    caption: str = ""
    size: tuple[float, float] = (160.0, 60.0)
    camera: Camera | None = None
    legend: tuple[tuple[str, str], ...] = ()
    apart: float = 0.0
    across: float = 0.0
    plan: StepData | None = None


def encoded(states: Sequence[State]) -> bytes:
    """Return steps as JSON. Raises `TypeError` for what JSON has no word for."""
    return msgspec.json.encode([_of(state) for state in states], enc_hook=_number)


def _number(value: Any) -> float:
    """A number of another library, such as numpy's."""
    if type(value).__name__.startswith("bool"):
        return bool(value)
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"a {type(value).__name__} is not a number")


def _of(state: State) -> dict[str, Any]:
    said = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
    for name in ("needs", "instead", "unseen", "steps"):
        said.pop(name)
    said["plan"] = _of(state.plan) if state.plan is not None else None
    said["shapes"] = [{"kind": type(shape).__name__, **_fields(shape)} for shape in state.shapes]
    return said


def _fields(shape: AnyShape) -> dict[str, Any]:
    """Those that are not as they are anyway."""
    return {
        field.name: value
        for field in dataclasses.fields(shape)
        if (value := getattr(shape, field.name)) is not field.default
    }


def states(text: str | bytes) -> tuple[State, ...]:
    """Return the steps that JSON says.

    Raises:
        Mistake: It is not that, or a shape that cannot be drawn; with the number of its step, from 1.
    """
    if len(text) > MOST_BYTES:
        raise Mistake(f"this scene is larger than {MOST_BYTES >> 20} MB", "Draw fewer shapes.")
    try:
        said = msgspec.json.decode(text, type=list[StepData])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Mistake(f"these are not steps of a scene: {quoted(str(error), 100)}", RETURNED) from None
    if not 1 <= len(said) <= MOST_STEPS:
        raise Mistake(f"this scene has {len(said)} steps", f"It may have 1 to {MOST_STEPS}.")
    return tuple(_state(step, f"step {n}") for n, step in enumerate(said, 1))


def _state(said: StepData, where: str) -> State:
    if len(said.shapes) > MOST_SHAPES:
        raise Mistake(f"{where} has {len(said.shapes)} shapes", f"{MOST_SHAPES} are the most.")
    dimensions = 2 if said.camera is None else 3
    shapes: list[AnyShape] = []
    seen: set[str] = set()
    for number, fields in enumerate(said.shapes, 1):
        shape = _shape(fields, f"{where}, shape {number}", dimensions)
        if shape.id in seen:
            raise Mistake(f"{where} has two shapes with the id {quoted(shape.id)}", "Give each its own.")
        seen.add(shape.id)
        shapes.append(shape)
    if sum(len(shape.points) for shape in shapes if isinstance(shape, Path | Packet)) > MOST_POINTS:
        raise Mistake(f"the paths of {where} have too many points", f"{MOST_POINTS} are the most.")
    camera = said.camera
    if camera is not None:
        numbers = (camera.yaw, camera.pitch, *camera.target)
        if any(abs(value) > 1e9 for value in numbers) or not (
            1e-3 <= camera.distance <= 1e6 and 1.0 <= camera.view <= 150.0
        ):
            raise Mistake(
                f"the camera of {where} sees nothing", "Its distance is above 0, its view 1 to 150 degrees."
            )
    if not all(1e-3 <= side <= 1e6 for side in said.size):
        raise Mistake(f"the plane of {where} has the size {said.size}", "Both sides are above 0.")
    return State(
        tuple(shapes),
        _words(said.lead, where),
        _words(said.caption, where),
        said.size,
        camera,
        tuple((_ink(ink, where), _words(words, where)) for ink, words in said.legend),
        said.apart,
        said.across,
        _state(said.plan, f"the plan of {where}") if said.plan is not None else None,
    )


_FINITE = "Numbers are finite, points tuples."


def _shape(fields: dict[str, Any], where: str, dimensions: int) -> AnyShape:
    kind = fields.get("kind")
    made = _KINDS.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise Mistake(f"{where} is no shape: {quoted(str(kind))}", f"Known are {', '.join(_KINDS)}.")
    named = f"{where} ({made.__name__} {quoted(str(fields.get('id', '')))})"
    try:
        shape: AnyShape = msgspec.convert(fields, made)
    except msgspec.ValidationError as error:
        told = str(error)
        if "got `null`" in told:  # JSON has no word for what is no number
            name = told.rpartition("$.")[2].partition("`")[0].partition("[")[0]
            raise Mistake(f"{named}: {quoted(name)} has no number, or an infinite one", _FINITE) from None
        raise Mistake(f"{named}: {quoted(told, 100)}", _FINITE) from None
    if not shape.id:
        raise Mistake(f"{where} has no id", "Give it one that is the same in each step.")
    if not finite(shape, dimensions) or _far(shape):
        points = "(x, y)" if dimensions == 2 else "(x, y, z), as this step has a camera"
        raise Mistake(f"{named} is nowhere", f"Its points are {points}, and all numbers finite.")
    if isinstance(shape, Path | Packet) and len(shape.points) < 2:
        raise Mistake(f"{named} has fewer than two points", "A path goes from one point to another.")
    said: dict[str, Any] = {"ink": _ink(shape.ink, named), "id": clean(shape.id)[:MOST_WORDS]}
    said |= {name: _words(getattr(shape, name), named) for name in _TEXTS if hasattr(shape, name)}
    if isinstance(shape, Box) and shape.edge:
        said["edge"] = _ink(shape.edge, named)
    return dataclasses.replace(shape, **said)


def _far(shape: AnyShape) -> bool:
    """Whether a number is too large to be drawn with."""

    def large(value: Any) -> bool:
        return any(map(large, value)) if isinstance(value, tuple) else abs(value) > 1e9

    return any(large(getattr(shape, name)) for name in NUMBERS[type(shape)] if name != "value")


def _words(text: str, where: str) -> str:
    if len(text) > MOST_WORDS:
        raise Mistake(f"a text of {where} has {len(text)} characters", f"{MOST_WORDS} are the most.")
    return clean(text)


def _ink(name: str, where: str) -> str:
    if name in DARK.colours:
        return name
    near = did_you_mean(name, DARK.colours)
    mend = f"Did you mean `{near}`?" if near else "Inks are `params`, `grads`, `good`, `text` and others."
    raise Mistake(f"{where} has the ink {quoted(name)}, which there is not", mend)


@lru_cache(64)
def scene(text: str) -> Scene:
    """Return the scene whose steps JSON says. Raises `Mistake`."""
    made = states(text)

    def state(step: int, values: Values) -> State:
        return made[step]

    return Scene("scene", "", lambda values: len(made), state)


def waiting(name: str) -> Scene:
    """Return what stands in the place of a scene whose file has not run: one step that says so."""
    shown = clean(name)[:60]
    box = Box(id="file", at=(45.0, 20.0), size=(70.0, 16.0), ink="dim", edge="dim", hollow=True)
    words = Label(id="name", at=(80.0, 28.0), text=shown, ink="dim")
    told = "It runs on the console's machine, once somebody has agreed to that: Ctrl R there asks again."
    made = State((box, words), f"{shown} has not run yet", told)
    return Scene("scene", "", lambda values: 1, lambda step, values: made)
