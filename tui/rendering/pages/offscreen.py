"""A class's slides without a screen: as `Drawing` shows them, in whatever state they are put.

`check` measures them, `export` draws them. Nothing runs and no host is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from runtime.catalog.registry import Refusal
from runtime.classroom.actions import Role
from runtime.classroom.state import ClassState, Position
from runtime.host.blocks.comparison import Plan
from runtime.host.blocks.comparison import check as check_demo
from runtime.protocol.messages import Snapshot
from runtime.supervision.run import Run
from slides.deck import AnyBlock, Demo
from slides.drawing.layout import layout
from slides.drawing.text import Line, Span
from slides.overflow import Page as Shown
from slides.overflow import needs
from slides.screen_size import Size
from tui.classroom.position.place_in_talk import before_a_class
from tui.classroom.room import Room
from tui.classroom.runs import demo_requests
from tui.classroom.session import Session
from tui.deck import header_and_footer_of_slide, languages
from tui.deck.contents import Contents
from tui.graphics.picture_cache import PictureCache
from tui.panes import demo_pane, output_pane, screen_layout
from tui.panes.edges import footer_lines, page_header
from tui.rendering.pages.page import Page
from tui.rendering.pages.slide_painter import Drawing
from tui.rendering.row_strip import unmoved

if TYPE_CHECKING:
    from tui.rendering.pages.scene_pictures import Place


class Offscreen:
    """Screen of a class without a terminal, for checks and exports."""

    def __init__(
        self, contents: Contents, state: ClassState | None = None, *, role: Role = "console"
    ) -> None:
        """`state` is how the class was; without one it has just begun. `role` as of a screen."""
        self.contents = contents
        self.session = Session(contents, role=role)
        self.room = Room(self.session, lambda what: None)
        self.drawing = Drawing(self.room)
        self.drawing.gallery = PictureCache()  # it decodes at once
        self.noun = "slide"  # that the footer counts
        self.put(state or ClassState())

    @property
    def folder(self) -> Path:
        """Folder of the deck, absolute."""
        return Path(self.contents.deck.path).absolute().parent

    def put(self, state: ClassState) -> None:
        """Show this state of the class from now on."""
        first = self.contents.heads[0].id
        self.session.welcome(replace(state, pos=state.pos if state.pos.slide else Position(first)), _unheard)

    def lines(self, page: Page, size: Size, room: int, part: int | None = None) -> list[Line]:
        """A page in `part` of the `room` rows of a screen of that size, with the blank ones over it; it may
        need more."""
        rows = self._rows(page, size, room, room if part is None else part)
        measure = screen_layout.measure(size.width, self.drawing.extent(page), self.drawing.mode.name)
        return [*[()] * rows.above, *self.drawing.page(page, measure, rows.height, part=rows.part)]

    def _coming(self, page: Page, size: Size, room: int, part: int, way: float) -> list[Line]:
        """The same `way` (0 to 1) from the step before."""
        rows = self._rows(page, size, room, part)
        measure = screen_layout.measure(size.width, self.drawing.extent(page), self.drawing.mode.name)
        before = page._replace(step=page.step - 1)
        movement = self.drawing.movement(before, page, measure, (rows.height, rows.part))
        return (
            self.lines(page, size, room, part)
            if movement is None
            else [*[()] * rows.above, *map(unmoved, movement.at(way))]
        )

    def moves(self, index: int, step: int) -> bool:
        """Whether a scene is on its way when this step is come to from the one before."""
        return step > 0 and self.drawing.scenes.moves(Page(index, step - 1), Page(index, step))

    def _rows(self, page: Page, size: Size, room: int, part: int) -> screen_layout.Rows:
        return screen_layout.page_rows(size.width, room, part, self.drawing.extent(page), self.drawing.mode)

    def screen(self, index: int, size: Size, step: int | None = None, way: float = 1.0) -> list[Line]:
        """A slide with all its steps or up to one, its panel if its demo has run, and the footer: exactly as
        many rows as the screen has, or more where the slide needs more. `way`: how far it has come there from
        the step before, where a scene moves."""
        from tui.views.panel import panel

        demo = next(iter(self.contents.demos(index)), None)
        snapshot = self.room.snapshots.get(demo.id) if demo is not None else None
        page = Page(index, self.contents.slide(index).steps - 1 if step is None else step)
        below: list[Line] = []
        if demo is not None and snapshot is not None:
            snapshot, room = demo_requests.shown(demo, snapshot), self._room_of(size)
            rows = screen_layout.panel_rows(snapshot.world, self._needed(index, size), room, size.height)
            below = [footer_lines.rule(size.width), *panel(snapshot, size.width, rows - 1, hints=False)]
        return self._framed(index, size, self._body(page, size, way, len(below)), below)

    def of_class(self, size: Size) -> list[Line]:
        """The screen of the class where it stands: slide and step as far as it is scrolled, and the panel of
        the run that it shows by the view that was chosen. Exactly as many rows as the screen has."""
        page, room = Page(self.session.index, self.session.step), self._room_of(size)
        rows = demo_pane.rows(self.room, lambda: self._needed(page.slide, size), room, size.height)
        below = [*demo_pane.lines(self.room, size.width, rows), *[()] * rows][:rows] if rows else []
        body = self._body(page, size, 1.0, rows)
        top = round(self.session.state.pos.down * max(0, len(body) - (room - rows)))
        return self._framed(page.slide, size, body[top : top + room - rows], below)

    def _room_of(self, size: Size) -> int:
        """Rows of slide and panel."""
        return size.height - self._over(size) - screen_layout.bottom_rows(size.height, self.session.role)

    def _needed(self, index: int, size: Size) -> int:
        """Rows of a slide with all its steps, and one for air."""
        last = self.contents.slide(index).steps - 1
        return len(self.lines(Page(index, last), size, self._room_of(size), 1)) + 1

    def _body(self, page: Page, size: Size, way: float, below: int) -> list[Line]:
        """The slide with its margin, over `below` rows of a panel."""
        room, extent = self._room_of(size), self.drawing.extent(page)
        margin = Span(" " * screen_layout.margin(size.width, self.drawing.mode.name, extent))
        height = room - below
        page_lines = (
            self.lines(page, size, room, height) if way >= 1 else self._coming(page, size, room, height, way)
        )
        body = [(margin, *line) for line in page_lines]
        while body and not needs(body[-1:]):
            body.pop()
        return [*body, *[()] * (height - len(body))]

    def _framed(self, index: int, size: Size, body: list[Line], below: list[Line]) -> list[Line]:
        over = self._over(size)
        still = page_header.Still(self.contents, index)
        say = languages.words_of(self.contents.deck)
        return [
            *page_header.lines(still, self.drawing, size.width, over),
            *body,
            *below,
            footer_lines.footer(before_a_class(self.contents, index, noun=self.noun), size.width, say=say),
        ]

    def _over(self, size: Size) -> int:
        """Rows of the header of the deck."""
        return page_header.rows(header_and_footer_of_slide.of(self.contents), size.width, size.height)

    def widths(self, index: int, size: Size) -> list[tuple[AnyBlock, int]]:
        """Every block of a slide with the cells it gets."""
        found: list[tuple[AnyBlock, int]] = []

        def note(block: AnyBlock, step: int, cells: int) -> None:
            found.append((block, cells))

        slide = self.contents.slide(index)
        cells = screen_layout.measure(size.width, self.drawing.extent(Page(index, 0)))
        layout(slide, slide.steps - 1, cells, special=note)
        return found

    def pictures_of_scenes(self, index: int, size: Size) -> Iterator[Place]:
        """Every step of every scene of a slide, with the cells that its picture gets."""
        room = self._room_of(size)
        for step in range(self.contents.slide(index).steps):
            page = Page(index, step)
            rows = self._rows(page, size, room, room)
            measure = screen_layout.measure(size.width, self.drawing.extent(page), self.drawing.mode.name)
            yield from self.drawing.pictures_of_scenes(page, measure, (rows.height, rows.part))

    # --- what a slide can come to look like -------------------------------------------------------------

    def pages(self, index: int, size: Size) -> Iterator[Shown]:
        """Every step of a slide as it is come to; then with its answers shown; then while its demo runs."""
        room = size.height - self._over(size) - screen_layout.bottom_rows(size.height, "console")
        yield from self._steps(index, size, room)
        if self._reveal(index):
            yield from self._steps(index, size, room, "when its answer is shown")
        if running := self._run(index):
            # The panel is given its rows by what the whole slide needs.
            last = self.contents.slide(index).steps - 1
            needed = len(self.lines(Page(index, last), size, room, 1)) + 1
            panel = screen_layout.panel_rows(running.world, needed, room, size.height)
            yield from self._steps(index, size, room - panel, f"while {running.demo} runs", room=room)
        if self.contents.snippets(index):
            pane = min(output_pane.LEAST_ROWS, int(screen_layout.PANEL_PART * room), room - 3)
            yield from self._steps(index, size, room - pane, "while its output is shown", room=room)

    def _steps(
        self, index: int, size: Size, height: int, when: str = "", *, room: int = 0
    ) -> Iterator[Shown]:
        for step in range(self.contents.slide(index).steps):
            page = Page(index, step)
            lines = self.lines(page, size, room or height, height)
            above = self._rows(page, size, room or height, height).above
            yield Shown(step, lines[above:], height - above, when)

    def _reveal(self, index: int) -> bool:
        """Answer and reveal the questions of a slide, as its teacher would; False: it has none."""
        self.session.go((index, self.contents.slide(index).steps - 1))
        answering = self.room.answering
        answering.open_shown()
        asked = answering.shown()
        for _ in asked:
            answering.pick(0)
            answering.reveal()
        return bool(asked)

    def _run(self, index: int) -> Snapshot | None:
        """The demo of a slide as it is when it was just started; None: it has none that can be."""
        demo = next(iter(self.contents.demos(index)), None)
        snapshot = self.begun(demo) if demo is not None else None
        if demo is not None and snapshot is not None:
            self.room.snapshots[demo.id] = snapshot
        return snapshot

    def begun(self, demo: Demo) -> Snapshot | None:
        """Return a demo's snapshot as if it had just started; None where its line is refused."""
        asked = check_demo(demo.name, demo_requests.asked(demo), self.folder)
        if isinstance(asked, Refusal):
            return None
        launched = asked.entries[0].demo if isinstance(asked, Plan) else asked
        return replace(Run(demo.id, launched).snapshot(), state="running", demo=demo.name)


def _unheard(n: int, action: object) -> None:
    """There is no host."""
