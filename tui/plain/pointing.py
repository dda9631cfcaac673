"""What somebody points at on the slide, in its words: nobody sees a light in a class of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.protocol.pointing import Place, Point
from slides.drawing import density
from slides.drawing.text import Line
from tui.rendering.page import Page

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
        from tui.rendering.slide_painter import Drawing

        session, drawing = self._room.session, Drawing(self._room)
        drawing.letters = False
        page = Page(session.index, session.step)
        mode = next((one for one in density.CHOICE if one.name == point.text), density.NORMAL)
        width, height, part = (min(n, MOST) for n in (point.width, point.height, point.part))
        theirs = Drawing(self._room).page(page, max(1, width), height, part=part, mode=mode)
        ours = drawing.page(page, WIDTH, 0)
        places = [("pointed at", point.light)] if point.light else []
        places += [("marked", one) for one in point.pen]
        told = [(what, _words(place, theirs, ours)) for what, place in places]
        return [f"{what}: {words}" for what, words in told if words]


def _words(place: Place, theirs: list[Line], ours: list[Line]) -> str:
    """The words of a place of another screen's page, as they stand on one without large letters."""
    from tui.rendering.pointing import found, said

    return " ".join(said(ours, one) for one in found(place, theirs, ours))
