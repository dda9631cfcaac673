"""A slide on its way from one step of a scene to another: its rows at a moment, and when it is there.

Nothing is drawn and no byte written but while it is on its way; whatever else is to be shown ends it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slides.drawing.text import Line
    from tui.rendering.pages.scene_pictures import Movement
    from tui.widgets.page_rows import Rows

MOVE_S = 0.6


class SceneMotion:
    """One way from step to step. `target` is the page at rest, as it is shown when the time is over."""

    def __init__(
        self,
        movement: Movement,
        target: Rows,
        rows: Callable[[list[Line]], Rows],
    ) -> None:
        """`rows(lines)` makes rows of the lines of a page, as `target` was made of its own."""
        self.target = target
        self._movement, self._rows = movement, rows
        self._since = time.monotonic() - movement.frame_s  # a key is answered by what has begun to move

    def frame(self) -> Rows:
        """Return the rows of this moment: `target` itself when it is there."""
        part = (time.monotonic() - self._since) / MOVE_S
        return self.target if part >= 1 else self._rows(self._movement.at(part))

    @property
    def wait_s(self) -> float:
        """Seconds until the next frame is due: by the clock, whatever this one took."""
        each = self._movement.frame_s
        return max(each - (time.monotonic() - self._since) % each, each / 8)
