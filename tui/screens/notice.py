"""A few lines over the class, to be read: any key closes them."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key

from slides.drawing import cells
from slides.drawing.text import Line, Span
from tui.panes.edges import footer_lines
from tui.rendering.themed_strips import Painter
from tui.screens.overlay import Closed, Overlay


class Told(Overlay):
    """A notice that grows with the class: its lines are made anew at each repaint."""

    def __init__(self, painter: Painter, title: str, lines: Callable[[], list[Line]], rows: int) -> None:
        """`lines()` are asked for again as the class goes on; `rows` of them are shown."""
        super().__init__(painter, rows + 1)
        self._title, self._read = title, lines

    def draw(self, width: int, height: int) -> list[Line]:
        head = (Span(f"  {self._title}", footer_lines.BOLD), Span("   any key closes", footer_lines.FAINT))
        return [cells.clip(line, width) for line in (head, *self._read())][:height]

    def take(self, event: Key) -> Closed:
        return Closed()

    def freshen(self) -> None:
        self.redraw()
