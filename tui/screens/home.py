"""The home screen of somebody who studies: what is due, where one was, and the lessons."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.events import Key

from slides.drawing.text import Line
from tui.panes.edges import footer_lines
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.study import pages
from tui.study.pages import Home, Row
from tui.terminal.hangup import leave_with_terminal
from tui.widgets.lines import Lines


class HomeApp(App[Row], inherit_bindings=False):
    """What is due, where one was, and the lessons; it ends with the row that was chosen, None to quit."""

    ENABLE_COMMAND_PALETTE = False
    DEFAULT_CSS = "#home { width: 100%; height: 100%; }"

    def __init__(self, home: Home, theme: str, *, watch_tty: bool = False) -> None:
        super().__init__()
        self._watch_tty = watch_tty
        self.home = home
        self.look = theme or "dark"
        self.chosen = 0
        self.changed = False  # somebody chose another theme
        self.painter = Painter(themed_strips.resolve(self.look))
        self.lines = Lines(self.painter, self._draw, id="home")

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        self._colour()
        if self._watch_tty:
            self.set_interval(1.0, lambda: leave_with_terminal(self))

    def _colour(self) -> None:
        self.painter = self.lines.painter = Painter(themed_strips.resolve(self.look))
        self.screen.styles.background = self.painter.colour("background") or "ansi_default"
        self.lines.redraw()

    def _draw(self, width: int, height: int) -> list[Line]:
        if width < footer_lines.MIN_WIDTH or height < footer_lines.MIN_HEIGHT:
            return [footer_lines.too_small(width, height)]
        return pages.home(self.home, self.chosen, width, height)

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
            self.look = themed_strips.following(self.look)
            self.changed = True
            self._colour()
        elif by is not None or to is not None:
            self.chosen = max(0, min(last, self.chosen + by if by is not None else to or 0))
            self.lines.redraw()
