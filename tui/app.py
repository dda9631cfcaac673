"""The screen: keys and host messages in, slide and panel out. What the keys mean is in `tui.actions`.

The first slide is painted before anything else is begun; the link to the host, the layout of the other slides
and everything they import come after it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widget import Widget

from slides.deck import Demo
from slides.text import Line
from tui import chrome, compat, themes
from tui.actions import for_role
from tui.chrome import Badge, Place
from tui.clock import FrameClock, until_next_second
from tui.drawing import Drawing
from tui.link import Connect
from tui.page import Page
from tui.room import Change, Room
from tui.session import Session
from tui.themes import Painter
from tui.widgets.lines import Lines
from tui.widgets.slide import SlideView

if TYPE_CHECKING:
    from tui.screens.overlay import Found

PLAY_S = 1.2  # a step of Space
SAY_S = 6.0
AGAIN_S = 3.0  # how long a first ctrl+c counts
KEPT_ROWS = 4  # rows of a panel besides one per rank
MARGIN_PAGES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class TeachApp(App[str], inherit_bindings=False):
    """One screen of a class. `run` gives the line to say when the terminal is back to normal."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #middle { height: 1fr; }
    #left { width: 1fr; height: 1fr; }
    #panel { height: 0; }
    #aside { width: 40; height: 1fr; }
    #blank { layer: over; width: 100%; height: 100%; display: none; }
    Screen { layers: base over; overflow: hidden; }
    """

    def __init__(
        self,
        session: Session,
        connect: Connect | None = None,
        *,
        theme: str = "dark",
        console: bool = False,
        watch_tty: bool = False,
    ) -> None:
        super().__init__()
        self.session = session
        self.room = Room(session, self._changed)
        self.drawing = Drawing(self.room)
        self.look = theme
        self.painter = Painter(themes.resolve(theme))
        self._connect = connect
        self._watch_tty = watch_tty
        self._notes_wanted = console
        self._notes_width = 0  # cells the teacher added to the usual width
        self._notes_top = 0
        self._full_panel = False
        self._said: Line = ()
        self._said_n = 0
        self._armed_quit = False
        self._ticking = False
        self._playing = False
        self._warming = False
        self._bottom_rows = 2
        for action in for_role(session.role):
            self.bind(",".join(action.keys), action.name, description=action.text, show=False)
        self.slide = SlideView(self.painter, self.drawing.page, self.drawing.token, self.drawing.wide)
        self.top = Lines(self.painter, self._top_lines, id="top", ground="panel")
        self.panel = Lines(self.painter, self._panel_lines, id="panel")
        self.aside = Lines(self.painter, self._aside_lines, id="aside")
        self.bottom = Lines(self.painter, self._bottom_lines, id="bottom")
        self.blank = Widget(id="blank")
        self.frames = FrameClock(self._paint_frame, self._later, lambda: compat.writer_backlog(self))

    # --- start ------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield self.top
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield self.slide
                yield self.panel
            yield self.aside
        yield self.bottom
        yield self.blank

    def on_mount(self) -> None:
        self._colour()
        self.slide.page = Page(self.session.index, self.session.step)
        self._arrange()
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """What follows the first painted slide."""
        if self._watch_tty:
            self._watch()
        self.room.arrived()
        self._warm_pages()
        if self._connect is not None:
            await self.room.open(self._connect)

    def _watch(self) -> None:
        self.set_interval(1.0, self._check_tty)
        if hasattr(signal, "SIGTERM"):
            import asyncio

            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, lambda: self.exit("ended by a signal; the class goes on"))

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

    def _later(self, seconds: float, call: object) -> None:
        self.set_timer(max(0.001, seconds), call)  # type: ignore[arg-type]

    # --- the arrangement of the screen ------------------------------------------------------------------

    @property
    def small(self) -> bool:
        return self.size.width < chrome.MIN_WIDTH or self.size.height < chrome.MIN_HEIGHT

    @property
    def console_layout(self) -> bool:
        return self._notes_wanted and self.session.role == "console" and not self.small

    def on_resize(self, event: Resize) -> None:
        self._arrange(event.size.width, event.size.height)

    def _arrange(self, width: int = 0, height: int = 0) -> None:
        """Give every part its rows and columns; sizes that stay cost nothing."""
        width, height = width or self.size.width, height or self.size.height
        if self.small:
            self._bottom_rows = 1 if height > 3 else 0
        elif self.session.role == "audience":
            self._bottom_rows = 1
        else:
            self._bottom_rows = 2 if height < 30 else 3
        console = self.console_layout
        beside = console and width >= 90
        self.top.display = console
        self.aside.display = console
        self.bottom.display = self._bottom_rows > 0
        _size(self.bottom, height=self._bottom_rows)
        middle = height - self._bottom_rows - (1 if console else 0)
        left_width = width
        if beside:
            aside = max(30, min(width - 50, int(width * 0.36) + self._notes_width))
            _size(self.aside, width=aside)
            left_width = width - aside
        self.screen.set_class(console and not beside, "-stacked")
        panel = self._panel_rows(left_width, middle)
        self.slide.display = panel < middle
        self.panel.display = panel > 0
        _size(self.panel, height=panel)

    def _panel_rows(self, width: int, room: int) -> int:
        """Rows of the panel: what the slide leaves it, at least a row per rank and four, at most 60 %."""
        demo = self.room.demo()
        if demo is None or self.small:
            return 0
        snapshot = self.room.snapshots.get(demo.id)
        if snapshot is None:
            return 4 if demo.id in self.room.refusals or self.room.alive(demo.id) else 0
        if self._full_panel:
            return room
        slide = self.session.slide
        needed = self.slide.height_of(Page(self.session.index, slide.steps - 1), width) + 1
        least = min(snapshot.world, 12) + KEPT_ROWS + 1
        most = int(0.6 * self.size.height)
        return max(0, min(most, max(least, room - needed), room - 3))

    def _colour(self) -> None:
        ground = self.painter.colour("background") or "ansi_default"
        self.screen.styles.background = ground
        for widget in (self.top, self.panel, self.aside, self.bottom, self.slide):
            widget.painter = self.painter

    def _changed(self, what: Change) -> None:
        """The host changed something: place at once, figures with the next frame."""
        if not self.is_mounted:
            return
        if what == "deck":
            self.slide.forget()
            self._show()
            self._warm_pages()
        elif what == "place":
            self._show()
        elif what == "refused":
            self._full_panel = False
            self._show()
        else:
            self.frames.want()

    def _paint_frame(self) -> None:
        self._arrange()
        self.panel.redraw()
        self.bottom.redraw()
        self.top.redraw()
        self.aside.redraw()

    def _show(self) -> None:
        """Draw the place of the session and all that goes with it."""
        page = Page(self.session.index, self.session.step)
        if page != self.slide.page:
            self._notes_top = 0
        if page.slide != self.slide.page.slide:
            self._full_panel = False
        self._arrange()
        self.slide.show(page)
        for lines in (self.panel, self.bottom, self.top, self.aside):
            lines.redraw()
        self._cover()
        self._tick()

    def _cover(self) -> None:
        """Black and white: the whole screen, but for a console whose screen the room does not see."""
        mode = self.session.state.shown
        covered = mode in ("black", "white") and not self.console_layout
        if covered:
            self.blank.styles.background = "#000000" if mode == "black" else "#ffffff"
        self.blank.display = covered

    def _moved(self, moved: bool) -> None:
        if moved:
            self.room.arrived()
            self._show()
            self._warm_pages()

    def _tick(self) -> None:
        """Wake for the next second of a running clock, and only for that."""
        if self.session.state.timer.running and not self._ticking:
            self._ticking = True
            self._later(until_next_second(self.session.elapsed), self._second)

    def _second(self) -> None:
        self._ticking = False
        self.frames.want()
        self._tick()

    # --- pages laid out ahead ---------------------------------------------------------------------------

    def _warm_pages(self) -> None:
        if not self._warming:
            self._warming = True
            self._later(0.03, self._warm_one)

    def _warm_one(self) -> None:
        """Lay out one page that is likely next, then let keys in before the one after it."""
        width = self.slide.size.width
        cold = next((page for page in self._likely() if not self.slide.has(page, width)), None)
        if cold is None or not width:
            self._warming = False
            gc.collect()
            gc.freeze()
            return
        self.slide.strips(cold, width)
        self._later(0.012, self._warm_one)

    def _likely(self) -> Iterator[Page]:
        """Pages in the order in which they will be wanted: around the place first, then every slide."""
        contents, session = self.session.contents, self.session
        for place in (session.after(), session.before()):
            if place is not None:
                yield Page(*place)
        around = sorted(contents.visible, key=lambda n: abs(n - session.index))
        for index in around[:3]:
            yield from (Page(index, step) for step in range(contents.slide(index).steps))
        for index in around[:120]:
            yield Page(index, 0)
            yield Page(index, contents.slide(index).steps - 1)

    # --- what the parts say -----------------------------------------------------------------------------

    def place(self) -> Place:
        session = self.session
        timer = session.state.timer
        return Place(
            title=session.contents.deck.title or Path(session.contents.deck.path).name,
            section=session.contents.section(session.index),
            number=session.number,
            total=len(session.contents.visible),
            percent=session.percent,
            step=session.step,
            steps=session.slide.steps,
            elapsed=session.elapsed if timer.started else None,
            running=timer.running,
            badges=tuple(self._badges()),
        )

    def _badges(self) -> Iterator[Badge]:
        room, state = self.room, self.session.state
        if room.ended:
            yield Badge("class ended")
        elif room.link_word.startswith("refused"):
            yield Badge(room.link_word, "bad")
        elif room.link_word == "lost":
            again = "restarting" if self.session.role == "console" else "waiting for it"
            yield Badge(f"host lost, {again}", "bad")
        elif room.stage[0] == "lost":
            yield Badge("stage lost, restarting", "bad")
        elif room.stage[0] == "warming" and room.demo() is not None:
            yield Badge("stage warming", "dim")
        if state.shown != "live" and self.session.role == "console":
            yield Badge({"frozen": "room frozen"}.get(state.shown, f"room {state.shown}"))
        elsewhere = [block for block in room.living() if (demo := room.demo()) is None or demo.id != block]
        if elsewhere and self.session.role == "console":
            yield Badge("demo runs on" if len(elsewhere) == 1 else f"{len(elsewhere)} demos run on", "accent")

    def _top_lines(self, width: int, height: int) -> list[Line]:
        live = None
        if living := self.room.living():
            snapshot = self.room.snapshots.get(living[0])
            live = Badge(f"● {snapshot.badge}", "good") if snapshot is not None else None
        return [chrome.top_bar(self.place(), self.session.state.shown, live, width)]

    def _bottom_lines(self, width: int, height: int) -> list[Line]:
        if self.small:
            return [chrome.too_small(self.size.width, self.size.height)]
        footer = chrome.footer(self.place(), width)
        said = self._said
        if height == 1:
            return [said or footer]
        hints = said or chrome.hints(tuple(self._hints()), width)
        return [*([chrome.rule(width)] if height > 2 else []), hints, footer]

    def _hints(self) -> Iterator[tuple[str, str]]:
        """What the keys do right here first, then what they always do."""
        answering, demo = self.room.answering, self.room.demo()
        current = answering.current()
        if current is not None and current[1].phase == "open":
            last = len(current[0].options)
            yield (f"1-{last}", "pick")
            yield ("Enter", "lock")
            yield ("e", "reveal")
        elif current is not None and current[1].phase == "locked":
            yield ("e", "reveal")
        if demo is not None:
            alive = self.room.alive(demo.id)
            yield ("d", "stop" if alive else "start")
            if demo.id in self.room.snapshots:
                yield ("D", "restart")
                yield ("Enter", "slide" if self._full_panel else "full size")
        for key, word in chrome.usual_hints(self.session.role):
            if key not in ("d", "D"):
                yield (key, word)

    def _panel_lines(self, width: int, height: int) -> list[Line]:
        demo = self.room.demo()
        if demo is None:
            return []
        refused = self.room.refusals.get(demo.id)
        snapshot = self.room.snapshots.get(demo.id)
        rule = chrome.rule(width)
        if refused is not None:
            why, mend = refused
            lines: list[Line] = [rule, chrome.message(why, "bad", width), chrome.message(mend, "text", width)]
        elif snapshot is None:
            lines = [rule, chrome.message(f"{demo.name}: {self.room.run_state(demo.id)} …", "dim", width)]
        else:
            lines = [rule]
        if snapshot is not None and height > len(lines):
            from tui.views.panel import panel

            lines += panel(snapshot, width, height - len(lines))
        return lines

    def _aside_lines(self, width: int, height: int) -> list[Line]:
        inner = width - 3 if not self.screen.has_class("-stacked") else width - 2
        lines, self._notes_top = self.drawing.aside(max(1, inner), height, self._notes_top)
        return [((chrome.Span(" " * (width - inner - 1))), *line) for line in lines]

    def say(self, text: str, ink: str = "warning") -> None:
        """A passing line in the place of the hints."""
        if not text:
            return
        self._said = chrome.message(text, ink, self.size.width)
        self._said_n += 1
        self.bottom.redraw()
        self.set_timer(SAY_S, lambda n=self._said_n: self._unsay(n))  # type: ignore[misc]

    def _unsay(self, n: int) -> None:
        if n == self._said_n:
            self._said = ()
            self.bottom.redraw()

    # --- actions: moving --------------------------------------------------------------------------------

    def action_next_step(self) -> None:
        self._stop_playing()
        self._moved(self.session.next())

    def action_previous_step(self) -> None:
        self._stop_playing()
        self._moved(self.session.previous())

    def action_down(self) -> None:
        if not self.slide.scroll_rows(max(1, self.slide.size.height // 4)):
            self.action_next_step()

    def action_up(self) -> None:
        if not self.slide.scroll_rows(-max(1, self.slide.size.height // 4)):
            self.action_previous_step()

    def action_next_slide(self) -> None:
        self._moved(self.session.skip(1))

    def action_previous_slide(self) -> None:
        self._moved(self.session.skip(-1))

    def action_first_slide(self) -> None:
        self._moved(self.session.first())

    def action_last_slide(self) -> None:
        self._moved(self.session.last())

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
            self._later(PLAY_S, self._play_on)
        else:
            self._moved(self.session.next())

    def _play_on(self) -> None:
        if self._playing:
            self._playing = self.session.scrub(1)
            self._moved(self._playing)
            if self._playing:
                self._later(PLAY_S, self._play_on)

    def _stop_playing(self) -> None:
        self._playing = False

    def action_go_to(self) -> None:
        from tui.screens.overlay import Found, Pick

        contents = self.session.contents

        def search(text: str) -> list[Found]:
            return [
                Found((n, 0), str(contents.number(n)), contents.heads[n].title or "(no title)")
                for n in (contents.search(text) if text.strip() else contents.visible)
            ]

        first = (contents.visible[0], 0)
        self.push_screen(Pick(self.painter, "go to", search, again=("g", first)), self._gone_to)

    def _gone_to(self, place: object) -> None:
        if isinstance(place, tuple):
            self._moved(self.session.go(place))

    # --- actions: demo and quiz -------------------------------------------------------------------------

    def _demo_here(self) -> Demo | None:
        demo = self.room.demo()
        if demo is None:
            self.say("no demo on this slide", "dim")
        return demo

    def action_demo(self) -> None:
        if demo := self._demo_here():
            self.room.toggle_demo(demo)
            self._show()

    def action_restart_demo(self) -> None:
        if demo := self._demo_here():
            self.room.launch(demo)
            self._show()

    def action_panel(self) -> None:
        """Enter: lock an open question, else the panel full size and back."""
        if self.room.answering.taking:
            self._answered(self.room.answering.lock())
        elif (demo := self.room.demo()) is not None and demo.id in self.room.snapshots:
            self._full_panel = not self._full_panel
            self._show()

    def action_pick(self, number: int) -> None:
        self._answered(self.room.answering.pick(number - 1))

    def action_reveal(self) -> None:
        self._answered(self.room.answering.reveal())

    def action_undo(self) -> None:
        if not self.session.undo():
            self.say("nothing of this screen to take back", "dim")

    def _answered(self, complaint: str) -> None:
        self.say(complaint)
        self._show()

    # --- actions: room and time -------------------------------------------------------------------------

    def _toggle_shown(self, mode: str) -> None:
        from runtime.liveclass import Show

        self.session.act(Show("live" if self.session.state.shown == mode else mode))  # type: ignore[arg-type]
        self._show()

    def action_blank(self) -> None:
        self._toggle_shown("black")

    def action_white(self) -> None:
        self._toggle_shown("white")

    def action_freeze(self) -> None:
        self._toggle_shown("frozen")

    def action_timer(self) -> None:
        from runtime.liveclass import Timer

        self.session.act(Timer("pause" if self.session.state.timer.running else "start"))
        self._show()

    def action_start_talk(self) -> None:
        """F5 of a clicker: un-blank, or start the clock; never anything else."""
        if self.session.state.shown in ("black", "white"):
            self._toggle_shown(self.session.state.shown)
        elif not self.session.state.timer.running:
            self.action_timer()

    # --- actions: the screen itself ---------------------------------------------------------------------

    def action_layout(self) -> None:
        if self.small:
            self.say("the console needs 60x16", "dim")
            return
        self._notes_wanted = not self._notes_wanted
        self._show()

    def action_notes_larger(self) -> None:
        self._widen(4)

    def action_notes_smaller(self) -> None:
        self._widen(-4)

    def _widen(self, by: int) -> None:
        self._notes_width = max(-60, min(60, self._notes_width + by))
        self._show()

    def action_notes_down(self) -> None:
        self._notes_top += 3
        self.aside.redraw()

    def action_notes_up(self) -> None:
        self._notes_top = max(0, self._notes_top - 3)
        self.aside.redraw()

    def action_theme(self) -> None:
        names = themes.CYCLE
        at = names.index(self.look) if self.look in names else -1
        self.look = names[(at + 1) % len(names)]
        self.painter = Painter(themes.resolve(self.look))
        self._colour()
        self._show()
        self.say(f"theme {self.look}", "dim")
        self._warm_pages()

    def action_reload(self) -> None:
        """Read the deck's file again; when it cannot be read the deck shown stays."""
        from slides.split import DeckError, load
        from tui.session import Contents

        try:
            deck = load(self.session.contents.deck.path)
        except DeckError as error:
            self.say(f"{error.problem} The deck shown stays.", "bad")
            return
        if deck.rev == self.session.contents.rev:
            self.say("the deck is unchanged", "dim")
            return
        self.session.replace_deck(Contents(deck))
        self.room.publish()
        self._changed("deck")
        self.say("the deck was read again", "good")

    def action_palette(self) -> None:
        from tui.actions import label
        from tui.screens.overlay import Found, Pick

        entries = [
            Found(action.name, label(action.keys[0]), action.text)
            for action in for_role(self.session.role)
            if action.name != "palette"
        ]

        def search(text: str) -> list[Found]:
            words = text.casefold().split()
            return [e for e in entries if all(word in e.text.casefold() for word in words)]

        self.push_screen(Pick(self.painter, "command", search), self._commanded)

    async def _commanded(self, name: object) -> None:
        if isinstance(name, str):
            await self.run_action(name)

    def action_help(self) -> None:
        from tui.screens.overlay import Help

        self.push_screen(Help(self.painter, self.session.role))

    def action_close(self) -> None:
        """Esc: one thing less on the screen; never quits."""
        self._stop_playing()
        demo = self.room.demo()
        if self.session.role == "console" and self.session.state.shown in ("black", "white"):
            self._toggle_shown(self.session.state.shown)
        elif self._said:
            self._said = ()
            self.bottom.redraw()
        elif demo is not None and demo.id in self.room.refusals:
            del self.room.refusals[demo.id]
            self._show()
        elif self._full_panel:
            self._full_panel = False
            self._show()

    # --- actions: leaving -------------------------------------------------------------------------------

    async def action_quit(self) -> None:
        if self.session.role == "console" and self.room.living():
            from tui.screens.overlay import Ask

            self.push_screen(Ask(self.painter, "A demo runs. Quit and end it?"), self._quit_answered)
        else:
            self._leave()

    def _quit_answered(self, yes: bool | None) -> None:
        if yes:
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


def _size(widget: Widget, *, width: int | None = None, height: int | None = None) -> None:
    """Set a size only when it is another one: every setting lays the screen out again."""
    styles = widget.styles
    if width is not None and (styles.width is None or styles.width.value != width):
        styles.width = width
    if height is not None and (styles.height is None or styles.height.value != height):
        styles.height = height
