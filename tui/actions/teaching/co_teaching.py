"""Two teachers, one class: who drives it, and who is there."""

from __future__ import annotations

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.actions.base import ActionGroup
from tui.keys.table import key_of
from tui.panes.edges import footer_lines

MOST_SEATS = 12


class CoTeachingActions(ActionGroup):
    """Keys for several consoles that drive one class."""

    def lead(self) -> None:
        """Drive alone; again: let everybody drive. While another one drives alone: take over."""
        self._session.lead()
        self._room.arrived()
        mine = self._session.state.lead == self._session.screen
        word = f"you drive alone now: {key_of('lead')} gives it back" if mine else "every console drives now"
        self._screen.say(word, "good")
        self._classroom.show()

    async def attached(self) -> None:
        """Every screen of the class, and which one drives."""
        from tui.screens.notice import Told

        rows = min(MOST_SEATS, max(1, len(self._room.seats)))
        await self._screen.cover(Told(self._screen.painter, "Attached to this class", self._seats, rows))

    def _seats(self) -> list[Line]:
        session = self._session
        lines: list[Line] = []
        for seat in sorted(self._room.seats, key=lambda seat: seat.role, reverse=True):
            marks = "this screen" if seat.screen == session.screen else ""
            if seat.screen == session.state.lead:
                marks += (" · " if marks else "") + "drives alone"
            where = Span(f"  {cells.clean(seat.where) or seat.screen}")
            lines.append(
                (Span(f"  {seat.role:<9}", footer_lines.DIM), where, Span(f"   {marks}", Style("accent")))
            )
        return lines or [(Span("  not connected", footer_lines.DIM),)]
