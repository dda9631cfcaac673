"""What is pointed at on the slide of a class, and from where a picture in space is looked at. It is in no
journal: a screen that joins later is told the present state, and with the slide it is gone.

Both ways it is this message: from the console that points to the host, from the host to the other screens.
A host that knows it says so in its `Welcome`, a screen in its `Attach`: an older one is sent nothing.
"""

from __future__ import annotations

from math import isfinite

from msgspec import Struct

from runtime.protocol.class_messages.message import Message

MOST_MARKS = 60


class Place(Struct, frozen=True):
    """`rows` rows of a page from `row` (0-based) on; of these the cells from `first` up to `last`, whole rows
    where `last` is 0."""

    row: int
    rows: int = 1
    first: int = 0
    last: int = 0


class Seen(Struct, frozen=True):
    """From where a scene in space is looked at by hand, or with `of_run` the room of a run: degrees around
    and above, units of the scene to `target`, the opening angle in degrees."""

    yaw: float
    pitch: float
    distance: float
    target: tuple[float, float, float]
    view: float
    of_run: bool = False

    @property
    def sane(self) -> bool:
        """Whether it is a place at all."""
        numbers = (self.yaw, self.pitch, self.distance, *self.target, self.view)
        return all(map(isfinite, numbers)) and self.distance > 0


class Point(Message, frozen=True, tag="point"):
    """All that is pointed at, by places on the page of `slide` as it is laid out `width` cells wide for
    `height` rows of which `part` are seen, in text of the size `text`. Other screens have other rows: each
    finds the words of these places on its own. `light`: everything else stands back. `pen`: marked. `seen`: a
    picture in space is looked at from there, None: as its author does."""

    slide: str
    width: int = 0
    height: int = 0
    part: int = 0
    text: str = "normal"
    light: Place | None = None
    pen: tuple[Place, ...] = ()
    seen: Seen | None = None
