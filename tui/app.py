"""The program: a class and its screen. The keys are in `tui.keys.table`, what they do in `tui.actions`.

The first slide is painted before anything else is begun; the link to the host and what it imports come after.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.events import Event, Key, MouseEvent, Paste
from textual.screen import Screen

from slides.palette import asked_for
from slides.problems import Problem
from tui.actions.all_groups import Actions
from tui.actions.table import Handler, handlers
from tui.app_start import Arrival
from tui.classroom.host_link import Connect
from tui.classroom.position.jumps_and_bookmark import History
from tui.classroom.room import Change, Room
from tui.classroom.runs.replay import Replay
from tui.classroom.session import Session
from tui.deck.contents import Contents
from tui.keys.table import MOVES, for_role, key_of
from tui.panes.console.console_layout import LAYOUTS
from tui.rendering import textual_private, themed_strips
from tui.rendering.themed_strips import Painter
from tui.screens.classroom import Classroom
from tui.screens.overlay import Closed, Consent, Overlay
from tui.terminal import mouse_reports
from tui.terminal.hangup import leave_with_terminal

if TYPE_CHECKING:
    from textual.driver import Driver

    from tui.classroom.position.unfinished_class import Stopped
    from tui.graphics.screen_pictures import Graphics
    from tui.playback.player import Player
    from tui.recording.controller import RecordingController


class TeachApp(App[str], inherit_bindings=False):
    """One screen of a class. `run` gives the line to say when the terminal is back to normal."""

    ENABLE_COMMAND_PALETTE = False
    _room_kind: type[Room] = Room
    _screen_kind: type[Classroom] = Classroom

    def __init__(
        self,
        session: Session,
        connect: Connect | None = None,
        *,
        theme: str = "",
        console: bool = False,
        joining: bool = False,
        layout: str = "",
        notes_size: int = 0,
        stopped: Callable[[], Stopped | None] | None = None,
        again: Callable[[str], Connect] | None = None,
        others: Callable[[], list[str]] = list,
        watch_tty: bool = False,
        greeting: str = "",
    ) -> None:
        """`layout` is that of the console, "plain" for none; `greeting` is said first. See `Arrival` for
        `stopped`, `again` and `others`."""
        super().__init__()
        self.session = session
        self.room = self._room_kind(session, self._changed, joining)
        self.look = theme or asked_for(session.contents.deck.meta)
        self._chosen_look = bool(theme)  # the user chose it; else the deck does
        self.painter = Painter(themed_strips.resolve(self.look))
        self.classroom = self._screen_kind(session, self.room, self.painter, notes=console)
        self.classroom.slide.pointing = lambda: self.room.pointing.now
        self.history = History(session)
        self.replay = Replay(self.room)
        self._joined = False
        if layout in LAYOUTS:
            self.classroom.notes_wanted = True
            self.classroom.aside_view.layout = layout
            self.classroom.aside_view.size = notes_size
        self.arrival = Arrival(self, connect, joining=joining, stopped=stopped, again=again, others=others)
        self._watch_tty = watch_tty
        self._greeting = greeting
        self.complaints: tuple[Problem, ...] = ()  # about the user's settings
        self.pictures = ""  # how they wish to see pictures
        self.clicks = False  # whether the terminal is to report its mouse
        self.keys: dict[str, str] = {}
        self.take_keys()
        self.actions = self._make_actions()
        self.handlers: dict[str, Handler] = handlers(self.actions)

    def _make_actions(self) -> Actions:
        return Actions(self)

    @cached_property
    def studio(self) -> RecordingController:
        """The recording of this screen; nothing of it is imported before the first one."""
        from tui.recording.controller import RecordingController

        return RecordingController(self, self)

    @cached_property
    def player(self) -> Player:
        """Autoplay and narration, once somebody asks for one of them."""
        from tui.playback.player import Player

        return Player(self)

    @cached_property
    def graphics(self) -> Graphics:
        """Pictures by the terminal's own pixels; nothing of it is imported before there is one."""
        from tui.graphics.screen_pictures import Graphics

        return Graphics(self, self.classroom.show_pictures_by, self.pictures)

    def wish_pictures(self, way: str) -> None:
        """How they are to be drawn: one of `settings.PICTURES`, "" as `auto`."""
        self.pictures = way
        if "graphics" in self.__dict__:
            self.graphics.wish(way)

    def wish_clicks(self, on: bool) -> None:
        """Whether the mouse does something here; else it is the terminal's alone."""
        changed, self.clicks = on != self.clicks, on
        if changed and self.is_running:
            self.to_terminal(mouse_reports.ON if on else mouse_reports.OFF)

    def get_driver_class(self) -> type[Driver]:
        from tui.rendering.driver import writing_whole_frames

        return writing_whole_frames(super().get_driver_class())

    def get_default_screen(self) -> Screen[None]:
        return self.classroom

    # --- keys -------------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Keys are done here, one after the other.

        By the way of Textual's bindings a key travels through the queues of two widgets first, and one typed
        right after `g` would overtake the list that `g` opens.
        """
        if isinstance(event, MouseEvent):
            if isinstance(overlay := self.screen, Overlay):
                if (closed := overlay.mouse(event)) is not None:
                    await self._close(overlay, closed)
            else:
                await self.actions.mouse.take(event)
            return
        typed = isinstance(event, Key | Paste) and not event.is_forwarded
        if typed:
            await self.arrival.catch_up()
            if isinstance(event, Key) and self.arrival.keeps(event):
                return
        if typed and self.room.outputs.typed_into() and not isinstance(self.screen, Overlay):
            if isinstance(event, Key):
                self.actions.code.type(event.key, event.character)
            elif isinstance(event, Paste):
                self.actions.code.paste(event.text)
        elif not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(overlay := self.screen, Overlay) and not overlay.passes(event):
            if (closed := overlay.press(event)) is not None:
                await self._close(overlay, closed)
                if closed.besides:
                    await self.on_event(event)
        elif (name := self.keys.get(event.key)) is not None:
            await self.do(name)

    async def _close(self, overlay: Overlay, closed: Closed) -> None:
        self._uncover()
        if closed.value is not None and overlay.finish is not None:
            await overlay.finish(closed.value)

    async def do(self, name: str) -> None:
        """Do an action of the table: `theme`, `digit(3)`."""
        if name in MOVES:
            self.stop_playing()
        session, practice = self.session, self.classroom.drawing.practice
        tried = practice.did(session.contents.heads[session.index], name)
        done = self.handlers[name]()
        if done is not None:
            await done
        if tried:
            from tui.classroom.things_to_try import first_open

            self.classroom.show()
            # In its new layout the rest may lie below the edge.
            self.call_after_refresh(lambda: self.classroom.slide.bring(first_open))
        self.arrival.remember()

    # --- start ------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """What follows the first painted slide."""
        if self._watch_tty:
            self._watch()
        if (take_over := getattr(textual_private.driver_of(self), "take_over", None)) is not None:
            take_over()
        self.classroom.first_painted(lambda: self.graphics.begin())
        self.room.arrived()
        self.arrival.remember()
        self.say(self._greeting, "good")
        await self.arrival.come()
        self._say_problems()  # at once what is known, and what its slides have once they are read
        self.actions.deck_editing.watch_deck()
        self.actions.preferences.watch_settings()
        await self.ask_to_trust()

    def on_unmount(self) -> None:
        self.actions.deck_editing.unwatch_deck()
        self.actions.preferences.unwatch_settings()

    async def ask_to_trust(self) -> None:
        """The scripts of a deck are asked about when it is loaded, never when a class waits for one."""
        from tui.deck import consent_question

        if self.session.role != "console":
            return
        contents = self.session.contents
        blocks = await asyncio.to_thread(consent_question.unasked, contents)  # it reads slides
        await asyncio.to_thread(contents.read)
        self._say_problems()
        if isinstance(self.screen, Consent):
            self._uncover()  # it asks about the deck as it was
        self.actions.deck_editing.run_scenes()
        if blocks:

            async def agreed(_: bool) -> None:
                await self._trusted(contents, blocks)

            await self.cover(Consent(self.painter, consent_question.question(contents, blocks), agreed))

    async def _trusted(self, contents: Contents, blocks: tuple[str, ...]) -> None:
        """Somebody has said yes to these, as they were when it was asked."""
        from tui.deck import consent_question

        try:
            shows_more = consent_question.agree(contents, blocks)
        except OSError as error:
            self.say(f"that cannot be remembered: {error}", "bad")
            return
        self.say("this deck is trusted on this machine", "good")
        self.actions.deck_editing.run_scenes()
        if shows_more:
            after = await asyncio.to_thread(consent_question.trusted, self.session.contents)
            self.session.replace_deck(after)
            self.deck_read_again()  # code in what it took in now is asked about

    def _say_problems(self) -> None:
        """What is wrong with the deck, for who presents: the room sees it where it stands, if at all."""
        problems = (*self.complaints, *self.session.contents.mistakes)
        if problems and (self.complaints or self.session.role == "console"):
            self.say(problems[0].short + f" ({len(problems) - 1} more)" * (len(problems) > 1))
        self.complaints = ()

    def exit(self, *args: Any, **kwargs: Any) -> None:
        """Leave; what terminals were sent for pictures is taken back first."""
        if "graphics" in self.__dict__:
            self.graphics.end()  # while the terminal still shows us
        super().exit(*args, **kwargs)

    def _watch(self) -> None:
        self.set_interval(1.0, lambda: leave_with_terminal(self))
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGTERM, lambda: self.exit("ended by a signal; the class goes on")
        )

    # --- what changes the screen ------------------------------------------------------------------------

    def _changed(self, what: Change) -> None:
        """The host changed something: a place shows at once, figures and words with the next frame."""
        if what == "called":
            self.say(self.room.called)
            return
        if what in ("panel", "words"):
            self.classroom.frames.want()
            return
        if what == "echo":
            self._follow()
            return
        if what in ("lead", "locked"):
            if driver := not self.session.driving and self.room.driver:
                self.say(f"{driver} drives{' now' if what == 'lead' else ''}; {key_of('lead')} takes over")
            elif what == "lead" and not self.session.state.lead:
                self.say("every console drives", "good")
        if what == "deckless":
            self.run_worker(self.arrival.bring_deck())
        if what == "deck":
            self.call_later(self.arrival.catch_up)
            self.actions.deck_editing.watch_deck()
            self.classroom.forget()
            if not self._chosen_look:
                self.wear(asked_for(self.session.contents.deck.meta), chosen=False)
        self._follow()
        self.arrival.remember()
        self.classroom.show()
        self.classroom.warm_pages()

    def _follow(self) -> None:
        """The class went on: what accompanies it goes along."""
        joined, self._joined = not self._joined and bool(self.room.class_id), bool(self.room.class_id)
        if self.session.state.recording or "studio" in self.__dict__:
            if joined:
                self.studio.pick_up()
            self.studio.follow()
        if "player" in self.__dict__:
            self.player.follow()

    def take_keys(self) -> None:
        """The keys as they are bound now."""
        self.keys = {key: action.name for action in for_role(self.session.seat) for key in action.keys}

    def freshen_colours(self) -> None:
        """The theme worn may have become another one."""
        fresh = Painter(themed_strips.resolve(self.look))
        if fresh.look != self.painter.look:
            self.painter = fresh
            self.classroom.colour(fresh)
            self.classroom.forget()

    def wear(self, theme: str, chosen: bool = True) -> None:
        """Take the colours of a theme; one that was `chosen` is not a deck's to change."""
        self._chosen_look = chosen
        fresh = Painter(themed_strips.resolve(theme))
        if theme != self.look or fresh.look != self.painter.look:  # a theme beside the deck may be another
            self.look, self.painter = theme, fresh
            self.classroom.colour(self.painter)
            self.classroom.show()
            self.classroom.warm_pages()

    def moved(self, moved: bool) -> None:
        """Show the place, if it is another one."""
        if moved:
            self.classroom.drawing.arrived(self.session.index)
            self.room.arrived()
            self._follow()
            self.classroom.show()
            self.classroom.warm_pages()

    def jumped(self, place: tuple[int, int]) -> None:
        """Go to slide and step as a jump, which the way back remembers."""
        self.moved(self.history.jump(place))

    def say(self, text: str, ink: str = "warning") -> None:
        """Show one passing line in the place of the key hints, in the colour named `ink`."""
        self.classroom.say(text, ink)

    def deck_read_again(self) -> None:
        """The session has another revision of the deck: every screen gets it, its new code is asked about."""
        self._changed("deck")

        async def tell() -> None:
            self.room.publish()
            self.room.arrived()  # questions of the slide shown may be new, or other ones
            self.classroom.show()
            await self.ask_to_trust()

        self.call_after_refresh(tell)  # here it is shown first

    # --- what lies over the class -----------------------------------------------------------------------

    async def cover(self, overlay: Overlay) -> None:
        """Lay something over the class, which paints nothing meanwhile if none of it can be seen."""
        self.stop_playing()
        if overlay.covers:
            self.classroom.cover = overlay.freshen
        else:
            self.classroom.above = overlay.freshen
        await self.push_screen(overlay)

    def _uncover(self) -> None:
        self.pop_screen()
        self.classroom.above = None
        if self.classroom.cover is not None:
            self.classroom.cover = None
            self.classroom.show()

    def cancel_recording(self) -> bool:
        """End the countdown to a recording; False where none counts down."""
        return "studio" in self.__dict__ and self.studio.cancel()

    def to_terminal(self, sequence: str) -> None:
        """Write an escape sequence to the terminal past Textual's screen."""
        textual_private.write(self, sequence)

    def stop_playing(self) -> None:
        """Whatever somebody does himself pauses what goes on by itself."""
        if "player" in self.__dict__:
            self.player.pause()
