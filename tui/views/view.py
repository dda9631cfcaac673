"""What a view of a run is: the one registration that makes it known everywhere.

Other packages bring theirs as such an object (entry points `teachrun.views`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from runtime.protocol.messages import Snapshot
from slides.drawing.text import Line
from slides.palette import DARK, Palette

if TYPE_CHECKING:
    from slides.scenes.painting import Surface
    from slides.scenes.shapes import Camera, State
    from tui.classroom.runs.slow_motion import Playing

CHART_ROWS = 6  # a title, an axis with its figures, and 12 dots between: lower is no help


class Paint(NamedTuple):
    """What a picture is painted with: the colours of a theme, and the glyphs that a terminal has; the moment
    of a step that it shows, asked for only by who draws it, and where it is looked at from by hand. `pixels`
    gives the rows of a state in so many columns and rows where the terminal has pixels, else None."""

    palette: Palette = DARK
    surface: Surface = "halves"
    playing: Callable[[], Playing | None] = lambda: None
    camera: Camera | None = None
    pixels: Callable[[State, int, int], list[Line] | None] | None = None


PLAIN_PAINT = Paint()


class View(NamedTuple):
    """A view by its name, which a demo's spec says (`DemoSpec.view`) to be shown by it first.

    `draw(snapshot, width, height, rank)` gives exactly `height` lines of exactly `width` cells; `rank` is the
    one pointed at, if any. It is pure, and imports what it needs when it is called: most views are never
    looked at. `has` says whether a run has anything to show in it, `rows` how many lines it needs at least
    beside the table of the ranks.

    `about` says in a few words what it shows; with `in_handout` that is the caption of its drawing in an
    export. `digit` is the key that chooses it, 0 where it is chosen from the list of views; `short` its name
    where there is little room.

    `painted`, where it is there, draws instead of `draw`: a picture mixes the colours of a theme, and takes
    no names of them.
    """

    name: str
    about: str
    draw: Callable[[Snapshot, int, int, int | None], list[Line]]
    has: Callable[[Snapshot], bool] = lambda snapshot: True
    rows: Callable[[Snapshot], int] = lambda snapshot: CHART_ROWS
    digit: int = 0
    short: str = ""
    in_handout: bool = True
    painted: Callable[[Snapshot, int, int, Paint], list[Line]] | None = None
