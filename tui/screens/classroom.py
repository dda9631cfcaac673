"""The screen of a class: slide, panel, notes and the lines around them, arranged for any terminal size."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize

from runtime.classroom.state import Position
from slides.drawing import cells
from slides.drawing.text import Line, Span
from tui.classroom import status as classroom_status
from tui.classroom.clock_and_percent import room_sees
from tui.classroom.position.place_in_talk import Badge
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck import header_and_footer_of_slide
from tui.panes import demo_pane, output_pane, screen_layout
from tui.panes.console import console_bar
from tui.panes.console.console_layout import Parts, divide
from tui.panes.console.next_step import Foreshadowed
from tui.panes.edges import footer_lines, page_header
from tui.panes.edges.brief_message import PassingLine
from tui.panes.edges.footer_lines import DIM
from tui.panes.edges.key_hints import Hint, hints
from tui.panes.machine_room_of_run import RunRoom
from tui.rendering.compositor import ByRows
from tui.rendering.frame_clock import Alarm, FrameClock, later
from tui.rendering.pages.page import Page
from tui.rendering.pages.slide_painter import Drawing
from tui.rendering.textual_private import writer_backlog
from tui.rendering.themed_strips import Painter
from tui.views.view import Paint
from tui.widgets.full_cover import Over
from tui.widgets.lines import Lines
from tui.widgets.prefetch import Warming
from tui.widgets.sizes import size
from tui.widgets.slide import SlideView

if TYPE_CHECKING:
    from tui.graphics.picture_cache import Pixels
    from tui.panes.console.console_panes import ConsolePanes
    from tui.panes.overview import Thumbnails


class Classroom(ByRows, inherit_bindings=False):
    """Draws the session and the room; decides nothing about them."""

    DEFAULT_CSS = """
    Classroom { layers: base over; overflow: hidden; }
    #middle { height: 1fr; }
    #left { width: 1fr; height: 1fr; } #aside { width: 40; height: 1fr; }
    #blank, #card { layer: over; width: 100%; height: 100%; display: none; }
    Classroom.-stacked #middle { layout: vertical; } Classroom.-stacked #aside { width: 1fr; }
    """

    def __init__(self, session: Session, room: Room, painter: Painter, *, notes: bool = False) -> None:
        super().__init__()
        self.session, self.room, self.painter = session, room, painter
        self.drawing = Drawing(room)
        self.drawing.coloured = False
        self.notes_wanted = notes
        self.output_top: int | None = None  # lines of a snippet's output above those shown; None: its end
        self.cover: Callable[[], None] | None = None  # what lies over the whole screen is freshened instead
        self.above: Callable[[], None] | None = None  # what lies over a part of it, besides
        self.signs: list[Callable[[], Badge | None]] = []  # of what accompanies the class, in the footer
        self.notice: Callable[[int], Line] | None = None  # what stands in the place of the hints meanwhile
        self.banner: Callable[[int], Line] = lambda width: ()  # the same, while nothing passing is said there
        self.bare = False  # full screen: nothing beside the slide
        self._caption: str | None = None  # what is narrated; None: nothing is, and it has no rows
        self._said = PassingLine(self.later, self._said_changed)
        self._alarm = Alarm(self.second, self.later)
        self._bottom_rows = 2
        self._at = Position()  # where the class was when it was drawn last
        self.slide = SlideView(painter, Foreshadowed(self.drawing, lambda: self.console_layout))
        self.top = Lines(painter, self._top_lines, id="top", ground="panel")
        self.head = Lines(painter, partial(page_header.lines, session, self.drawing), id="head")
        self.panel = Lines(painter, self._panel_lines, id="panel")
        self.run_room = RunRoom(
            room, lambda: self.slide.moves, self.later, self.panel.redraw, self.drawing.scenes
        )
        self.aside = Lines(painter, self._aside_lines, id="aside")
        self.below = Lines(painter, self._below_lines, id="below")
        self.captions = Lines(painter, self._caption_lines, id="captions", ground="panel")
        self.bottom = Lines(painter, self._bottom_lines, id="bottom")
        self.over = Over(painter, room)
        self.frames = FrameClock(self._paint_frame, self.later, lambda: writer_backlog(self.app))
        self._warming = Warming(session, self.slide, self.later, self._make_thumbnail)
        self.slide.resized = self.warm_pages

    def compose(self) -> ComposeResult:
        yield self.top
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield self.head
                yield self.slide
                yield self.panel
                yield self.below
            yield self.aside
        yield self.captions
        yield self.bottom
        yield from self.over.widgets

    def on_mount(self) -> None:
        self.colour(self.painter)
        self.slide.page = Page(self.session.index, self.session.step)
        self._arrange()

    @cached_property
    def aside_view(self) -> ConsolePanes:
        """What the console draws: imported when there is one."""
        from tui.panes.console.console_panes import ConsolePanes

        return ConsolePanes(self.room, self.drawing)

    @cached_property
    def thumbnails(self) -> Thumbnails:
        """All slides in small, as the overview shows them."""
        from tui.panes.overview import Thumbnails

        return Thumbnails(self.drawing.small, self.drawing.small_token)

    def first_painted(self, pictured: Callable[[], object]) -> None:
        """The first slide is on the terminal: its colours and pictures, then the slides around it.

        `pictured` is called when the first picture is wanted.
        """
        ready = partial(asyncio.get_running_loop().call_soon_threadsafe, self.frames.want)
        self.drawing.coloured = True
        self.drawing.have_pictures(ready, cache(pictured))
        self.slide.freshen()
        self.warm_pages()

    def show_pictures_by(self, pixels: Pixels | None) -> None:
        """The terminal has pixels for them, or none any more."""
        assert self.drawing.gallery is not None
        self.drawing.gallery.show_by(pixels)
        self.drawing.scenes.show_by(pixels)
        self.frames.want()

    @property
    def warm(self) -> bool:
        """Whether every page that is likely to be wanted is drawn."""
        return self._warming.done

    def warm_pages(self) -> None:
        """Draw the pages that are likely to be wanted next, when the loop has nothing to do."""
        if self.drawing.coloured:  # nothing else is drawn before the first slide is painted
            self._warming.begin()

    def forget(self) -> None:
        """Another revision of the deck. Pages name the one that they are of, files and places do not."""
        self.thumbnails.forget()
        if self.drawing.gallery is not None:
            self.drawing.gallery.forget()

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """By the app: for every message to a screen that something lies over, Textual paints it again."""
        later(self.app, seconds, call)

    # --- the arrangement of the screen ------------------------------------------------------------------

    @property
    def small(self) -> bool:
        """Whether the terminal is smaller than a class can be held on."""
        return self.size.width < footer_lines.MIN_WIDTH or self.size.height < footer_lines.MIN_HEIGHT

    @property
    def console_layout(self) -> bool:
        """Whether notes and clock stand beside the slide."""
        return self.notes_wanted and self.session.role == "console" and not (self.small or self.bare)

    def on_resize(self, event: Resize) -> None:
        self._arrange(event.size.width, event.size.height)

    def _arrange(self, width: int = 0, height: int = 0) -> None:
        """Give every part its rows and columns; sizes that stay cost nothing."""
        width, height = width or self.size.width, height or self.size.height
        if self.bare:
            self._bottom_rows = 1 if self._said.line and height > 3 else 0
        elif self.small:
            self._bottom_rows = 1 if height > 3 else 0
        else:
            self._bottom_rows = screen_layout.bottom_rows(height, self.session.role)
        console = self.console_layout
        self.top.display = self.aside.display = console
        self.bottom.display = self._bottom_rows > 0
        size(self.bottom, height=self._bottom_rows)
        captions = 0 if self._caption is None or self.small else screen_layout.caption_rows(width)
        self.captions.display = captions > 0
        size(self.captions, height=captions)
        middle = height - self._bottom_rows - captions - (1 if console else 0)
        columns, rows, below = width, middle, 0
        if console:
            view = self.aside_view
            panel = self._panel_rows(width, middle) > 0
            parts = self._parted(
                divide(view.layout, width, middle, view.size, height=height, panel=panel), middle
            )
            self.aside.display = parts.aside > 0
            self.set_class(parts.stacked, "-stacked")
            if parts.stacked:
                rows, below = middle - parts.aside, 0
                size(self.aside, width=width, height=parts.aside)  # the width it had beside the slide
            else:
                columns, below = width - parts.aside, parts.below
                size(self.aside, width=parts.aside, height=middle)
        head = page_header.rows(
            header_and_footer_of_slide.of(self.session.contents), columns, 0 if self.small else height
        )
        rows -= head
        self.head.display = head > 0
        size(self.head, height=head)
        self.below.display = below > 0
        size(self.below, height=below)
        self.slide.room = rows - below, -1, 0
        panel_rows = self._panel_rows(columns, rows - below)
        self.slide.room = rows - below, self.session.index, rows - below - panel_rows
        self.slide.display, self.panel.display = panel_rows < rows - below, panel_rows > 0
        size(self.panel, height=panel_rows)

    def _parted(self, parts: Parts, middle: int) -> Parts:
        """What notes and slide have of `middle` rows."""
        return parts

    def _panel_rows(self, width: int, room: int) -> int:
        """Rows of the panel, or of a snippet's output in its place: what the slide leaves it of `room`."""
        if self.small:
            return 0
        if self.session.state.look.snippet:
            return output_pane.rows(self.room, self._needed(width), room)
        return demo_pane.rows(self.room, lambda: self._needed(width), room, self.size.height)

    def _needed(self, width: int) -> int:
        """Rows of the slide with all its steps, and one for air."""
        return self.slide.height_of(Page(self.session.index, self.session.slide.steps - 1), width) + 1

    def colour(self, painter: Painter) -> None:
        """Take the colours of a theme."""
        self.painter, self.drawing.theme = painter, painter.theme
        ground = self.painter.colour("background") or "ansi_default"
        self.styles.background = ground
        self.app.styles.background = ground  # what lies over this screen is transparent down to there
        for widget in (self.slide, *self.query(Lines)):
            widget.painter = self.painter

    def _paint_frame(self) -> None:
        if self.cover is not None:
            self.cover()
            return
        self._arrange()
        self.slide.freshen()
        self._redraw()
        if self.above is not None:
            self.above()

    def show(self) -> None:
        """Draw the place of the session and all that goes with it."""
        if self.cover is not None:
            self.cover()
            self._tick()
            return
        self._arrange()
        self.slide.show(Page(self.session.index, self.session.step))
        self._scroll_along()
        self._redraw()
        self.over.show(self.console_layout)
        self._tick()

    def _scroll_along(self) -> None:
        """A slide that somebody scrolls is scrolled for the whole class."""
        before, self._at = self._at, self.session.state.pos
        same = (before.slide, before.step) == (self._at.slide, self._at.step)
        if not self.session.looking and before != self._at and (same or self._at.down):
            self.slide.scroll_along(self._at.down)

    def bring(self, find: Callable[[Sequence[Line]], int | None]) -> None:
        """Scroll slide and notes so that the row of each that `find` names is in sight."""
        self.slide.bring(find)
        if self.session.role == "console":
            self.aside_view.notes.bring(find)  # also for notes that are asked for only now
            self.aside.redraw()

    def _redraw(self) -> None:
        for lines in (self.head, self.panel, self.captions, self.bottom, self.top, self.aside, self.below):
            lines.redraw()

    def _tick(self) -> None:
        """Wake for the next visible change of a clock, and only for that."""
        wait = classroom_status.until_change(self.room, barred=self.console_layout)
        if wait is not None:
            self._alarm.set(wait)

    def second(self) -> None:
        """What a second brings: clocks, and answers whose time is over."""
        self.room.answering.tick()
        self.frames.want()
        self._tick()

    # --- what the parts say -----------------------------------------------------------------------------

    def _top_lines(self, width: int, height: int) -> list[Line]:
        room = self.room
        place, timing = classroom_status.place(room, barred=True), classroom_status.timing(room)
        marks = tuple(classroom_status.marks(room))
        return [console_bar.bar(place, timing, marks, classroom_status.live(room), width)]

    def footer(self, width: int) -> Line:
        """The place; where a console's top bar says it, what goes on, or the section."""
        place = classroom_status.place(self.room, barred=self.console_layout)
        signs = tuple(badge for sign in self.signs if (badge := sign()) is not None)
        place = replace(place, badges=(*signs, *place.badges))
        status: Line = ()
        if self.console_layout:
            stacked = self.has_class("-stacked")
            status = (
                self.aside_view.status_line() if stacked else (Span(cells.clean(place.section) or " ", DIM),)
            )
        return footer_lines.footer(place, width, status, self.room.session.say)

    def hints(self) -> tuple[Hint, ...]:
        """The keys that are named under the slide."""
        flat = self.drawing.scenes.in_characters(self.drawing.theme) or self.run_room.flat
        return tuple(hints(self.room, flat, self.run_room.shown is not None))

    def _bottom_lines(self, width: int, height: int) -> list[Line]:
        if self.bare and self._said.line:
            return [self._said.line]
        if self.small:
            return [footer_lines.too_small(self.size.width, self.size.height)]
        footer = self.footer(width)
        said = (self.notice(width) if self.notice is not None else ()) or self._said.line
        if not said and self.room.refused:
            said = footer_lines.message(*classroom_status.refusal(self.room), width)
        if height == 1:
            return [said or footer]
        keys = said or self.banner(width) or footer_lines.hints(self.hints(), width)
        above = [footer_lines.rule(width)] if height > 2 else []
        return [*above, keys, *[()] * (height - len(above) - 2), footer]

    def show_caption(self, text: str | None) -> None:
        """What is said now, under the slide; "" keeps its place, None gives it back."""
        shown, self._caption = self._caption, text
        if (shown is None) != (text is None):
            self.show()
        else:
            self.captions.redraw()

    def _caption_lines(self, width: int, height: int) -> list[Line]:
        return footer_lines.caption(self._caption or "", width, height)

    def _panel_lines(self, width: int, height: int) -> list[Line]:
        if self.session.state.look.snippet:
            return output_pane.lines(self.room, width, height, self.output_top)
        paint = Paint(self.painter.palette, self.drawing.scenes.surface)
        paint = self.run_room.paint(paint, self.painter.theme)
        seen = room_sees(self.room, self.console_layout)
        lines = demo_pane.lines(self.room, width, height, paint, seen=seen)
        if self.run_room.comes_or_goes():
            self.bottom.redraw()  # other keys do something now
        return lines

    def _aside_lines(self, width: int, height: int) -> list[Line]:
        view = self.aside_view
        if self.has_class("-stacked"):
            lines = view.stacked(max(1, width - 5), height - 1)
            return [footer_lines.rule(width), *((Span("   "), *line) for line in lines)]
        return [(Span("│ ", footer_lines.RULE), *line) for line in view.beside(max(1, width - 4), height)]

    def _below_lines(self, width: int, height: int) -> list[Line]:
        """Under the slide: what is next, or the slides around it."""
        return self.aside_view.under_slide(self.thumbnails, width, height)

    def _make_thumbnail(self) -> bool:
        """One thumbnail more of those below the slide; False when all are there."""
        if not self.below.display or self.aside_view.layout == "notes":
            return False
        made = self.aside_view.make_thumbnail(self.thumbnails, *self.below.size)
        if made:
            self.below.redraw()
        return made

    def say(self, text: str, ink: str = "warning") -> None:
        """A passing line in the place of the hints."""
        if text:
            self._said.show(footer_lines.message(self.room.session.say(text), ink, self.size.width))

    def unsay(self) -> bool:
        """Take the passing line away; False where there is none."""
        return self._said.clear()

    def _said_changed(self) -> None:
        self._arrange()
        self.bottom.redraw()
