"""The slide: pages kept per (slide, step, size, theme, state), so that a key only chooses among them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.strip import Strip

from slides.drawing import text_size
from slides.drawing.text import Line, Span, Style
from tui.panes import screen_layout
from tui.rendering import transition
from tui.rendering.compositor import Painted, plain, repaint
from tui.rendering.error_box import drawn
from tui.rendering.frame_clock import MAX_BACKLOG, later
from tui.rendering.pages.page import Page, Pages
from tui.rendering.row_strip import unmoved
from tui.rendering.textual_private import writer_backlog
from tui.rendering.themed_strips import Painter
from tui.widgets.page_rows import Rows, columns, says_more
from tui.widgets.scene_motion import SceneMotion

if TYPE_CHECKING:
    from runtime.protocol.class_messages.pointing import Point
    from slides.scenes.shapes import Camera
    from tui.config.settings import Transition
    from tui.rendering.spotlight_and_pen import Pointed

LIT = ("select", "added", "removed")  # grounds of lines of code that are spoken of
FIRST, FURTHER = 400, 4  # rows that are laid out of a page at once, and how many times more when they end
KEPT_PAGES, KEPT_ROWS = 320, 20_000  # (slide, step) states and rows of them; a state is about 20 KB


class SlideView(Painted, can_focus=False, inherit_bindings=False):
    """Shows one page; scrolls by itself where the page is longer than the screen."""

    DEFAULT_CSS = "SlideView { width: 1fr; height: 1fr; }"

    def __init__(self, painter: Painter, pages: Pages) -> None:
        super().__init__(id="slide")
        self.painter = painter
        self._pages = pages
        self._cache: OrderedDict[Hashable, Rows] = OrderedDict()
        self._kept_rows = 0
        self._rows = Rows(painter, [], 0, 0)
        self._shown: Hashable = None
        self._mode = ""
        self.page = Page(0, 0)
        self.top = 0
        self.room: tuple[int, int, int] | None = None  # rows with a panel; the slide that has less, and those
        self.transition: Transition = "none"
        self.turn: transition.Turn | None = None
        self.moves = False  # whether a scene moves from step to step
        self.motion: SceneMotion | None = None  # what moves just now
        self._camera: Camera | None = None  # where a scene was looked from, until the next `show`
        self.laid_out = 0  # pages laid out so far: what a warm key press must not raise
        self.resized: Callable[[], object] = lambda: None  # pages and what stands below have another size
        self.pointing: Callable[[], Point | None] = lambda: None  # at something on this slide
        self._pointed: Pointed | None = None
        self._pointed_by: Hashable = None

    # --- what is drawn ----------------------------------------------------------------------------------

    def _key(self, page: Page, width: int) -> Hashable:
        rows = self._rows_for(page, width)
        return page, width, rows, self.painter.look, self._pages.token(page)

    def _rows_for(self, page: Page, width: int) -> screen_layout.Rows:
        whole, slide, seen = self.room or (self.size.height, -1, 0)
        part = seen if slide == page.slide else whole
        pages = self._pages
        extent, tall = pages.extent(page), pages.tall(page)
        return screen_layout.page_rows(width, whole, part, extent, pages.mode, tall=tall)

    @property
    def look(self) -> Hashable:
        """What the look of all pages depends on: size, theme, deck, and how they are drawn."""
        return self._key(Page(0, 0), self.size.width)

    def has(self, page: Page, width: int) -> bool:
        """Whether the page is drawn already."""
        return self._key(page, width) in self._cache

    def rows(self, page: Page, width: int) -> Rows:
        """The page as rows of `width` cells, those that are seen first made."""
        key = self._key(page, width)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._draw(page, width)
            self._kept_rows += found.cost
            while len(self._cache) > 1 and (len(self._cache) > KEPT_PAGES or self._kept_rows > KEPT_ROWS):
                self._kept_rows -= self._cache.popitem(last=False)[1].cost
        else:
            self._cache.move_to_end(key)
        return found

    def _draw(self, page: Page, width: int, most: int = FIRST) -> Rows:
        self.laid_out += 1
        text = self._pages.mode.name
        measure = screen_layout.measure(width, self._pages.extent(page), text)
        above, height, part = self._rows_for(page, width)
        lines = drawn(lambda: self._pages.page(page, measure, height, most, part=part))
        complete = not 0 < most <= len(lines)
        rows = self._as_rows(page, width, above, lines, complete)
        for n in range(min(self.size.height, len(rows))):
            rows[n]
        return rows

    def _as_rows(self, page: Page, width: int, above: int, lines: list[Line], complete: bool = True) -> Rows:
        margin = screen_layout.margin(width, self._pages.mode.name, self._pages.extent(page))
        return Rows(self.painter, [*[()] * above, *lines], width, margin, complete)

    def _extend(self, upto: int) -> None:
        """Lay out so much more of the page shown that row `upto` is there, if it has one."""
        while not self._rows.complete and len(self._rows) <= upto:
            rows = self._draw(self.page, self.size.width, max(FIRST, len(self._rows)) * FURTHER)
            self._kept_rows += rows.cost - self._rows.cost
            self._rows = rows
            if self._shown in self._cache:
                self._cache[self._shown] = rows

    def height_of(self, page: Page, width: int) -> int:
        """Rows the page needs, of a very long one less."""
        whole, _, _ = self.room or (self.size.height, 0, 0)
        kept, self.room = self.room, (whole, page.slide, 1)
        try:
            return len(self.rows(page, width))
        finally:
            self.room = kept

    # --- what is shown ----------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self.show(self.page)
        self.resized()

    def show(self, page: Page) -> None:
        """Show a page; a step of the same slide keeps the place, and what changed comes into view."""
        if not self.size.width:
            self.page = page  # not laid out yet: the first resize draws it
            self.motion = None
            return
        self._shown = self._key(page, self.size.width)
        before, top, stepped = self._rows, self.top, page != self.page
        onward, turning = page.slide > self.page.slide, page.slide != self.page.slide
        self._rows = self.rows(page, self.size.width)
        if self.motion is not None and not stepped and self._rows is self.motion.target:
            self._rows = before  # on its way there already
            return
        self.motion = None
        came_from = self.page
        mode, self._mode = self._mode, self._pages.mode.name
        if page.slide != self.page.slide or mode != self._mode:
            self.top = 0
        else:
            self.page = page
            self._extend(self.top + 2 * self.size.height)  # a step far down on a long page keeps the place
            self._reveal(before, self._rows, stepped)
        camera, self._camera = self._camera, None
        if (stepped or camera) and not turning and self.moves and before.alike(self._rows):
            self._begin_motion(came_from, page, camera)
        self.page = page
        self.top = min(self.top, self.overflow)
        if self.turn is not None and (stepped or self._rows is not before):
            self.turn = None  # a key does not wait for the slide before it
            self.refresh()
        elif turning and self.transition != "none" and before.alike(self._rows):
            self._begin_turn(before, top, onward)
        elif self._rows is not before or self.top != top:  # the host's echo of a key repaints nothing
            self._repaint(before, top)
        self._point()

    def _begin_turn(self, before: Rows, top: int, onward: bool) -> None:
        strips = [self.painter.fit(before[y], self.size.width) for y in range(top, len(before))]
        self.turn = transition.Turn(strips[: self.size.height], onward, 0)
        self._next_frame(self.turn)

    def _next_frame(self, turn: transition.Turn) -> None:
        """Paint a frame of the way to another slide; the last when the line cannot take them."""
        if self.turn is not turn:
            return  # something else came
        if turn.frame >= len(transition.PARTS) or writer_backlog(self.app) > MAX_BACKLOG:
            self.turn = None
        else:
            self.turn = turn._replace(frame=turn.frame + 1)
            later(self, transition.FRAME_S, partial(self._next_frame, self.turn))
        repaint(self)

    def fly(self, camera: Camera) -> None:
        """Have the next `show` move from where a scene was looked from."""
        self._camera = camera

    def _begin_motion(self, came_from: Page, page: Page, camera: Camera | None) -> None:
        """Show `came_from` on its way to `page`, where something in it moves."""
        width, text = self.size.width, self._pages.mode.name
        above, height, part = self._rows_for(page, width)
        measure = screen_layout.measure(width, self._pages.extent(page), text)
        movement = self._pages.movement(came_from, page, measure, (height, part), camera)
        if movement is None:
            return
        self.motion = SceneMotion(
            movement, self._rows, lambda lines: self._as_rows(page, width, above, lines)
        )
        self._rows = self.motion.frame()
        later(self, self.motion.wait_s, partial(self._next_moment, self.motion))

    def _next_moment(self, motion: SceneMotion) -> None:
        """Paint a moment of the way to another step; none while the line cannot take it."""
        if self.motion is not motion:
            return  # something else came
        before = self._rows
        if writer_backlog(self.app) <= MAX_BACKLOG:
            self._rows = motion.frame()
        if self._rows is motion.target:
            self.motion = None
        else:
            later(self, motion.wait_s, partial(self._next_moment, motion))
        if self._rows is not before:
            self._repaint(before, self.top)

    def _repaint(self, before: Rows, top: int) -> None:
        """Paint the rows that differ from those of `before`, from row `top` on."""
        width, height = self.size
        if not before.alike(self._rows):
            self.refresh()
            return
        old, new = before.lines[top : top + height], self._rows.lines[self.top : self.top + height]
        pairs = zip_longest(old, new, fillvalue=())
        changed = [y for y, (was, now) in enumerate(pairs) if was is not now and was != now]
        # Marks of more stand on the edges, also where what was scrolled fits now.
        edges = {0, height - 1} if top or max(len(before), len(self._rows)) > height else set()
        if rows := sorted({*changed, *edges}):
            same = not edges and len(old) == len(new)
            parts = [columns(old[y], new[y], self._rows.margin, width) if same else (0, width) for y in rows]
            repaint(self, *(Region(x, y, end - x, 1) for y, (x, end) in zip(rows, parts, strict=True)))

    def freshen(self) -> None:
        """Show the page again if what it shows (a question, a demo's label) is no longer so."""
        if self._shown != self._key(self.page, self.size.width):
            self.show(self.page)
        else:
            self._point()

    def _reveal(self, before: Rows, after: Rows, stepped: bool) -> None:
        """What changed comes into view. Without a step only words count: colours come later."""
        height = self.size.height
        if len(after) <= height or after is before or after.width != before.width:  # wrapped anew is no news
            return
        pairs = zip(before.lines, after.lines, strict=False)
        changed = [
            y
            for y, (old, new) in enumerate(pairs)
            if old is not new and old != new and (stepped or says_more(old, new))
        ]
        if before.complete and after.complete:
            changed += range(len(before), len(after))
        if changed:
            # A step through code marks what it is about: the lines around that have only moved.
            lit = [y for y, line in enumerate(after.lines) if any(span.style.ground in LIT for span in line)]
            first, last = (max(0, lit[0] - 2), lit[-1] + 1) if lit else (changed[0], changed[-1])
            self.top = max(self.top, min(last - height + 2, first))
            self.top = min(self.top, first)

    # --- what is pointed at -----------------------------------------------------------------------------

    def geometry(self) -> Point:
        """The page shown as a `Point` describes it, without anything pointed at."""
        from runtime.protocol.class_messages.pointing import Point

        _, height, part = self._rows_for(self.page, self.size.width)
        text, extent = self._pages.mode.name, self._pages.extent(self.page)
        return Point("", screen_layout.measure(self.size.width, extent, text), height, part, text)

    @property
    def lines(self) -> list[Line]:
        """The lines of the page shown, without its margins."""
        above = self._rows_for(self.page, self.size.width).above
        return self._rows.lines[above:]

    @property
    def margin(self) -> int:
        """Blank cells before a line."""
        return self._rows.margin

    def line_at(self, y: int) -> int:
        """Which of `lines` stands in row `y` of this widget; it may be none of them."""
        return y + self.top - self._rows_for(self.page, self.size.width).above

    def _point(self) -> None:
        """Show what is pointed at now; while nothing is, this costs nothing."""
        point = self.pointing()
        if point is None and self._pointed is None:
            return
        by = point and (point, self._shown)
        if by == self._pointed_by:
            return
        before, self._pointed_by = self._pointed, by
        self._pointed = None if point is None else self._found(point)
        width, height = self.size
        rows = [
            y
            for y in range(height)
            if (before and before.look(y + self.top)) != (self._pointed and self._pointed.look(y + self.top))
        ]
        if rows:
            repaint(self, *(Region(0, y, width, 1) for y in rows))

    def _found(self, point: Point) -> Pointed:
        """What another screen points at, on the page shown here."""
        from msgspec.structs import replace

        from tui.rendering import spotlight_and_pen

        self._extend(1 << 30)
        above = self._rows_for(self.page, self.size.width).above
        ours = self.lines
        here = replace(point, slide="", light=None, pen=()) == self.geometry()
        theirs = ours
        if not here:
            sized = [min(cells, 1000) for cells in (point.width, point.height, point.part)]
            mode = next((one for one in text_size.CHOICE if one.name == point.text), text_size.NORMAL)
            theirs = drawn(
                lambda: self._pages.page(self.page, max(1, sized[0]), sized[1], part=sized[2], mode=mode)
            )
        return spotlight_and_pen.on_page(point, theirs, ours, above, bool(self.painter.colour("background")))

    def bring(self, find: Callable[[Sequence[Line]], int | None]) -> None:
        """Scroll so that the row that `find` names is in sight, with something above it."""
        height = self.size.height
        self._extend(1 << 30)
        row = find(self._rows.lines)
        if row is not None and not self.top + 1 <= row < self.top + height - 1:
            self.top = max(0, min(self.overflow, row - height // 3))
            self.refresh()

    @property
    def overflow(self) -> int:
        """Rows that do not fit."""
        return max(0, len(self._rows) - self.size.height)

    @property
    def down(self) -> float:
        """How far down it is scrolled, from 0 to 1."""
        return self.top / self.overflow if self.overflow else 0.0

    def scroll_along(self, part: float) -> None:
        """Scroll as far down as another screen, whose rows may be others."""
        if part:
            self._extend(1 << 30)
        self.scroll_rows(round(part * self.overflow) - self.top)

    def scroll_rows(self, by: int) -> bool:
        """Scroll; False where there is nothing more that way."""
        self._extend(self.top + by + 2 * self.size.height)
        top = max(0, min(self.overflow, self.top + by))
        if top == self.top:
            return False
        self.top = top
        self.refresh()
        return True

    def render_line(self, y: int) -> Strip:
        if self.turn is None:
            return self._row(y)
        before, onward, frame = self.turn
        gone = before[y] if y < len(before) else self.painter.blank(self.size.width)
        part = transition.PARTS[frame - 1]
        return transition.row(self.transition, gone, self._row(y), self.size.width, part, onward)

    def _row(self, y: int) -> Strip:
        width, height = self.size
        row = y + self.top
        blank = self.painter.blank(width)
        strip = self.painter.fit(self._rows[row], width) if row < len(self._rows) else blank
        if self._pointed is not None and row < len(self._rows):
            margin = self._rows.margin
            line = unmoved(self._rows.lines[row])
            strip = self.painter.strip(self._pointed.line(row, line, margin), width)
        # The row with the mark is covered by it, and counts as one that is not seen.
        if y == height - 1 and self.top < self.overflow:
            return self._marked(strip, "↓", self.overflow - self.top)
        if y == 0 and self.top > 0:
            return self._marked(strip, "↑", self.top)
        return strip

    def _marked(self, strip: Strip, arrow: str, rows: int) -> Strip:
        """`↓ 12 more` at the right end; only the arrow, in the margin, where words stand there."""
        width, strip = self.size.width, plain(strip)
        known = self._rows.complete or arrow == "↑"
        text = f" {arrow} {rows} more " if known else f" {arrow} more "
        ending = strip.crop(max(0, width - len(text)), width).text
        margin = min(2, self._rows.margin)
        shown = text if not ending.strip() else arrow.ljust(margin)
        mark = self.painter.strip((Span(shown, Style("accent", bold=True)),), min(width, len(shown)))
        return Strip.join([strip.crop(0, max(0, width - len(shown))), mark])
