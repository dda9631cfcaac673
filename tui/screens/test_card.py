"""The test card on the whole terminal: `T` for the next theme, q or Esc to close."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.events import Key

from slides.drawing.text import Line
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.views.test_card import card
from tui.widgets.lines import Lines

CLOSE = ("q", "escape", "ctrl+c", "enter", "space")


class TestCard(App[None], inherit_bindings=False):
    """Nothing of a class: it can be shown while one runs in another terminal."""

    ENABLE_COMMAND_PALETTE = False
    __test__ = False  # not one of pytest's
    DEFAULT_CSS = "#card { width: 100%; height: 100%; }"

    def __init__(self, theme: str) -> None:
        super().__init__()
        self.look = theme or "dark"
        self.painter = Painter(themed_strips.resolve(self.look))
        self.card = Lines(self.painter, self._draw, id="card")

    def compose(self) -> ComposeResult:
        yield self.card

    def on_mount(self) -> None:
        self._colour()

    def _colour(self) -> None:
        self.painter = self.card.painter = Painter(themed_strips.resolve(self.look))
        self.screen.styles.background = self.painter.colour("background") or "ansi_default"
        self.card.redraw()

    def _draw(self, width: int, height: int) -> list[Line]:
        return card(self.painter.palette, self.painter.theme, width, height)

    def on_key(self, event: Key) -> None:
        event.stop()
        if event.key in CLOSE:
            self.exit()
        elif event.character in ("T", "t"):
            self.look = themed_strips.following(self.look)
            self._colour()
