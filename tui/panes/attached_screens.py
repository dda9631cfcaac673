"""The list of the screens that are attached to a class, and which one drives."""

from __future__ import annotations

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.room import Room
from tui.panes.edges import footer_lines

MOST_ROWS = 12


def rows(room: Room) -> int:
    """How many rows the list has at first."""
    return min(MOST_ROWS, max(1, len(room.seats)))


def lines(room: Room) -> list[Line]:
    """A row a screen, consoles first."""
    session = room.session
    found: list[Line] = []
    for seat in sorted(room.seats, key=lambda seat: seat.role, reverse=True):
        marks = "this screen" if seat.screen == session.screen else ""
        if seat.screen == session.state.lead:
            marks += (" · " if marks else "") + "drives alone"
        where = Span(f"  {cells.clean(seat.where) or seat.screen}")
        found.append(
            (Span(f"  {seat.role:<9}", footer_lines.DIM), where, Span(f"   {marks}", Style("accent")))
        )
    return found or [(Span("  not connected", footer_lines.DIM),)]
