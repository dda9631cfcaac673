"""From slide to slide and step to step."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.running.code import CodeActions
from tui.actions.running.estimate import EstimateActions
from tui.actions.showing.pointing import PointingActions
from tui.keys.table import key_of


class NavigationActions(ActionGroup):
    """Keys for steps and slides."""

    def __init__(self, screen: ScreenContext, code: CodeActions) -> None:
        """Some keys scroll the output of `code` first, where one lies open."""
        super().__init__(screen)
        self._code = code
        self._pointer = PointingActions(screen)
        self._estimate = EstimateActions(screen)

    def next_step(self) -> None:
        """Show the next step or slide; at the end of the talk say so."""
        moved = self._session.next()
        self._screen.moved(moved)
        if not moved:
            self._say_end()

    def _say_end(self) -> None:
        """A key that does nothing at the end of the talk looks broken."""
        contents, index = self._session.contents, self._session.index
        if self._session.role != "console" or self._session.after() is not None:
            return
        behind = len(contents.backup)
        if index in contents.backup:
            back = key_of("history")
            self._screen.say(f"the last backup slide: {back} goes back to where you came from", "dim")
        elif behind:
            slides = "a backup slide" if behind == 1 else f"{behind} backup slides"
            ways = f"{key_of('go_to')} +1, {key_of('overview')}, or {key_of('search')}"
            self._screen.say(f"the end of the talk; after it {slides}: {ways}", "dim")
        else:
            self._screen.say("the end of the talk", "dim")

    def previous_step(self) -> None:
        """Go back one step or slide."""
        self._screen.moved(self._session.previous())

    def down(self) -> None:
        """Move spotlight or pointer, scroll open output or the slide; where nothing scrolls, next step."""
        if self._pointer.move(1) or self._pointed(1):
            return
        if self._session.state.look.full and self._code.scroll_code(1):
            return
        if not self._scrolled(1):
            self.next_step()

    def up(self) -> None:
        """Move spotlight or pointer, scroll open output or slide; where nothing scrolls, previous step."""
        if self._pointer.move(-1) or self._pointed(-1):
            return
        if self._session.state.look.full and self._code.scroll_code(-1):
            return
        if not self._scrolled(-1):
            self.previous_step()

    def _scrolled(self, by: int) -> bool:
        """Whether the key scrolled the slide instead, here and on the other screens of the class."""
        slide = self._classroom.slide
        scrolled = slide.scroll_rows(by * max(1, slide.size.height // 4))
        if scrolled:
            self._session.scroll(slide.down)
        return scrolled

    def _pointed(self, by: int) -> bool:
        """Whether the key moved along the lines of a question instead."""
        pointed = self._session.seat != "audience" and self._room.answering.point(by)
        if pointed:
            self._classroom.show()
        return pointed

    def next_slide(self) -> None:
        """Go to the next slide, past the steps left on this one, on the last to its end; there say so."""
        moved = self._session.skip(1)
        self._screen.moved(moved)
        if not moved:
            self._say_end()

    def previous_slide(self) -> None:
        """Go to the slide before, past the steps of this one."""
        self._screen.moved(self._session.skip(-1))

    def first_slide(self) -> None:
        """Jump to the first slide of the talk."""
        self._screen.jumped((self._session.contents.visible[0], 0))

    def last_slide(self) -> None:
        """Jump to the last slide of the talk, before any backup slides."""
        self._screen.jumped((self._session.contents.visible[-1], 0))

    def scrub_forward(self) -> None:
        """Go forward in open output, in a recorded run, turn an estimate; else in the steps of the slide."""
        self._scrub(1)

    def scrub_back(self) -> None:
        """Go back in open output, in a recorded run, turn an estimate; else in the steps of the slide."""
        self._scrub(-1)

    def _scrub(self, by: int) -> None:
        """In a snippet's output, in a recorded run, in an estimate, else in the steps of the slide."""
        if self._code.scroll_code(by):
            return
        if self._classroom.run_room.scrub(by):
            return
        if not self._screen.replay.scrub(by) and not self._estimate.turn(by):
            self._screen.moved(self._session.scrub(by))
