"""The program: a class, the screen that shows it, and what each key does. The keys are in `tui.actions`.

The first slide is painted before anything else is begun; the link to the host and what it imports come after.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App
from textual.events import Event, Key
from textual.screen import Screen

from slides.deck import Demo
from tui import themes
from tui.actions import for_role, label
from tui.link import Connect
from tui.room import Change, Room
from tui.screens.classroom import Classroom
from tui.screens.overlay import Ask, Found, Help, Overlay, Pick
from tui.session import Contents, Session
from tui.themes import Painter
from tui.trail import Trail

if TYPE_CHECKING:
    from tui.overview import Thumbnails
    from tui.search import Index

PLAY_S = 1.2  # a step of Space
AGAIN_S = 3.0  # how long a first ctrl+c counts


class TeachApp(App[str], inherit_bindings=False):
    """One screen of a class. `run` gives the line to say when the terminal is back to normal."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        session: Session,
        connect: Connect | None = None,
        *,
        theme: str = "dark",
        console: bool = False,
        joining: bool = False,
        others: Callable[[], list[str]] = list,
        watch_tty: bool = False,
    ) -> None:
        super().__init__()
        self.session = session
        self.room = Room(session, self._changed, joining)
        self.look = theme
        self.painter = Painter(themes.resolve(theme))
        self.classroom = Classroom(session, self.room, self.painter, notes=console)
        self._connect = connect
        self._others = others
        self._watch_tty = watch_tty
        self._armed_quit = False
        self._playing = False
        self.trail = Trail(session)
        self._thumbnails: Thumbnails | None = None
        self._index: Index | None = None
        self.keys = {key: action.name for action in for_role(session.role) for key in action.keys}

    def get_default_screen(self) -> Screen[None]:
        return self.classroom

    async def on_event(self, event: Event) -> None:
        """Keys are done here, one after the other.

        By the way of Textual's bindings a key travels through the queues of two widgets first, and one typed
        right after `g` would overtake the list that `g` opens.
        """
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(overlay := self.screen, Overlay):
            if (closed := overlay.press(event)) is not None:
                self._uncover()
                if closed.value is not None and overlay.finish is not None:
                    await overlay.finish(closed.value)
        elif (name := self.keys.get(event.key)) is not None:
            await self.run_action(name)

    # --- start ------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """What follows the first painted slide."""
        if self._watch_tty:
            self._watch()
        self.classroom.first_painted()
        self.room.arrived()
        if self._connect is not None:
            await self.room.open(self._connect)
            for other in self._others()[:1]:
                self.say(f"another class goes on: `teachrun attach --class {other}` joins it", "dim")
        self._say_problems()

    def _say_problems(self) -> None:
        """What is wrong with the deck as a whole: it stands on no slide."""
        problems = self.session.contents.deck.problems
        if problems and self.session.role == "console":
            more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
            self.say(f"{problems[0]}{more}")

    def _watch(self) -> None:
        self.set_interval(1.0, self._check_tty)
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGTERM, lambda: self.exit("ended by a signal; the class goes on")
        )

    def _check_tty(self) -> None:
        """Leave when the terminal is gone: Textual's input thread would spin on it for ever."""
        try:
            gone = sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())
        except (OSError, ValueError):
            gone = True
        if gone:
            last_resort = threading.Timer(3, os._exit, (1,))
            last_resort.daemon = True
            last_resort.start()
            self.exit("")

    def _changed(self, what: Change) -> None:
        """The host changed something: a place shows at once, figures and words with the next frame."""
        if what in ("panel", "words"):
            self.classroom.frames.want()
            return
        if what == "deck":
            self.classroom.slide.forget()
            if self._thumbnails is not None:
                self._thumbnails.forget()
        self.classroom.show()
        self.classroom.warm_pages()

    def _moved(self, moved: bool) -> None:
        if moved:
            self.room.arrived()
            self.classroom.show()
            self.classroom.warm_pages()

    def _jumped(self, place: tuple[int, int]) -> None:
        self._moved(self.trail.jump(place))

    def say(self, text: str, ink: str = "warning") -> None:
        self.classroom.say(text, ink)

    async def _cover(self, overlay: Overlay) -> None:
        """Lay something over the class, which paints nothing meanwhile if none of it can be seen."""
        self._stop_playing()
        if overlay.covers:
            self.classroom.cover = overlay.freshen
        await self.push_screen(overlay)

    def _uncover(self) -> None:
        self.pop_screen()
        if self.classroom.cover is not None:
            self.classroom.cover = None
            self.classroom.show()

    # --- actions: moving --------------------------------------------------------------------------------

    def action_next_step(self) -> None:
        self._stop_playing()
        self._moved(self.session.next())

    def action_previous_step(self) -> None:
        self._stop_playing()
        self._moved(self.session.previous())

    def action_down(self) -> None:
        if not self.classroom.slide.scroll_rows(max(1, self.classroom.slide.size.height // 4)):
            self.action_next_step()

    def action_up(self) -> None:
        if not self.classroom.slide.scroll_rows(-max(1, self.classroom.slide.size.height // 4)):
            self.action_previous_step()

    def action_next_slide(self) -> None:
        self._moved(self.session.skip(1))

    def action_previous_slide(self) -> None:
        self._moved(self.session.skip(-1))

    def action_first_slide(self) -> None:
        self._jumped((self.session.contents.visible[0], 0))

    def action_last_slide(self) -> None:
        self._jumped((self.session.contents.visible[-1], 0))

    def action_scrub_forward(self) -> None:
        self._stop_playing()
        self._moved(self.session.scrub(1))

    def action_scrub_back(self) -> None:
        self._stop_playing()
        self._moved(self.session.scrub(-1))

    def action_play(self) -> None:
        """Play the slide's remaining steps; with none left, go on to the next slide."""
        if self._playing:
            self._stop_playing()
        elif self.session.scrub(1):
            self._moved(True)
            self._playing = True
            self.classroom.later(PLAY_S, self._play_on)
        else:
            self._moved(self.session.next())

    def _play_on(self) -> None:
        if self._playing:
            self._playing = self.session.scrub(1)
            self._moved(self._playing)
            if self._playing:
                self.classroom.later(PLAY_S, self._play_on)

    def _stop_playing(self) -> None:
        self._playing = False

    async def action_go_to(self) -> None:
        contents = self.session.contents

        def search(text: str) -> list[Found]:
            return [
                Found((n, 0), str(contents.number(n)), contents.heads[n].title or "(no title)")
                for n in (contents.search(text) if text.strip() else contents.visible)
            ]

        first = (contents.visible[0], 0)
        await self._cover(Pick(self.painter, "go to", search, self._gone_to, again=("g", first)))

    async def _gone_to(self, place: tuple[int, int]) -> None:
        self._jumped(place)

    # --- actions: finding -------------------------------------------------------------------------------

    async def action_overview(self) -> None:
        from tui.overview import Thumbnails
        from tui.screens.finding import Overview

        if self._thumbnails is None:
            self._thumbnails = Thumbnails(self.classroom.drawing.page, self.classroom.drawing.token)
        footer = self.classroom.footer
        await self._cover(
            Overview(self.painter, self.room, self.trail, self._thumbnails, footer, self._chosen)
        )

    async def _chosen(self, index: int) -> None:
        if index != self.session.index:
            self._jumped((index, 0))

    async def action_search(self) -> None:
        from tui.screens.finding import Search
        from tui.search import Index

        if self._index is None or self._index.contents is not self.session.contents:
            self._index = Index(self.session.contents, self.room.answering.parsed)
        rows = max(8, self.size.height // 3)
        await self._cover(Search(self.painter, self._index, rows, self._gone_to))

    def action_history(self) -> None:
        """Back to where the newest jump began."""
        if self.trail.back():
            self._moved(True)
            self.say(f"back on slide {self.session.number}", "dim")
        else:
            self.say("no jump to go back from", "dim")

    def action_bookmark(self) -> None:
        before = self.session.index
        did = self.trail.toggle_bookmark()
        self._moved(self.session.index != before)
        word = {
            "set": f"slide {self.session.number} is the bookmark: B comes back to it",
            "gone to": f"back on the bookmark, slide {self.session.number}",
            "cleared": "the bookmark is taken away",
        }[did]
        self.say(word, "dim")

    # --- actions: demo and quiz -------------------------------------------------------------------------

    def _demo_here(self) -> Demo | None:
        demo = self.room.demo()
        if demo is None:
            self.say("no demo on this slide", "dim")
        return demo

    def action_demo(self) -> None:
        if demo := self._demo_here():
            self.room.toggle_demo(demo)
            self.classroom.show()

    def action_restart_demo(self) -> None:
        if demo := self._demo_here():
            self.room.launch(demo)
            self.classroom.show()

    def action_panel(self) -> None:
        """Enter: lock an open question, else the panel full size and back."""
        if self.room.answering.taking:
            self._answered(self.room.answering.lock())
        elif (demo := self.room.demo()) is not None and demo.id in self.room.snapshots:
            self.classroom.full_panel = not self.classroom.full_panel
            self.classroom.show()

    def action_pick(self, number: int) -> None:
        self._answered(self.room.answering.pick(number - 1))

    def action_reveal(self) -> None:
        self._answered(self.room.answering.reveal())

    def action_undo(self) -> None:
        if not self.session.undo():
            self.say("nothing of this screen to take back", "dim")

    def _answered(self, complaint: str) -> None:
        self.say(complaint)
        self.classroom.show()

    # --- actions: room and time -------------------------------------------------------------------------

    def _toggle_shown(self, mode: str) -> None:
        from runtime.liveclass import Show

        self.session.act(Show("live" if self.session.state.shown == mode else mode))  # type: ignore[arg-type]
        self.classroom.show()

    def action_blank(self) -> None:
        self._toggle_shown("black")

    def action_white(self) -> None:
        self._toggle_shown("white")

    def action_freeze(self) -> None:
        self._toggle_shown("frozen")

    def action_timer(self) -> None:
        from runtime.liveclass import Timer

        self.session.act(Timer("pause" if self.session.state.timer.running else "start"))
        self.classroom.show()

    def action_start_talk(self) -> None:
        """F5 of a clicker: un-blank, or start the clock; never anything else."""
        if self.session.state.shown in ("black", "white"):
            self._toggle_shown(self.session.state.shown)
        elif not self.session.state.timer.running:
            self.action_timer()

    # --- actions: the screen itself ---------------------------------------------------------------------

    def action_layout(self) -> None:
        if self.classroom.small:
            self.say("the console needs 60x16", "dim")
            return
        self.classroom.notes_wanted = not self.classroom.notes_wanted
        self.classroom.show()

    def action_notes_larger(self) -> None:
        self._widen(4)

    def action_notes_smaller(self) -> None:
        self._widen(-4)

    def _widen(self, by: int) -> None:
        self.classroom.notes_width = max(-60, min(60, self.classroom.notes_width + by))
        self.classroom.show()

    def action_notes_down(self) -> None:
        self.classroom.notes_top += 3
        self.classroom.aside.redraw()

    def action_notes_up(self) -> None:
        self.classroom.notes_top = max(0, self.classroom.notes_top - 3)
        self.classroom.aside.redraw()

    def action_theme(self) -> None:
        names = themes.CYCLE
        at = names.index(self.look) if self.look in names else -1
        self.look = names[(at + 1) % len(names)]
        self.painter = Painter(themes.resolve(self.look))
        self.classroom.colour(self.painter)
        self.classroom.show()
        self.say(f"theme {self.look}", "dim")
        self.classroom.warm_pages()

    def action_reload(self) -> None:
        """Read the deck's file again; when it cannot be read the deck shown stays."""
        from slides.split import DeckError, load

        try:
            deck = load(self.session.contents.deck.path)
        except DeckError as error:
            self.say(f"the deck shown stays: {error.problem}", "bad")
            return
        if deck.rev == self.session.contents.rev:
            self.say("the deck is unchanged", "dim")
            return
        self.session.replace_deck(Contents(deck))
        self.room.publish()
        self._changed("deck")
        self.say("the deck was read again", "good")
        self._say_problems()

    async def action_palette(self) -> None:
        entries = [
            Found(action.name, label(action.keys[0]), action.text)
            for action in for_role(self.session.role)
            if action.name != "palette"
        ]

        def search(text: str) -> list[Found]:
            words = text.casefold().split()
            return [e for e in entries if all(word in e.text.casefold() for word in words)]

        await self._cover(Pick(self.painter, "command", search, self._commanded))

    async def _commanded(self, name: str) -> None:
        await self.run_action(name)

    async def action_help(self) -> None:
        await self._cover(Help(self.painter, self.session.role))

    def action_close(self) -> None:
        """Esc: one thing less on the screen; never quits."""
        self._stop_playing()
        demo = self.room.demo()
        if self.session.role == "console" and self.session.state.shown in ("black", "white"):
            self._toggle_shown(self.session.state.shown)
        elif self.classroom.unsay():
            pass
        elif demo is not None and demo.id in self.room.refusals:
            del self.room.refusals[demo.id]
            self.classroom.show()
        elif self.classroom.full_panel:
            self.classroom.full_panel = False
            self.classroom.show()

    # --- actions: leaving -------------------------------------------------------------------------------

    async def action_quit(self) -> None:
        last = self.session.role == "console" and self.room.consoles <= 1
        if last and self.room.living():
            await self._cover(Ask(self.painter, "A demo runs. Quit and end it?", self._quit_answered))
        else:
            self._leave()

    async def _quit_answered(self, yes: bool) -> None:
        self._leave()

    def action_interrupt(self) -> None:
        """ctrl+c: a running demo first, then the screen."""
        if self._armed_quit:
            self._leave()
            return
        living = self.room.living() if self.session.role == "console" else []
        for block in living:
            self.room.stop(block)
        self._armed_quit = True
        self.set_timer(AGAIN_S, self._disarm)
        self.say("the demo is stopping; ctrl+c again quits" if living else "ctrl+c again quits")

    def _disarm(self) -> None:
        self._armed_quit = False

    def _leave(self) -> None:
        self.run_worker(self._leaving(), exclusive=True, group="leave")

    async def _leaving(self) -> None:
        """The last console ends the class and everything of it; any other screen only goes away."""
        room = self.room
        word = ""
        if self._connect is not None and self.session.role == "console" and not room.ended:
            if room.consoles > 1:
                word = f"this screen left; the class goes on at {room.consoles - 1} other"
            else:
                self.say("ending the class …", "dim")
                word = await room.end_class()
        await room.close()
        self.exit(word)
