"""A widget that shows styled lines as they are: the base of everything on the screen but the slide."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Region
from textual.strip import Strip

from slides.drawing.text import Line
from tui.rendering.compositor import Painted, repaint
from tui.rendering.error_box import drawn
from tui.rendering.row_strip import changed
from tui.rendering.themed_strips import Painter

Source = Callable[[int, int], list[Line]]


class Lines(Painted, can_focus=False, inherit_bindings=False):
    """Shows `source(width, height)`; `redraw` asks it again and repaints only what changed of rows."""

    DEFAULT_CSS = "Lines { width: 1fr; height: 1; }"

    def __init__(self, painter: Painter, source: Source, *, id: str, ground: str = "background") -> None:
        super().__init__(id=id)
        self.painter = painter
        self.ground = ground
        self._source = source
        self._lines: list[Line] = []
        self._strips: list[Strip] = []
        self._look: tuple[int, str, int] = (0, "", 0)

    def redraw(self) -> None:
        """Draw from the source and repaint only the rows that differ from those shown."""
        width, height = self.size
        if not (width and height and self.display):
            return
        lines = drawn(lambda: self._source(width, height))[:height]
        look = (width, *self.painter.look)
        if look != self._look or len(lines) != len(self._lines):
            self._strips = self.painter.strips(lines, width, self.ground)
            self.refresh()
        else:
            others: list[Region] = []
            for y, (was, now) in enumerate(zip(self._lines, lines, strict=True)):
                if was == now:
                    continue
                self._strips[y] = self.painter.strip(now, width, self.ground)
                first, last = changed(was, now)
                if first < min(last, width):
                    others.append(Region(first, y, min(last, width) - first, 1))
            if others:
                repaint(self, *others)
        self._lines, self._look = lines, look

    @property
    def lines(self) -> list[Line]:
        """The lines shown."""
        return self._lines

    def on_resize(self) -> None:
        self.redraw()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y < len(self._strips):
            return self.painter.fit(self._strips[y], width, self.ground)
        return self.painter.blank(width, self.ground)
