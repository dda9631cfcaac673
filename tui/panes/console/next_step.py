"""The page of a slide with what its next step adds, dimmed, for the speaker."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from slides.drawing.text import Line
from slides.drawing.text_size import Mode
from tui.rendering.pages.page import Page
from tui.rendering.pages.slide_painter import Drawing


class Foreshadowed:
    """A drawing's pages; while `on()`, with what the next step adds to them standing back."""

    def __init__(self, drawing: Drawing, on: Callable[[], bool]) -> None:
        self._drawing, self._on = drawing, on
        self.extent, self.tall, self.movement = drawing.extent, drawing.tall, drawing.movement

    @property
    def mode(self) -> Mode:
        """The density that the slide is drawn in."""
        return self._drawing.mode

    def token(self, page: Page) -> Hashable:
        """What the page depends on: the slide's own, and whether the next step is shown."""
        return self._drawing.token(page), self._on()

    def page(
        self,
        page: Page,
        width: int,
        height: int = 0,
        most: int = 0,
        *,
        part: int | None = None,
        mode: Mode | None = None,
    ) -> list[Line]:
        """The page with what its next step brings in dim."""
        lines = self._drawing.page(page, width, height, most, part=part, mode=mode)
        following = Page(page.slide, page.step + 1)
        moves = self._drawing.scenes.moves(page, following)  # what comes in a picture is no new line of it
        if moves or not (self._on() and self._drawing.exists(following)):
            return lines
        from tui.panes.console.console_panes import foreshadow

        # What is still to come is dim: half blocks are, pixels are not.
        after = self._drawing.page(following, width, height, most, part=part, mode=mode, sharp=False)
        return foreshadow(lines, after, width)
