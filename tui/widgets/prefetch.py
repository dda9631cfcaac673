"""Pages laid out before they are wanted, a little at a time, with room for a key between."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Hashable, Iterator

from tui.classroom.session import Session
from tui.rendering.pages.page import Page
from tui.widgets.slide import SlideView

NEAR, AROUND = 3, 120  # slides of which every step is drawn ahead; slides that are drawn ahead at all
BEGIN_S, BREATH_S = 0.03, 0.012
SLICE_S = 0.004  # of looking for a page that is missing


class Warming:
    """`done` once every page that is likely to be wanted is drawn.

    The deck as a whole is gone through once for each way it can look; after a move only what is near.
    """

    def __init__(
        self,
        session: Session,
        slide: SlideView,
        later: Callable[[float, Callable[[], None]], None],
        also: Callable[[], bool],
    ) -> None:
        """`also()` does one piece for what is in sight, after the pages near by; False when there is none."""
        self._session, self._slide, self._later, self._also = session, slide, later, also
        self._near: Iterator[Page] = iter(())
        self._deck: Iterator[Page] = iter(())
        self._look: Hashable = None  # how the deck looks when all of it was gone through
        self._at_work = False
        self._drew = False
        self.done = False

    def begin(self) -> None:
        """Start over from the current page; pages are drawn one at a time while the loop is idle."""
        self.done = False
        self._near, self._deck = self._next(), self._rest()
        if not self._at_work:
            self._at_work = True
            self._later(BEGIN_S, self._one)

    def _one(self) -> None:
        """One piece of work: pages near by, then what is in sight besides, then the deck as a whole."""
        if self._slide.size.width and (self._draw(self._near) or self._also() or self._draw(self._deck)):
            self._later(BREATH_S, self._one)
            return
        self._at_work, self.done = False, True
        if self._drew:  # what was drawn stays: the collector need not look at it again
            self._drew = False
            gc.collect()
            gc.freeze()

    def _draw(self, pages: Iterator[Page]) -> bool:
        """Draw one page that is missing, or look for one for a moment; False when there are no more."""
        slide, width = self._slide, self._slide.size.width
        until = time.monotonic() + SLICE_S
        for page in pages:
            if not slide.has(page, width):
                slide.rows(page, width)
                self._drew = True
                return True
            if time.monotonic() > until:
                return True
        return False

    def _around(self) -> list[int]:
        """The slides by how near they are."""
        session = self._session
        return sorted(session.contents.visible, key=lambda n: abs(n - session.index))

    def _next(self) -> Iterator[Page]:
        """Pages in the order in which they will be wanted, around the place."""
        contents, session = self._session.contents, self._session
        for place in (session.after(), session.before()):
            if place is not None:
                yield Page(*place)
        for index in self._around()[:NEAR]:
            yield from (Page(index, step) for step in range(contents.slide(index).steps))

    def _rest(self) -> Iterator[Page]:
        """The first and last page of every slide, unless all were gone through as they look now."""
        contents = self._session.contents
        look = self._slide.look, contents.rev
        if look == self._look:
            return
        for index in self._around()[:AROUND]:
            yield Page(index, 0)
            yield Page(index, contents.slide(index).steps - 1)
        self._look = look
