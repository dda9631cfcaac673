"""What lies over the whole class: an empty screen, or the card by which phones join."""

from __future__ import annotations

from textual.widget import Widget

from slides.drawing.text import Line
from tui.classroom.room import Room
from tui.rendering.themed_strips import Painter
from tui.widgets.blank import Blank
from tui.widgets.lines import Lines


class Over:
    """Two widgets, of which none, one or both are shown; black and white lie above the card."""

    def __init__(self, painter: Painter, room: Room) -> None:
        self._room = room
        self._card = Lines(painter, self._card_lines, id="card")
        self._blank = Blank(id="blank")

    @property
    def widgets(self) -> tuple[Widget, ...]:
        """The widgets, from the lowest up."""
        return self._card, self._blank

    def show(self, beside: bool) -> None:
        """Cover what the class covers, but for a console whose screen the room does not see (`beside`)."""
        mode = self._room.session.state.shown
        covered = mode in ("black", "white") and not beside
        if covered:
            self._blank.styles.background = "#000000" if mode == "black" else "#ffffff"
        self._blank.display = covered
        self._card.display = self._room.phones.covers and not beside
        self._card.redraw()

    def _card_lines(self, width: int, height: int) -> list[Line]:
        from tui.panes import join_card

        session = self._room.session
        return join_card.lines(self._room.phones.now, width, height, session.role == "console", session.say)
