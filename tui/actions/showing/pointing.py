"""A spotlight and a pen on the slide shown: everybody sees them, and with the slide they are gone.

The light is on a row, or on a cell of it; keys and the mouse move it. The pen marks what is lit.
"""

from __future__ import annotations

from msgspec.structs import replace

from runtime.protocol.class_messages.pointing import Place, Point
from tui.actions.action_group import ActionGroup
from tui.classroom.pointing import Pointing
from tui.keys.table import key_of
from tui.terminal import mouse_reports


class PointingActions(ActionGroup):
    """Keys for the spotlight and the pen."""

    def spotlight(self) -> None:
        """Light what follows the title, or switch the light off."""
        if self._pointing.light is not None:
            self._light(None)
            return
        if not self._may():
            return
        places = self._units()
        if not places:
            self._screen.say("nothing to point at on this slide", "dim")
            return
        slide = self._classroom.slide
        seen = [one for one in places if one.row >= slide.line_at(0)] or places
        title = seen[0] == places[0] and len(seen) > 1
        self._light(seen[1 if title else 0])
        keys = f"↑ ↓ move it, {key_of('cell_right')} a cell, {key_of('pen')} marks"
        self._screen.say(f"spotlight: {keys}, {key_of('spotlight')} off", "dim")

    def pen(self) -> None:
        """Mark what is lit, or take the mark off."""
        light = self._pointing.light
        if light is None:
            self.spotlight()
        elif self._may():
            self._pointing.mark(self._page(), light)
            self._classroom.show()

    def cell_right(self) -> None:
        """Light the next cell of the row, behind the last the row again."""
        self._cell(1)

    def cell_left(self) -> None:
        """Light the cell before, before the first the row again."""
        self._cell(-1)

    def move(self, by: int) -> bool:
        """Move the light to the next row, and no further than the last: it would be gone with the slide.
        False where there is no light."""
        light = self._pointing.light
        if light is None or not self._session.driving:
            return False
        rows = self._units()
        ahead = [one for one in rows if (one.row > light.row if by > 0 else one.row < light.row)]
        if ahead:
            self._light(ahead[0 if by > 0 else -1])
        elif by > 0:
            ranks = f"; {key_of('rank')} lights a rank" if self._room.snapshot() is not None else ""
            self._screen.say(f"the last row{ranks}; {key_of('next_step')} goes on", "dim")
        return True

    def leave(self) -> bool:
        """Switch the light off, then take the marks away; False where there is nothing to."""
        now = self._pointing.now
        if now is None or not self._session.driving:
            return False
        self._pointing.point(self._page(), None, None if now.light else ())
        self._classroom.show()
        return True

    # --- with the mouse ---------------------------------------------------------------------------------

    def aim(self, row: int, column: int, *, cell: bool) -> bool:
        """Light what stands in a line of the slide, or the cell at a column of it; False: nothing does."""
        from tui.rendering import spotlight_and_pen

        lines = self._classroom.slide.lines
        place = spotlight_and_pen.unit_at(lines, row)
        if place is not None and self._session.driving:
            part = spotlight_and_pen.part_at(lines, place, column) if cell else None
            self._light(place if part is None else Place(place.row, place.rows, *part), follow=False)
        return place is not None

    # --- parts ------------------------------------------------------------------------------------------

    @property
    def _pointing(self) -> Pointing:
        return self._room.pointing

    def _may(self) -> bool:
        if not self._session.driving:
            self._session.on_locked()
        return self._session.driving

    def _units(self) -> list[Place]:
        from tui.rendering.spotlight_and_pen import units

        return units(self._classroom.slide.lines)

    def _page(self) -> Point:
        here = self._session.contents.heads[self._session.index].id
        return replace(self._classroom.slide.geometry(), slide=here)

    def _cell(self, by: int) -> None:
        from tui.rendering.spotlight_and_pen import parts_of

        light = self._pointing.light
        if light is None:
            self.spotlight()
            light = self._pointing.light
        if light is None or not self._may():
            return
        row = Place(light.row, light.rows)
        cells = parts_of(self._classroom.slide.lines, row)
        places = [row, *(Place(light.row, light.rows, *part) for part in cells)]
        at = places.index(light) if light in places else 0
        self._light(places[(at + by) % len(places)])

    def _light(self, place: Place | None, *, follow: bool = True) -> None:
        if self._screen.clicks and (place is None) != (self._pointing.light is None):
            self._screen.to_terminal(mouse_reports.MOVES_ON if place else mouse_reports.MOVES_OFF)
        self._pointing.point(self._page(), place)
        slide = self._classroom.slide
        if place is not None and follow:
            above = -slide.line_at(0) + slide.top
            before = slide.top
            slide.bring(lambda lines: place.row + above)
            if slide.top != before:
                self._session.scroll(slide.down)
        self._classroom.show()
