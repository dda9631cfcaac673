"""How this screen looks: its colours, the size of its text, and how much there is beside the slide."""

from __future__ import annotations

import os

from slides.drawing.density import following
from tui.actions.base import ActionGroup
from tui.graphics import cell_glyphs
from tui.rendering import themed_strips, transition


class AppearanceActions(ActionGroup):
    """Keys for theme and size of text."""

    def theme(self) -> None:
        """Wear the next theme."""
        self._screen.wear(themed_strips.following(self._screen.look))
        self._screen.say(f"theme {self._screen.look}", "dim")

    def text_size(self) -> None:
        """Normal, big, compact: cells cannot grow, so big is fewer words, more air and large headings."""
        drawing = self._classroom.drawing
        drawing.mode = following(drawing.mode)
        self._classroom.show()
        self._screen.say(f"{drawing.mode.name} text", "dim")
        self._classroom.warm_pages()

    def transition(self) -> None:
        """How one slide becomes another: the next way there is."""
        known = transition.KINDS
        kind = known[(known.index(self._classroom.slide.transition) + 1) % len(known)]
        self._screen.say(f"transition {kind}" if self.move_slides(kind) else "nothing moves over SSH", "dim")

    def move_slides(self, kind: str) -> bool:
        """From now on so; False where nothing may move."""
        may = transition.allowed(os.environ)
        wished = (known for known in transition.KINDS if known == kind and may)
        self._classroom.slide.transition = next(wished, "none")
        return may

    def move_scenes(self, wish: str) -> None:
        """From now on scenes move from step to step: `on`, `off`, or else where that is cheap and welcome."""
        may = transition.allowed(os.environ) if wish not in ("on", "off") else wish == "on"
        self._classroom.slide.moves = may

    def paint_scenes(self, wish: str) -> None:
        """From now on with these glyphs, else with those that this terminal draws itself."""
        self._classroom.drawing.scenes.surface = cell_glyphs.chosen(os.environ, wish)

    def full_screen(self) -> None:
        """The slide alone, without the lines around it, and back."""
        self._classroom.bare = not self._classroom.bare
        if self._classroom.bare:
            self._classroom.unsay()
        self._classroom.show()

    def leave_full_screen(self) -> bool:
        """False where there is nothing to leave."""
        bare = self._classroom.bare
        if bare:
            self.full_screen()
        return bare

    def unmark(self) -> bool:
        """Take the marks of a search off the slide; False without any."""
        drawing = self._classroom.drawing
        marked = drawing.hits is not None and drawing.hits.slide == self._session.index
        drawing.hits = None
        if marked:
            self._classroom.show()
        return marked
