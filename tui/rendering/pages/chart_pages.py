"""Charts of a slide: with what their runs have measured, and whether they may be painted by pixels."""

from __future__ import annotations

from slides.deck import Slide
from slides.reading_order import has_chart, of_runs
from tui.classroom.room import Room


def slide(room: Room, index: int) -> Slide:
    """Return a slide with the values of the runs that its charts are about."""
    contents = room.session.contents
    if not of_runs(contents.slide(index).blocks):
        return contents.slide(index)
    from tui.classroom.runs import run_charts

    return run_charts.slide_with(contents, index, room.snapshots, keys=room.session.role == "console")


def painted(room: Room, index: int) -> bool:
    """Tell whether it has charts for pixels: one whose run goes on is another again and again."""
    contents = room.session.contents
    blocks = contents.slide(index).blocks
    if not has_chart(blocks):
        return False
    if not of_runs(blocks):
        return True
    from tui.classroom.runs import run_charts

    return not any(room.alive(demo.id) for demo in run_charts.demos_on(contents, index))
