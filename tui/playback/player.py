"""Autoplay and narration of one screen: wakes them, tells them where the class is, shows what they say."""

from __future__ import annotations

from slides.deck import Demo
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.position.place_in_talk import Badge
from tui.keys.table import key_of
from tui.panes.class_screen import ClassProgram
from tui.playback import caption_cues
from tui.playback.autoplay import ANNOUNCE_S, TICK_S, Autoplay, frames, words_a_minute
from tui.playback.narration import Narrator


class Player:
    """Autoplay and narration of this screen, and the keys for them."""

    def __init__(self, app: ClassProgram) -> None:
        self._app, self._session = app, app.session
        self.narrator = Narrator(app.classroom.show_caption, app.say)
        self.autoplay = Autoplay(app.room, self._next, lambda: self.narrator.speaking)
        self._place = (-1, -1)  # that the narrator was told of
        self._armed = False
        self._shown: tuple[Badge | None, str] = (None, "")
        app.classroom.signs += [self.autoplay.sign, self._voice_sign]
        app.classroom.banner = self._banner
        self._announced: Demo | None = None

    def _banner(self, width: int) -> Line:
        """In the place of the keys, while the deck plays: that it does, what comes, and how to stop it."""
        words = self.autoplay.banner()
        if not words:
            return ()
        way = f"{key_of('play')} or any move pauses"
        line: Line = (
            Span("  "),
            Span(" ▶ plays by itself ", Style("background", "warning", bold=True)),
            Span(f"  {cells.clean(words)}", Style("warning", bold=True)),
            Span(f"   {way}", Style("dim")),
        )
        return cells.clip(line, width)

    def _voice_sign(self) -> Badge | None:
        return None if self.autoplay.on else self.narrator.sign()  # captions are seen, room is scarce

    # --- playing ----------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Pause autoplay; else pause or resume a recorded run; else play the animation of the slide, which
        begins anew where it was at its end; else the deck from here."""
        moving = frames(self._session.slide)
        if self.autoplay.on:
            self.pause()
            self._app.say(f"paused: {key_of('play')} resumes", "dim")
        elif not self._app.replay.toggle():
            if moving and self._session.step > max(moving):
                self._app.moved(self._session.go((self._session.index, min(moving))))
            self.autoplay.start(scene=bool(moving))
            self._app.classroom.unsay()
            self._app.classroom.show()
            self._arm()

    def pause(self) -> None:
        """Nothing goes on by itself any more; a voice may finish what it says."""
        if self.autoplay.on:
            self.autoplay.stop()
            self._app.classroom.show()

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            self._app.classroom.later(TICK_S, self._wake)

    def _wake(self) -> None:
        self._armed = False
        if self.autoplay.on:
            self.tick()
            self._arm()

    def tick(self) -> None:
        """A few times a second while it plays."""
        self._app.say(self.autoplay.tick(), "dim")
        if (starts := self.autoplay.starts) is not self._announced:
            self._announced = starts
            if starts is not None:  # also where the slide has the whole screen, and no banner
                self._app.say(f"{starts.name} starts in {ANNOUNCE_S:g} seconds: Space pauses", "warning")
        if (now := (self.autoplay.sign(), self.autoplay.banner())) != self._shown:
            self._shown = now
            self._app.classroom.frames.want()

    def _next(self) -> bool:
        moved = self._session.next()
        self._app.moved(moved)
        return moved

    # --- narrating --------------------------------------------------------------------------------------

    def narrate(self) -> None:
        """Switch narration on or off; without a voice say why there are only captions."""
        if self.narrator.on:
            self.narrator.stop()
            self._app.classroom.show()
            return
        contents = self._session.contents
        self.narrator.start(contents.deck.meta.get("lang", ""), words_a_minute(contents))
        if self.narrator.silent:
            self._app.say(f"captions only: {self.narrator.silent}", "dim")
        self._place = (-1, -1)
        self.follow()
        self._app.classroom.show()

    def follow(self) -> None:
        """The place may be another one: the narrator begins with what is said there."""
        here = (self._session.index, self._session.step)
        if self.narrator.on and here != self._place:
            self._place = here
            self.narrator.tell(caption_cues.notes_at(self._session.contents, *here))
