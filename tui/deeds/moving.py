"""From slide to slide and step to step, and the playing of steps."""

from __future__ import annotations

from tui.deeds import Deeds


class Moving(Deeds):
    def next_step(self) -> None:
        self._app.stop_playing()
        self._app.moved(self._session.next())

    def previous_step(self) -> None:
        self._app.stop_playing()
        self._app.moved(self._session.previous())

    def down(self) -> None:
        slide = self._classroom.slide
        if not slide.scroll_rows(max(1, slide.size.height // 4)):
            self.next_step()

    def up(self) -> None:
        slide = self._classroom.slide
        if not slide.scroll_rows(-max(1, slide.size.height // 4)):
            self.previous_step()

    def next_slide(self) -> None:
        self._app.moved(self._session.skip(1))

    def previous_slide(self) -> None:
        self._app.moved(self._session.skip(-1))

    def first_slide(self) -> None:
        self._app.jumped((self._session.contents.visible[0], 0))

    def last_slide(self) -> None:
        self._app.jumped((self._session.contents.visible[-1], 0))

    def scrub_forward(self) -> None:
        self._scrub(1)

    def scrub_back(self) -> None:
        self._scrub(-1)

    def _scrub(self, by: int) -> None:
        """In a recorded run, else in the steps of the slide."""
        self._app.stop_playing()
        if not self._app.replay.scrub(by):
            self._app.moved(self._session.scrub(by))

    def play(self) -> None:
        """A recorded run stands or goes on; else the steps that are left, or the next slide."""
        if self._app.replay.toggle():
            pass
        elif self._app.playing:
            self._app.stop_playing()
        elif self._session.scrub(1):
            self._app.moved(True)
            self._app.start_playing()
        else:
            self._app.moved(self._session.next())
