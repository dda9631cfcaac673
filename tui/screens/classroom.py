"""The screen of a class: slide, panel, notes and the lines around them, arranged for any terminal size."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget

from slides.deck import Demo
from slides.text import Line, Span
from tui import arrangement, chrome, compat
from tui.chrome import Badge, Place
from tui.clock import FrameClock, until_next_second
from tui.drawing import Drawing
from tui.page import Page
from tui.room import Room
from tui.session import Session
from tui.themes import Painter
from tui.widgets.lines import Lines
from tui.widgets.slide import SlideView

SAY_S = 6.0


class Blank(Widget, can_focus=False, inherit_bindings=False):
    """A screen of one colour."""

    def render(self) -> str:
        return ""


class Classroom(Screen[None], inherit_bindings=False):
    """Draws the session and the room; decides nothing about them."""

    DEFAULT_CSS = """
    Classroom { layers: base over; overflow: hidden; }
    #middle { height: 1fr; }
    #left { width: 1fr; height: 1fr; }
    #aside { width: 40; height: 1fr; }
    #blank { layer: over; width: 100%; height: 100%; display: none; }
    Classroom.-stacked #middle { layout: vertical; }
    Classroom.-stacked #aside { width: 1fr; }
    """

    def __init__(self, session: Session, room: Room, painter: Painter, *, notes: bool = False) -> None:
        super().__init__()
        self.session, self.room, self.painter = session, room, painter
        self.drawing = Drawing(room)
        self.drawing.coloured = False
        self.notes_wanted = notes
        self.notes_width = 0  # cells the teacher added to the usual width
        self.notes_top = 0
        self.cover: Callable[[], None] | None = None  # what lies over the whole screen is freshened instead
        self.above: Callable[[], None] | None = None  # what lies over a part of it, besides
        self._said: Line = ()
        self._said_n = 0
        self._ticking = False
        self._warming = False
        self.warm = False  # every page that is likely to be wanted is drawn
        self._bottom_rows = 2
        self.slide = SlideView(painter, self.drawing.page, self.drawing.token, self.drawing.wide)
        self.top = Lines(painter, self._top_lines, id="top", ground="panel")
        self.panel = Lines(painter, self._panel_lines, id="panel")
        self.aside = Lines(painter, self._aside_lines, id="aside")
        self.bottom = Lines(painter, self._bottom_lines, id="bottom")
        self.blank = Blank(id="blank")
        self.frames = FrameClock(self._paint_frame, self.later, lambda: compat.writer_backlog(self.app))

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
        self.colour(self.painter)
        self.slide.page = Page(self.session.index, self.session.step)
        self._arrange()

    def first_painted(self) -> None:
        """The first slide is on the terminal: colours for its code, then the slides around it."""
        self.drawing.coloured = True
        self.slide.freshen()
        self.warm_pages()

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        # The app's timer: for every message to a screen that something lies over, Textual paints it again.
        self.app.set_timer(max(0.001, seconds), call)

    # --- the arrangement of the screen ------------------------------------------------------------------

    @property
    def small(self) -> bool:
        return self.size.width < chrome.MIN_WIDTH or self.size.height < chrome.MIN_HEIGHT

    @property
    def console_layout(self) -> bool:
        return self.notes_wanted and self.session.role == "console" and not self.small

    def on_resize(self, event: Resize) -> None:
        self._arrange(event.size.width, event.size.height)

    def _arrange(self, width: int = 0, height: int = 0) -> None:
        """Give every part its rows and columns; sizes that stay cost nothing."""
        width, height = width or self.size.width, height or self.size.height
        if self.small:
            self._bottom_rows = 1 if height > 3 else 0
        else:
            self._bottom_rows = arrangement.bottom_rows(height, self.session.role)
        console = self.console_layout
        beside = console and width >= 90
        self.top.display = console
        self.aside.display = console
        self.bottom.display = self._bottom_rows > 0
        _size(self.bottom, height=self._bottom_rows)
        middle = height - self._bottom_rows - (1 if console else 0)
        left_width = width
        if beside:
            aside = max(30, min(width - 50, int(width * 0.36) + self.notes_width))
            _size(self.aside, width=aside, height=middle)
            left_width = width - aside
        stacked = console and not beside
        self.set_class(stacked, "-stacked")
        below = max(6, middle // 4) if stacked else 0
        panel = self._panel_rows(left_width, middle - below)
        if stacked:
            _size(self.aside, height=below if panel else middle * 2 // 5)
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
        if self.session.state.look.full:
            return room
        slide = self.session.slide
        needed = self.slide.height_of(Page(self.session.index, slide.steps - 1), width) + 1
        return arrangement.panel_rows(snapshot.world, needed, room, self.size.height)

    def colour(self, painter: Painter) -> None:
        """Take the colours of a theme."""
        self.painter = painter
        ground = self.painter.colour("background") or "ansi_default"
        self.styles.background = ground
        for widget in (self.top, self.panel, self.aside, self.bottom, self.slide):
            widget.painter = self.painter

    def _paint_frame(self) -> None:
        if self.cover is not None:
            self.cover()
            return
        self._arrange()
        self.slide.freshen()
        self.panel.redraw()
        self.bottom.redraw()
        self.top.redraw()
        self.aside.redraw()
        if self.above is not None:
            self.above()

    def show(self) -> None:
        """Draw the place of the session and all that goes with it."""
        if self.cover is not None:
            self.cover()
            self._tick()
            return
        page = Page(self.session.index, self.session.step)
        if page != self.slide.page:
            self.notes_top = 0
        self._arrange()
        self.slide.show(page)
        for lines in (self.panel, self.bottom, self.top, self.aside):
            lines.redraw()
        self._blank_out()
        self._tick()

    def _blank_out(self) -> None:
        """Black and white: the whole screen, but for a console whose screen the room does not see."""
        mode = self.session.state.shown
        covered = mode in ("black", "white") and not self.console_layout
        if covered:
            self.blank.styles.background = "#000000" if mode == "black" else "#ffffff"
        self.blank.display = covered

    def _tick(self) -> None:
        """Wake for the next second of a running clock, and only for that."""
        if self.session.state.timer.running and not self._ticking:
            self._ticking = True
            self.later(until_next_second(self.session.elapsed), self._second)

    def _second(self) -> None:
        self._ticking = False
        self.frames.want()
        self._tick()

    # --- pages laid out ahead ---------------------------------------------------------------------------

    def warm_pages(self) -> None:
        self.warm = False
        if not self._warming:
            self._warming = True
            self.later(0.03, self._warm_one)

    def _warm_one(self) -> None:
        """Lay out one page that is likely next, then let keys in before the one after it."""
        width = self.slide.size.width
        cold = next((page for page in self._likely() if not self.slide.has(page, width)), None)
        if cold is None or not width:
            self._warming = False
            self.warm = True
            gc.collect()
            gc.freeze()
            return
        self.slide.strips(cold, width)
        self.later(0.012, self._warm_one)

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
            label=session.contents.label(session.index),
            backups=len(session.contents.backup),
        )

    def _badges(self) -> Iterator[Badge]:
        room, state = self.room, self.session.state
        if room.ended:
            yield Badge("class ended")
        elif room.refused:
            yield Badge("not connected", "bad")
        elif room.link_word == "lost":
            again = "restarting" if self.session.role == "console" else "waiting for it"
            yield Badge(f"host lost, {again}", "bad")
        elif room.stage[0] == "lost":
            yield Badge("stage lost, restarting", "bad")
        elif room.stage[0] in ("warming", "absent") and room.demo() is not None:
            yield Badge(f"stage {room.stage[0]}", "dim" if room.stage[0] == "warming" else "warning")
        if room.unsaved:
            yield Badge(f"not saved: {room.unsaved}", "bad")
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

    def footer(self, width: int, status: Line = ()) -> Line:
        return chrome.footer(self.place(), width, status)

    def _bottom_lines(self, width: int, height: int) -> list[Line]:
        if self.small:
            return [chrome.too_small(self.size.width, self.size.height)]
        # Under a stacked console the top bar has the place, and only here is room for what goes on.
        status = self.drawing.status_line() if self.has_class("-stacked") else ()
        footer = self.footer(width, status)
        said = self._said
        if not said and self.room.refused:
            said = chrome.message(self.room.refused, "bad", width)
        if height == 1:
            return [said or footer]
        hints = said or chrome.hints(tuple(self._hints()), width)
        above = [chrome.rule(width)] if height > 2 else []
        return [*above, hints, *[()] * (height - len(above) - 2), footer]

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
            yield from self._demo_hints(demo, alive)
        for key, word in chrome.usual_hints(self.session.role):
            if key not in ("d", "D"):
                yield (key, word)

    def _demo_hints(self, demo: Demo, alive: bool) -> Iterator[tuple[str, str]]:
        snapshot = self.room.snapshots.get(demo.id)
        if snapshot is None:
            yield ("e", "edit")
            yield ("s", "recorded")
            return
        yield ("1-9", "view")
        yield ("Enter", "back" if self.session.state.look.full else "full size")
        if snapshot.playback is not None:
            yield ("Space", "pause")
            yield ("P", "speed")
        elif alive and snapshot.state == "running":
            yield ("P", "pace")
            yield ("!", "break")
            yield ("x", "x-ray")
        yield ("e", "edit")
        yield ("r", "rank")
        if not alive and snapshot.playback is None:
            yield ("s", "recorded")

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

            hints = self.session.role == "console"
            look = self.session.state.look
            room = height - len(lines)
            lines += panel(snapshot, width, room, hints=hints, view=look.view, rank=look.rank)
        return lines

    def _aside_lines(self, width: int, height: int) -> list[Line]:
        inner = max(1, width - 5)
        if self.has_class("-stacked"):
            lines, self.notes_top = self.drawing.notes_below(inner, height - 1, self.notes_top)
            return [chrome.rule(width), *(((Span("   ")), *line) for line in lines)]
        lines, self.notes_top = self.drawing.aside(inner, height, self.notes_top)
        return [((Span("  ")), *line) for line in lines]

    def say(self, text: str, ink: str = "warning") -> None:
        """A passing line in the place of the hints."""
        if not text:
            return
        self._said = chrome.message(text, ink, self.size.width)
        self._said_n += 1
        self.bottom.redraw()
        n = self._said_n
        self.later(SAY_S, lambda: self._expire(n))

    def _expire(self, n: int) -> None:
        if n == self._said_n:
            self.unsay()

    def unsay(self) -> bool:
        """Take the passing line away; False where there is none."""
        if not self._said:
            return False
        self._said = ()
        self.bottom.redraw()
        return True


def _size(widget: Widget, *, width: int | None = None, height: int | None = None) -> None:
    """Set a size only when it is another one: every setting lays the screen out again."""
    styles = widget.styles
    if width is not None and (styles.width is None or styles.width.value != width):
        styles.width = width
    if height is not None and (styles.height is None or styles.height.value != height):
        styles.height = height
