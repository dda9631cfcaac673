"""Lines over the class, to be read: any key closes them, but those that scroll a page."""

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


class Page(Overlay):
    """A whole page that the arrows scroll: its lines are made for its width, at each repaint."""

    def __init__(self, painter: Painter, title: str, lines: Callable[[int], list[Line]]) -> None:
        super().__init__(painter, "100%")
        self._title, self._read = title, lines
        self._top = 0

    def draw(self, width: int, height: int) -> list[Line]:
        lines, room = self._read(width), max(1, height - 2)
        self._top = max(0, min(self._top, len(lines) - room))
        keys = "   ↑ ↓ scroll, another key closes" if len(lines) > room else "   any key closes"
        head = (Span(f"  {cells.clean(self._title)}", footer_lines.BOLD), Span(keys, footer_lines.FAINT))
        shown = [cells.clip(line, width) for line in (head, (), *lines[self._top : self._top + room])]
        return shown + [()] * (height - len(shown))

    def wheel(self, by: int) -> None:
        self._top += by
        self.redraw()

    def take(self, event: Key) -> Closed | None:
        page = max(1, self._lines.size.height - 3)
        by = {"down": 1, "j": 1, "up": -1, "k": -1, "pagedown": page, "pageup": -page}.get(event.key)
        if by is None:
            return Closed()
        self.wheel(by)
        return None
