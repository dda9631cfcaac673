"""What a scene is made of: frozen shapes with stable ids, in the scene's own plane or room.

A flat scene (`State.camera` is None) has a plane of `State.size` units, x to the right and y down, that is
stretched over the cells or pixels there are; its points are (x, y). A scene in space has points (x, y, z) in
units of its own, y upwards, and a camera. Inks are names of `slides.palette`, so that a scene has the colours
of the course in every theme.

Between two states shapes move, grow and fade by their ids (`slides.scenes.motion`): no scene has code for
its motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Literal

KIND = "drawn, not measured"
"""What the figures of a scene are."""

Point = tuple[float, ...]
"""(x, y) on the plane, (x, y, z) in space."""

Anchor = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What every shape has.

    Args:
        id: Stable over the steps of a scene, and its own in each state.
        ink: The name of its colour in the palette.
        alpha: 0 (not there) to 1 (whole); what is between is mixed with what lies behind.
        layer: Shapes of a higher layer lie over those of a lower one. In the same layer the later lies over
            the earlier, in space the nearer over the farther.
        comes_from: The id of a shape whose place it had before it appeared, so that it moves here from
            there; "": it fades in where it is.
        goes_to: The same for when it is gone: it moves to the place of that shape.
    """

    id: str
    ink: str = "text"
    alpha: float = 1.0
    layer: int = 0
    comes_from: str = ""
    goes_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box(Shape):
    """A rectangle, or in space a cuboid: its lower corner in all coordinates, and its size.

    Args:
        text: Words in its middle, left out where they have no room; `short` is tried before that.
        edge: The ink of its outline; "" has none.
        glow: 0 to 1, how much it is lit up: what is at work now.
        hollow: Only its outline is drawn: a place where something may be.
        whole: On a plane it begins and ends with whole cells, as one with words or an edge does anyway.
    """

    at: Point
    size: Point
    text: str = ""
    short: str = ""
    edge: str = ""
    glow: float = 0.0
    hollow: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Shape):
    """A line through points; `width` is its thickness in units (0: as thin as can be drawn).

    `head` draws an arrow's head at its end; `drawn` is the part of its length that is there, 0 to 1, so that
    a curve can grow; `dashed` says that it is a bound or a plan, not a thing.
    """

    points: tuple[Point, ...]
    width: float = 0.0
    head: bool = False
    drawn: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet(Shape):
    """Bytes under way: a box of `size` whose middle is `along` (0 to 1) of the length of `points`.

    One that is new in a step travels from 0 to its `along` while that step begins.
    """

    points: tuple[Point, ...]
    size: Point
    along: float = 1.0
    text: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(Shape):
    """Words at a point, always real cells of text. `short` stands where `text` has no room.

    Where other words are in the way they move up or down by a row; those of a layer below 0 are left out.
    What `stands` is in the row over its point, however high rows are: on the bar that ends there.
    """

    at: Point
    text: str
    short: str = ""
    anchor: Anchor = "center"
    bold: bool = False
    stands: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Shape):
    """A figure that counts up or down as it changes: `value` with `decimals` between two texts.

    It `stands` as a label does.
    """

    at: Point
    value: float
    decimals: int = 0
    before: str = ""
    after: str = ""
    anchor: Anchor = "center"
    bold: bool = False
    stands: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket(Shape):
    """A bracket from one point to another on one side of what it spans, with words at its middle.

    `side` is where its words stand: "above" and "below" for one that runs along x, else "left", "right".
    """

    start: Point
    end: Point
    text: str = ""
    side: Literal["above", "below", "left", "right"] = "above"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis(Shape):
    """An axis from one point to another for values `low` to `high`, with round ticks and a unit."""

    start: Point
    end: Point
    low: float
    high: float
    unit: str = ""
    ticks: int = 4


AnyShape = Box | Path | Packet | Label | Number | Bracket | Axis

_BETWEEN = {
    "alpha", "at", "size", "glow", "points", "width", "drawn", "along", "value", "start", "end", "low", "high"
}  # fmt: skip
NUMBERS = {
    kind: tuple(field.name for field in fields(kind) if field.name in _BETWEEN)
    for kind in (Box, Path, Packet, Label, Number, Bracket, Axis)
}
"""The fields of each kind of shape that hold numbers, which can be something between two values."""


def finite(shape: AnyShape, dimensions: int) -> bool:
    """Return whether all its numbers are finite and its points have `dimensions`: else it is nowhere."""
    return all(_finite(getattr(shape, name), dimensions) for name in NUMBERS[type(shape)])


def _finite(value: float | Point | tuple[Point, ...], dimensions: int) -> bool:
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return all(_finite(point, dimensions) for point in value)
        return not value or (len(value) == dimensions and all(map(math.isfinite, value)))  # type: ignore[arg-type]
    return math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Camera:
    """Where a scene in space is looked at from.

    Args:
        yaw: Degrees around the upright axis; 0 looks along z.
        pitch: Degrees above the floor; 90 is a plan from above.
        distance: From `target`, in units of the scene.
        target: What stands in the middle of the picture.
        view: The opening angle in degrees, from the lower to the upper edge of the picture.
    """

    yaw: float = 14.0
    pitch: float = 30.0
    distance: float = 15.5
    target: tuple[float, float, float] = (0.0, 0.9, 0.0)
    view: float = 25.0


@dataclass(frozen=True, slots=True)
class State:
    """A scene at rest in one step.

    Args:
        shapes: With ids that differ; a later one lies over an earlier one.
        lead: The step in a few words.
        caption: What can be seen in it, in plain sentences: the text of the step where nothing is drawn.
        size: Width and height of the plane in units; of no account in space.
        camera: The author's view of this step, in space; None is a flat scene.
        legend: (ink, words) of the colours that are not labelled in the picture.
        apart: How far its rows are apart, in units of a flat plane; 0 is a picture without rows. Cells are
            coarse: with it the rows stand equally far apart in them.
        across: The same for its columns.
        plan: The same flat, of a scene in space: where there are only characters, no cuboid can be read.
        needs: The columns and rows of cells that its words need; (0, 0): it is drawn in any.
        instead: The same drawn otherwise, for pictures of fewer cells: the first that has what it needs, else
            the one that lacks least.
        unseen: What it shows, for whoever sees no picture, where the caption does not say it.
        steps: Gives the steps it is one of, or some of them: words are as large in each.
    """

    shapes: tuple[AnyShape, ...]
    lead: str = ""
    caption: str = ""
    size: tuple[float, float] = (160.0, 60.0)
    camera: Camera | None = None
    legend: tuple[tuple[str, str], ...] = ()
    apart: float = 0.0
    across: float = 0.0
    plan: State | None = None
    needs: tuple[float, float] = (0.0, 0.0)
    instead: tuple[State, ...] = ()
    unseen: str = ""
    steps: Callable[[], tuple[State, ...]] | None = field(default=None, compare=False, repr=False)

    def drawn_in(self, columns: int, rows: int) -> State:
        """Return the one of itself and `instead` that a picture of that size has room for."""

        def lacks(state: State) -> float:
            wide, high = state.needs
            return max(wide / max(columns, 1), high / max(rows, 1), 1.0)

        return min((self, *self.instead), key=lacks) if self.instead else self
