"""The place of a snippet's output on a class's screen: how many rows it takes, and what stands in them."""

from __future__ import annotations

from slides.drawing.text import Line
from tui.classroom.room import Room
from tui.panes import screen_layout
from tui.panes.edges import footer_lines

REFUSED_ROWS = 4
LEAST_ROWS = 6
TERMINAL_ROWS = 24


def rows(room: Room, needed: int, spare: int) -> int:
    """Of `spare` rows: what the slide, which would have `needed`, leaves, as far as there is output."""
    block, heard = room.session.state.look.snippet, room.outputs.open()
    if block in room.refusals or heard is None:
        return REFUSED_ROWS if block in room.refusals or room.alive(block) else 0
    if room.session.state.look.full:
        return spare
    shown = room.outputs.chosen()
    if shown is not None and shown.gives:
        from tui.views.blocks import output_in_place

        # It stands in the place of the code by then; and what ends at once moves nothing before.
        if output_in_place.ran(shown, heard) or (heard.alive and not len(heard)):
            return 0
    printed = TERMINAL_ROWS if _terminal(room) else len(heard)
    wanted = max(LEAST_ROWS, min(printed + 3, spare - needed))
    return max(0, min(wanted, int(screen_layout.PANEL_PART * spare), spare - 3))


def lines(room: Room, width: int, height: int, top: int | None) -> list[Line]:
    """At most `height` lines; `top` as `tui.views.blocks.snippet.pane` has it."""
    look, heard = room.session.state.look, room.outputs.open()
    rule = footer_lines.rule(width)
    if refused := room.refusals.get(look.snippet):
        why, mend = refused
        return [rule, footer_lines.message(why, "bad", width), footer_lines.message(mend, "text", width)]
    if heard is None or height < 2:
        return [rule]
    hints = room.session.role == "console"
    if _terminal(room):
        from tui.views.blocks import terminal

        typing = bool(room.outputs.typed_into())
        room.of_run.fit(*terminal.room(width, height - 1))
        return [rule, *terminal.pane(heard, width, height - 1, typing=typing, full=look.full, hints=hints)]
    from tui.views.blocks.snippet import pane

    return [rule, *pane(heard, width, height - 1, top=top, full=look.full, hints=hints)]


def _terminal(room: Room) -> bool:
    block = room.outputs.chosen()
    return block is not None and block.terminal
