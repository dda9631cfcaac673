"""A program that is one page of styled lines and some keys, with no class behind it."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from typing import TypeVar

from textual.app import App, ComposeResult
from textual.events import Key

from slides.drawing.text import Line
from tui.keys.table import for_role
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.widgets.lines import Lines

Result = TypeVar("Result")
SAID_S = 6.0


class PageProgram(App[Result], inherit_bindings=False):
    """Draws its page in a theme that `T` changes; it ends with a `Result`."""

    ENABLE_COMMAND_PALETTE = False
    DEFAULT_CSS = "#page { width: 100%; height: 100%; }"

    def __init__(self, theme: str) -> None:
        super().__init__()
        self.look = theme or "dark"
        self.lines = Lines(Painter(themed_strips.resolve(self.look)), self._draw, id="page")
        self._word_timer: asyncio.TimerHandle | None = None

    @abstractmethod
    def _draw(self, width: int, height: int) -> list[Line]:
        """The page at this size."""

    def _show_word(self, word: str) -> None:
        """Show a word at the foot of the page, where it has such a place; "" takes it away."""

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:  # Textual calls this beside the `on_mount` of a subclass
        self._colour()

    def _colour(self) -> None:
        self.lines.painter = Painter(themed_strips.resolve(self.look))
        self.screen.styles.background = self.lines.painter.colour("background") or "ansi_default"
        self.lines.redraw()

    def next_theme(self) -> None:
        """Draw in the theme that follows this one."""
        self.look = themed_strips.following(self.look)
        self._colour()

    def say(self, word: str) -> None:
        """Say something at the foot for a moment."""
        self._show_word(word)
        self.hush()
        self._word_timer = asyncio.get_running_loop().call_later(SAID_S, lambda: self._show_word(""))

    def hush(self) -> None:
        """What was said last is not taken away any more."""
        if self._word_timer is not None:
            self._word_timer.cancel()


def action_of(role: str, event: Key) -> str | None:
    """What a key does for a role of the table of keys; None where it does nothing."""
    keys = {key: action.name for action in for_role(role) for key in action.keys}
    return keys.get(event.key) or keys.get(event.character or "")
