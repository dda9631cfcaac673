"""The home screen of somebody who studies: what is due, where one was, and the lessons."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key

from slides.drawing.text import Line
from tui.panes.edges import footer_lines
from tui.screens.page_program import PageProgram
from tui.study import home_and_end_pages
from tui.study.home_and_end_pages import Home, Row
from tui.terminal.hangup import leave_with_terminal


class HomeApp(PageProgram[Row]):
    """What is due, where one was, and the lessons; it ends with the row that was chosen, None to quit."""

    def __init__(
        self, home: Home, theme: str, *, say: Callable[[str], str] = str, watch_tty: bool = False
    ) -> None:
        super().__init__(theme)
        self._watch_tty = watch_tty
        self.home = home
        self._say = say
        self.chosen = 0
        self.changed = False  # somebody chose another theme

    def on_mount(self) -> None:
        if self._watch_tty:
            self.set_interval(1.0, lambda: leave_with_terminal(self))

    def _draw(self, width: int, height: int) -> list[Line]:
        if width < footer_lines.MIN_WIDTH or height < footer_lines.MIN_HEIGHT:
            return [footer_lines.too_small(width, height)]
        return home_and_end_pages.home(self.home, self.chosen, width, height, self._say)

    def on_key(self, event: Key) -> None:
        event.stop()
        rows = self.home.rows
        last = len(rows) - 1
        by = {"down": 1, "j": 1, "tab": 1, "up": -1, "k": -1, "shift+tab": -1}.get(event.key)
        to = {"home": 0, "end": last, "g": 0, "G": last}.get(event.key)
        if event.key in ("q", "ctrl+c"):
            self.exit()
        elif event.key in ("enter", "right", "space") and rows:
            self.exit(rows[self.chosen])
        elif event.key == "d" and (due := [row for row in rows if row.target in ("due", "round")]):
            self.exit(due[0])
        elif event.key == "T":
            self.changed = True
            self.next_theme()
        elif by is not None or to is not None:
            self.chosen = max(0, min(last, self.chosen + by if by is not None else to or 0))
            self.lines.redraw()
