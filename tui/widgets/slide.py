"""The slide: strips kept per (slide, step, size, theme, state), so that a key only chooses among them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from textual.strip import Strip
from textual.widget import Widget

from slides.text import Line, Span, Style
from tui import arrangement
from tui.guard import drawn
from tui.page import Page
from tui.themes import Painter

KEPT = 320  # strips of so many (slide, step) states; a state is about 20 KB


class SlideView(Widget, can_focus=False, inherit_bindings=False):
    """Shows one page; scrolls by itself where the page is longer than the screen."""

    DEFAULT_CSS = "SlideView { width: 1fr; height: 1fr; }"

    def __init__(
        self,
        painter: Painter,
        lines: Callable[[Page, int], list[Line]],
        token: Callable[[Page], Hashable],
        wide: Callable[[Page], bool],
    ) -> None:
        """`lines(page, width)` lays a page out; `token(page)` names all else that its look depends on.

        `wide(page)`: its blocks stand side by side, so it may use more than a text's measure.
        """
        super().__init__(id="slide")
        self.painter = painter
        self._lay_out, self._token, self._wide = lines, token, wide
        self._cache: OrderedDict[Hashable, list[Strip]] = OrderedDict()
        self._strips: list[Strip] = []
        self._shown: Hashable = None
        self.page = Page(0, 0)
        self.top = 0
        self.laid_out = 0  # pages laid out so far: what a warm key press must not raise

    # --- what is drawn ----------------------------------------------------------------------------------

    def _key(self, page: Page, width: int) -> Hashable:
        return (page, width, self._above, self.painter.theme, self._token(page))

    @property
    def _above(self) -> int:
        return arrangement.above(*self.size)

    def has(self, page: Page, width: int) -> bool:
        """Whether the page is drawn already."""
        return self._key(page, width) in self._cache

    def strips(self, page: Page, width: int) -> list[Strip]:
        """The page as rows of `width` cells."""
        key = self._key(page, width)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._draw(page, width)
            if len(self._cache) > KEPT:
                self._cache.popitem(last=False)
        else:
            self._cache.move_to_end(key)
        return found

    def _draw(self, page: Page, width: int) -> list[Strip]:
        self.laid_out += 1
        room = arrangement.measure(width, self._wide(page))
        lines = drawn(lambda: self._lay_out(page, room))
        rows = [*[()] * self._above, *lines]
        return self.painter.strips(rows, width, margin=arrangement.margin(width))

    def height_of(self, page: Page, width: int) -> int:
        """Rows the page needs."""
        return len(self.strips(page, width))

    def forget(self) -> None:
        """Another deck revision: nothing kept is right any more."""
        self._cache.clear()

    # --- what is shown ----------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self.show(self.page)

    def show(self, page: Page) -> None:
        """Show a page; a step of the same slide keeps the place, and what changed comes into view."""
        if not self.size.width:
            self.page = page  # not laid out yet: the first resize draws it
            return
        self._shown = self._key(page, self.size.width)
        before, top = self._strips, self.top
        self._strips = self.strips(page, self.size.width)
        if page.slide != self.page.slide:
            self.top = 0
        else:
            self._reveal(before, self._strips)
        self.page = page
        self.top = min(self.top, self.overflow)
        if self._strips is not before or self.top != top:  # the host's echo of a key repaints nothing
            self.refresh()

    def freshen(self) -> None:
        """Show the page again if what it shows (a question, a demo's label) is no longer so."""
        if self._shown != self._key(self.page, self.size.width):
            self.show(self.page)

    def _reveal(self, before: list[Strip], after: list[Strip]) -> None:
        height = self.size.height
        if len(after) <= height:
            return
        pairs = zip(before, after, strict=False)
        changed = [y for y, (old, new) in enumerate(pairs) if old is not new and old != new]
        changed += range(len(before), len(after))
        if changed:
            self.top = max(self.top, min(changed[-1] - height + 2, changed[0]))
            self.top = min(self.top, changed[0])

    @property
    def overflow(self) -> int:
        """Rows that do not fit."""
        return max(0, len(self._strips) - self.size.height)

    def scroll_rows(self, by: int) -> bool:
        """Scroll; False where there is nothing more that way."""
        top = max(0, min(self.overflow, self.top + by))
        if top == self.top:
            return False
        self.top = top
        self.refresh()
        return True

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        row = y + self.top
        blank = self.painter.blank(width)
        strip = self.painter.fit(self._strips[row], width) if row < len(self._strips) else blank
        if y == height - 1 and self.top < self.overflow:
            return self._marked(strip, "↓ more")
        if y == 0 and self.top > 0:
            return self._marked(strip, "↑ more")
        return strip

    def _marked(self, strip: Strip, text: str) -> Strip:
        """`↓ more` at the right end; only its arrow, in the margin, where words stand there."""
        width = self.size.width
        ending = strip.crop(max(0, width - len(text) - 2), width).text
        shown = f" {text} " if not ending.strip() else text[0].ljust(min(2, arrangement.margin(width)))
        mark = self.painter.strip((Span(shown, Style("accent", bold=True)),), min(width, len(shown)))
        return Strip.join([strip.crop(0, max(0, width - len(shown))), mark])
