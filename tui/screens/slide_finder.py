"""Finding a slide: all of them as thumbnails, or those that say something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from textual.events import Key

from slides.drawing import cells
from slides.drawing.screen_reader_lines import many
from slides.drawing.text import Line, Span, Style
from tui.classroom.position.jumps_and_bookmark import History
from tui.classroom.room import Room
from tui.deck import search
from tui.deck.search import Index, Text
from tui.panes.edges import footer_lines
from tui.panes.overview import Card, Grid, Thumbnails, overview
from tui.rendering.frame_clock import later
from tui.rendering.pages.page import Page
from tui.rendering.themed_strips import Painter
from tui.screens.overlay import Closed, Finish, Overlay, Typed

BREATH_S = 0.012  # between two pieces of work done ahead: time for a key
READ_S = 0.006
DIGITS = frozenset("0123456789")


class Overview(Overlay):
    """The deck as a grid; the value is the index of the slide to go to."""

    def __init__(
        self,
        painter: Painter,
        room: Room,
        history: History,
        thumbnails: Thumbnails,
        footer: Callable[[int], Line],
        finish: Finish,
    ) -> None:
        super().__init__(painter, "100%", finish, ground="background")
        self._room, self._history, self._thumbnails, self._footer = room, history, thumbnails, footer
        self._chosen = room.session.index
        self._top = 0
        self._digits = ""
        self.working = False

    def on_mount(self) -> None:
        self._work()

    # --- what is seen -----------------------------------------------------------------------------------

    @property
    def _below(self) -> int:
        """Lines under the grid: hints and footer, in the places where the class has them."""
        height = self._lines.size.height
        return 1 if height < footer_lines.MIN_HEIGHT else 2 if height < 30 else 3 if height < 40 else 4

    @property
    def grid(self) -> Grid:
        """Return the grid of thumbnails that fits the screen."""
        width, height = self._lines.size
        return Grid.fitted(width, height - self._below, len(self._room.session.contents))

    def draw(self, width: int, height: int) -> list[Line]:
        total = len(self._room.session.contents)
        grid = self.grid
        self._chosen = min(self._chosen, total - 1)
        self._top = grid.top(self._chosen, self._top, total)
        lines = list(overview(self._card, total, grid, self._top, self._chosen))[: height - self._below]
        lines += [()] * (height - self._below - len(lines))
        lines += [footer_lines.rule(width)] * (self._below > 2) + [self._hints(width, grid, total)]
        return lines if self._below == 1 else [*lines, *[()] * (self._below - 3), self._footer(width)]

    def _hints(self, width: int, grid: Grid, total: int) -> Line:
        first = self._top * grid.columns
        after = total - first - grid.page
        more = ("↑" if first else "") + ("↓" if after > 0 else "")
        right: Line = (Span(f"{more} more slides  ", footer_lines.DIM),) if more else ()
        if self._digits:
            title = cells.clean(self._room.session.contents.heads[self._chosen].title)
            typed = (
                Span("  go to ", Style("heading", bold=True)),
                Span(self._digits),
                Span("▏", Style("accent")),
                Span(f"   {title}", footer_lines.DIM),
            )
            return footer_lines.both_ends(typed, right, width)
        keys = (("Enter", "go"), ("← ↑ ↓ →", "move"), ("1-9", "number"), ("Esc", "close"))
        return footer_lines.both_ends(
            footer_lines.hints(keys, width - cells.line_width(right) - 1), right, width
        )

    def _card(self, index: int) -> Card:
        contents = self._room.session.contents
        head = contents.heads[index]
        return Card(
            number=contents.label(index),
            title=head.title,
            section=head.section,
            marks=tuple(self._marks(index)),
            lines=self._thumbnails.get(index, self.grid),
        )

    def _marks(self, index: int) -> Iterator[str]:
        session = self._room.session
        if index == session.index:
            yield "now"
        if index == self._history.bookmark:
            yield "bookmark"
        living = self._room.living()
        if living and any(demo.id in living for demo in session.contents.demos(index)):
            yield "demo runs"
        if session.contents.heads[index].optional:
            yield "optional"
        if session.contents.hidden(index):
            yield "hidden"
        elif index in session.contents.backup:
            yield "backup"

    # --- thumbnails, one at a time ----------------------------------------------------------------------

    def freshen(self) -> None:
        self._lines.redraw()
        self._work()

    def _work(self) -> None:
        if not self.working:
            self.working = True
            later(self, BREATH_S, self._make_one)

    def _make_one(self) -> None:
        """Draw one thumbnail that is missing or out of date, then let keys in."""
        self.working = False
        grid = self.grid
        if not self._lines.size.width:
            return
        for index in self._wanted(grid):
            page = self._page(index)
            if not self._thumbnails.fresh(page, grid):
                self._thumbnails.make(page, grid)
                self._lines.redraw()
                self._work()
                return

    def _wanted(self, grid: Grid) -> Iterator[int]:
        """The slides in sight, then those a page further on and back."""
        first, total = self._top * grid.columns, len(self._room.session.contents)
        for page in (first, first + grid.page, first - grid.page):
            yield from range(max(0, page), max(0, min(total, page + grid.page)))

    def _page(self, index: int) -> Page:
        """The slide shown as it is now, every other one complete."""
        session = self._room.session
        return Page(
            index, session.step if index == session.index else session.contents.slide(index).steps - 1
        )

    # --- keys -------------------------------------------------------------------------------------------

    def wheel(self, by: int) -> None:
        self.take(Key("down" if by > 0 else "up", None))

    def click(self, x: int, y: int) -> Closed | None:
        grid, total = self.grid, len(self._room.session.contents)
        card = grid.card_at(x, y)
        index = self._top * grid.columns + (card or 0)
        return Closed(index) if card is not None and index < total else None

    def take(self, event: Key) -> Closed | None:
        contents = self._room.session.contents
        key = event.key
        if key == "o":
            return Closed()
        if key == "enter":
            return Closed(self._chosen)
        if key in DIGITS or key == "backspace":
            self._type(key)
        elif (moved := self.grid.moved(self._chosen, key, len(contents))) is not None:
            self._chosen, self._digits = moved, ""
        self._lines.redraw()
        self._work()
        return None

    def _type(self, key: str) -> None:
        """A number as far as the deck has it; a digit that leads past its end begins another number."""
        visible = self._room.session.contents.visible
        digits = self._digits[:-1] if key == "backspace" else self._digits + key
        for typed in (digits, digits[-1:]):
            if typed.isdecimal() and 1 <= int(typed) <= len(visible):
                self._chosen, self._digits = visible[int(typed) - 1], typed
                return
        self._digits = ""


class Search(Typed):
    """Lines of slides and notes with what is typed; the value is (the line, what was looked for)."""

    def __init__(self, painter: Painter, index: Index, rows: int, finish: Finish) -> None:
        super().__init__(painter, "search", rows, finish)
        self._index = index

    def on_mount(self) -> None:
        self._read()

    def _read(self) -> None:
        """Read some more of the deck, then let keys in."""
        if self._index.complete:
            return
        self._index.read(READ_S)
        if self._text:
            self._found = self.find(self._text)
        self._lines.redraw()
        later(self, BREATH_S, self._read)

    def find(self, text: str) -> Sequence[Text]:
        return self._index.find(text)

    def value(self, found: Any) -> tuple[Text, str]:
        return found, search.query_of(self._text)

    def beside(self) -> str:
        index, total = self._index, len(self._index.contents)
        reading = "" if index.complete else f"{index.slides} of {total} slides read"
        if not search.query_of(self._text):
            return " · ".join(
                filter(None, ("slides and notes · Enter goes · ↑ ↓ choose · Esc closes", reading))
            )
        slides = len({found.slide for found in self._found})
        count = f"{many(len(self._found), 'line')} on {many(slides, 'slide')}" if slides else ""
        return " · ".join(filter(None, (count, reading)))

    def nothing(self) -> str:
        return (
            "no slide or note has these words" if search.query_of(self._text) and self._index.complete else ""
        )

    def row(self, found: Any, above: Any, width: int, here: bool) -> Line:
        contents = self._index.contents
        number = contents.label(found.slide)
        title = cells.clean(contents.heads[found.slide].title)
        again = above is not None and above.slide == found.slide
        return search.result(found, number, title, search.query_of(self._text), width, here=here, again=again)
