"""One slide becomes another in a sixth of a second, for those who want that. Pure.

Off unless somebody's settings ask for it and `motion_allowed.py` agrees. A key ends
it at once: what is shown is then what the key asked for, whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from textual.strip import Strip

    from tui.config.settings import Transition

FRAME_S = 1 / 30
PARTS = (0.4, 0.7, 0.88, 0.97)  # of the way, frame by frame: quick at first, then settling; the last is whole


class Turn(NamedTuple):
    """On the way from one slide to another: the rows of the one that goes, and the frame that is shown."""

    before: list[Strip]
    onward: bool
    frame: int


def row(kind: Transition, before: Strip, after: Strip, width: int, part: float, onward: bool) -> Strip:
    """A row of `width` cells, `part` of the way from `before` to `after`: pushed away by what comes, or
    uncovered. `onward`: from the right, as the next slide comes; else from the left."""
    cells = max(0, min(width, round(part * width)))
    if not cells or cells == width:
        return after if cells else before
    if onward:
        left = before.crop(cells, width) if kind == "push" else before.crop(0, width - cells)
        right = after.crop(0, cells) if kind == "push" else after.crop(width - cells, width)
    else:
        left = after.crop(width - cells, width) if kind == "push" else after.crop(0, cells)
        right = before.crop(0, width - cells) if kind == "push" else before.crop(cells, width)
    return left.join([left, right])
