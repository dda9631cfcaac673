"""Pages laid out before they are wanted, one at a time, with room for a key between two."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

from tui.page import Page
from tui.session import Session
from tui.widgets.slide import SlideView

AROUND = 120  # slides that are drawn ahead
BEGIN_S, BREATH_S = 0.03, 0.012


class Warming:
    """`done` once every page that is likely to be wanted is drawn."""

    def __init__(
        self,
        session: Session,
        slide: SlideView,
        later: Callable[[float, Callable[[], None]], None],
        also: Callable[[], bool],
    ) -> None:
        """`also()` does one more piece of such work, after the pages; False when there is none."""
        self._session, self._slide, self._later, self._also = session, slide, later, also
        self._at_work = False
        self.done = False

    def begin(self) -> None:
        self.done = False
        if not self._at_work:
            self._at_work = True
            self._later(BEGIN_S, self._one)

    def _one(self) -> None:
        width = self._slide.size.width
        cold = (
            next((page for page in self._likely() if not self._slide.has(page, width)), None)
            if width
            else None
        )
        if cold is not None:
            self._slide.rows(cold, width)
        elif not width or not self._also():
            self._at_work = False
            self.done = True
            gc.collect()
            gc.freeze()
            return
        self._later(BREATH_S, self._one)

    def _likely(self) -> Iterator[Page]:
        """Pages in the order in which they will be wanted: around the place first, then every slide."""
        contents, session = self._session.contents, self._session
        for place in (session.after(), session.before()):
            if place is not None:
                yield Page(*place)
        around = sorted(contents.visible, key=lambda n: abs(n - session.index))
        for index in around[:3]:
            yield from (Page(index, step) for step in range(contents.slide(index).steps))
        for index in around[:AROUND]:
            yield Page(index, 0)
            yield Page(index, contents.slide(index).steps - 1)
