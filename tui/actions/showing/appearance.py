"""How this screen looks: its colours, the size of its text, and how much there is beside the slide."""

from __future__ import annotations

import os

from slides import palette
from slides.drawing.text_size import CHOICE, following
from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.config.settings import TRANSITIONS
from tui.graphics import terminal_glyphs
from tui.rendering import themed_strips
from tui.rendering.motion_allowed import motion_allowed


class AppearanceActions(ActionGroup):
    """Keys for theme and size of text."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._pictures = "auto"
        self._room.looks.changed = self.follow_room

    def theme(self) -> None:
        """Wear the next theme; beside a projector the room does, and the console stays as it was chosen."""
        if self._room.audiences and self._room.looks.told:
            chosen = themed_strips.following(self._room.looks.now.theme or self._screen.look)
            self._room.looks.wish(theme=chosen)
            self._screen.say(f"theme {chosen} for the room; this screen keeps its own", "dim")
            self._classroom.show()
            return
        self._screen.wear(themed_strips.following(self._screen.look))
        self._said(f"theme {self._screen.look}", theme=self._screen.look)

    def text_size(self) -> None:
        """Normal, big, compact: cells cannot grow, so big is fewer words, more air and large headings."""
        drawing = self._classroom.drawing
        drawing.mode = following(drawing.mode)
        self._classroom.show()
        self._said(f"{drawing.mode.name} text", text=drawing.mode.name)
        self._classroom.warm_pages()

    def pictures(self) -> None:
        """Draw pictures by the terminal's own pixels, or in cells."""
        self._pictures = "auto" if self._pictures == "blocks" else "blocks"
        self._screen.wish_pictures(self._pictures)
        words = "in cells" if self._pictures == "blocks" else "by pixels, where the terminal has them"
        self._said(f"pictures {words}", pictures=self._pictures)
        self._classroom.show()

    def motion(self) -> None:
        """Let scenes move, or stand."""
        wish = "off" if self._classroom.slide.moves else "on"
        self.move_scenes(wish)
        self._said("scenes move" if wish == "on" else "nothing moves", motion=wish)

    def _said(self, words: str, **wish: str) -> None:
        """What this screen shows, the screens of the room show from now on where this one drives."""
        told = self._room.looks.wish(**wish)
        self._screen.say(f"{words}, for the room too" if told and self._room.audiences else words, "dim")

    def follow_room(self) -> None:
        """A console has said how the room looks: its screens do so, another console tells it."""
        look = self._room.looks.now
        if self._session.role == "audience":
            if look.theme in palette.names():
                self._screen.wear(look.theme)
            if look.text in (mode.name for mode in CHOICE):
                self._classroom.drawing.mode = next(mode for mode in CHOICE if mode.name == look.text)
            if look.pictures in ("auto", "blocks"):
                self._pictures = look.pictures
                self._screen.wish_pictures(look.pictures)
            if look.motion:
                self.move_scenes(look.motion)
            self._classroom.warm_pages()
        self._classroom.show()

    def transition(self) -> None:
        """How one slide becomes another: the next way there is."""
        known = TRANSITIONS
        kind = known[(known.index(self._classroom.slide.transition) + 1) % len(known)]
        self._screen.say(f"transition {kind}" if self.move_slides(kind) else "nothing moves over SSH", "dim")

    def move_slides(self, kind: str) -> bool:
        """From now on so; False where nothing may move."""
        may = motion_allowed(os.environ)
        wished = (known for known in TRANSITIONS if known == kind and may)
        self._classroom.slide.transition = next(wished, "none")
        return may

    def move_scenes(self, wish: str) -> None:
        """From now on scenes move from step to step: `on`, `off`, or else where that is cheap and welcome."""
        may = motion_allowed(os.environ) if wish not in ("on", "off") else wish == "on"
        self._classroom.slide.moves = may

    def paint_scenes(self, wish: str) -> None:
        """From now on with these glyphs, letters too; else with those that this terminal draws itself."""
        scenes = self._classroom.drawing.scenes
        had_wish = scenes.in_cells
        scenes.surface, scenes.in_cells = (
            terminal_glyphs.chosen(os.environ, wish),
            wish in terminal_glyphs.SURFACES,
        )
        if wish or had_wish:
            terminal_glyphs.settle_letters(os.environ, wish)

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
