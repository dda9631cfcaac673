"""The test card on the whole terminal: `T` for the next theme, q or Esc to close."""

from __future__ import annotations

from textual.events import Key

from slides.drawing.text import Line
from tui.screens.page_program import PageProgram
from tui.views.test_card import card

CLOSE = ("q", "escape", "ctrl+c", "enter", "space")


class TestCard(PageProgram[None]):
    """Nothing of a class: it can be shown while one runs in another terminal."""

    __test__ = False  # not one of pytest's

    def _draw(self, width: int, height: int) -> list[Line]:
        painter = self.lines.painter
        return card(painter.palette, painter.theme, width, height)

    def on_key(self, event: Key) -> None:
        event.stop()
        if event.key in CLOSE:
            self.exit()
        elif event.character in ("T", "t"):
            self.next_theme()
