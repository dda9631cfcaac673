"""Pointing in a class of lines, where nobody sees a light: by words, and told in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from runtime.protocol.class_messages.pointing import Place, Point
from slides.drawing import text_size
from slides.drawing.text import Line
from tui.rendering.pages.page import Page

if TYPE_CHECKING:
    from tui.classroom.room import Room

WIDTH, MOST = 76, 1000  # cells of a page whose words are told; of another screen's at most


class PointedAt:
    """Tells the light and the marks of the pen when they are new."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._told: tuple[str, ...] = ()

    def news(self) -> list[str]:
        """A line for the light and one for each new mark."""
        point = self._room.pointing.now
        said = tuple(self._said(point)) if point is not None else ()
        before, self._told = self._told, said
        return [line for line in said if line not in before]

    def _said(self, point: Point) -> list[str]:
        from tui.rendering.pages.slide_painter import Drawing

        session, drawing = self._room.session, Drawing(self._room)
        drawing.letters = False
        page = Page(session.index, session.step)
        mode = next((one for one in text_size.CHOICE if one.name == point.text), text_size.NORMAL)
        width, height, part = (min(n, MOST) for n in (point.width, point.height, point.part))
        theirs = Drawing(self._room).page(page, max(1, width), height, part=part, mode=mode)
        ours = drawing.page(page, WIDTH, 0)
        places = [("pointed at", point.light)] if point.light else []
        places += [("marked", one) for one in point.pen]
        told = [(what, _words(place, theirs, ours)) for what, place in places]
        return [f"{what}: {words}" for what, words in told if words]


def _words(place: Place, theirs: list[Line], ours: list[Line]) -> str:
    """The words of a place of another screen's page, as they stand on one without large letters."""
    from tui.rendering.spotlight_and_pen import found, said

    return " ".join(said(ours, one) for one in found(place, theirs, ours))


class PointingCommands:
    """What a teacher points at by typing its words: the room sees the light and the pen."""

    def __init__(self, room: Room, say: Callable[[str], None]) -> None:
        self._room, self._session, self._say = room, room.session, say

    def point(self, rest: str) -> None:
        """Light a row, a cell or a rank; without words nothing any more."""
        if not self._may():
            return
        word, _, number = rest.partition(" ")
        if word == "rank" and number.strip().isdecimal():
            self._rank(int(number))
        elif rest:
            if place := self._place(rest):
                self._room.pointing.point(self._page(), place)
        else:
            self._room.pointing.point(self._page(), None)
            if self._session.state.look.rank is not None:
                self._session.act(replace(self._session.state.look, rank=None))
            self._say("nothing is lit")

    def mark(self, rest: str) -> None:
        """Mark a row or a cell with the pen, or take its mark off."""
        if not self._may():
            return
        if not rest:
            self._say("mark what? Words of the slide, as in mark 15 ms")
        elif place := self._place(rest):
            self._room.pointing.mark(self._page(), place)

    def _may(self) -> bool:
        if not self._session.driving:
            self._session.on_locked()
        return self._session.driving

    def _rank(self, rank: int) -> None:
        snapshot = self._room.snapshot()
        if snapshot is None or not 0 <= rank < snapshot.world:
            self._say(
                "no demo is running here" if snapshot is None else f"its ranks are 0 to {snapshot.world - 1}"
            )
            return
        self._session.act(replace(self._session.state.look, rank=rank))
        self._say(f"rank {rank} is lit")

    def _place(self, words: str) -> Place | None:
        """The cell that says just that, else the first row with these words; None, and said: none has."""
        from tui.rendering.spotlight_and_pen import parts, said, units

        lines, wanted = self._lines(), " ".join(words.casefold().split())
        rows = units(lines)
        cells = [Place(one.row, 1, *part) for one in rows if one.rows == 1 for part in parts(lines[one.row])]
        for place in cells:
            if said(lines, place).casefold() == wanted:
                return place
        found = next((one for one in rows if wanted in said(lines, one).casefold()), None)
        if found is None:
            self._say(f"no row of this slide says {words[:40]!r}")
        return found

    def _lines(self) -> list[Line]:
        from tui.rendering.pages.slide_painter import Drawing

        drawing = Drawing(self._room)
        drawing.letters = False
        return drawing.page(Page(self._session.index, self._session.step), WIDTH, 0)

    def _page(self) -> Point:
        return Point(self._session.contents.heads[self._session.index].id, WIDTH)
