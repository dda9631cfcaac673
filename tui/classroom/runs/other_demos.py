"""Demos of other slides that still run: they take the machine from the one shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slides.drawing import cells

if TYPE_CHECKING:
    from tui.classroom.room import Room


def running(room: Room) -> list[str]:
    """Their blocks; code that runs is not a demo."""
    here = {demo.id for demo in room.session.contents.demos(room.session.index)}
    return [block for block in room.living() if block not in here and block not in room.outputs.of]


def end(room: Room) -> None:
    """Stop them."""
    for block in running(room):
        room.stop(block)


def named(room: Room, block: str) -> str:
    """By name and slide: `ddp (slide 9)`."""
    contents, shown = room.session.contents, room.snapshots.get(block)
    name = cells.clean(shown.demo) if shown is not None else "a demo"
    for index in range(len(contents.deck.slides)):
        if any(demo.id == block for demo in contents.demos(index)):
            return f"{name} (slide {contents.label(index)})"
    return name
