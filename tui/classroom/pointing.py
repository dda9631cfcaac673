"""What is pointed at in this class, at this screen: told to the others, or heard from the one that points.

Pure. Which words of a page that is, and how they look, is in `tui.rendering.spotlight_and_pen`.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from runtime.protocol.class_messages.pointing import MOST_MARKS, Place, Point, Seen
from runtime.protocol.messages import Message
from tui.classroom.session import Session

NOTHING = Point("")


class Pointing:
    """The light and the marks of the pen. With another slide they are gone."""

    def __init__(self, session: Session, send: Callable[[Message], None]) -> None:
        self._session, self._send = session, send
        self.heard = False  # by a host that knows of it
        self.looked: Callable[[Seen | None], None] = lambda seen: None  # another screen's camera was moved
        self._now = NOTHING

    @property
    def now(self) -> Point | None:
        """What is pointed at on the slide shown; None: nothing is."""
        now = self._now
        if now is NOTHING:
            return None
        slide = self._session.contents.heads[self._session.index].id
        return now if now.slide == slide and (now.light or now.pen) else None

    @property
    def light(self) -> Place | None:
        """What the spotlight is on, None while it is off."""
        return self.now.light if self.now else None

    def point(self, page: Point, light: Place | None, pen: tuple[Place, ...] | None = None) -> None:
        """Point at something on the page that `page` describes; `pen` None: the marks stay."""
        if pen is None:
            pen = self.now.pen if self.now else ()
        seen = self._now.seen if self._now.slide == page.slide else None
        after = replace(page, light=light, pen=pen[-MOST_MARKS:], seen=seen)
        if after != self._now:
            self._now = after
            self._tell()

    def mark(self, page: Point, place: Place) -> None:
        """Mark a place with the pen; one that is marked is so no more."""
        pen = self.now.pen if self.now else ()
        pen = tuple(one for one in pen if one != place) if place in pen else (*pen, place)
        self.point(page, self.light, pen)

    def look(self, seen: Seen | None) -> None:
        """A picture in space on this slide is looked at from there by hand, None: as its author does."""
        slide = self._session.contents.heads[self._session.index].id
        before = self._now if self._now.slide == slide else Point(slide)
        self._now = replace(before, seen=seen)
        self._tell()

    def moved(self) -> None:
        """The class may be at another slide: what was pointed at is gone for good."""
        if self._now.slide != self._session.state.pos.slide:
            self._now = NOTHING

    def hear(self, point: Point) -> None:
        """Another screen points, or looks from elsewhere."""
        before, self._now = self._now, point
        if point.slide == self._session.contents.heads[self._session.index].id:
            known = before.seen if before.slide == point.slide else None
            if known != point.seen:
                self.looked(point.seen)

    def attached(self, knows: bool) -> None:
        """A host is there; one that came back anew is told what is pointed at."""
        self.heard = knows
        if (self.now is not None or self._now.seen is not None) and self._session.driving:
            self._tell()

    def lost(self) -> None:
        """Nobody hears of it now."""
        self.heard = False

    def _tell(self) -> None:
        if self.heard and self._session.driving:
            self._send(self._now)
