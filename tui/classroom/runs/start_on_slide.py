"""What `run` means on the slide shown, and starting it: one rule for the screen, for lines and for `ctl`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from runtime.protocol.class_messages.screen_messages import EXERCISE
from tui.classroom.runs import other_demos

if TYPE_CHECKING:
    from slides.deck import Code, Demo
    from tui.classroom.room import Room


class Startable(NamedTuple):
    """One of these, or nothing: the runs of a prediction, a demo, a block of code."""

    measuring: bool = False
    demo: Demo | None = None
    code: Code | None = None


def startable(room: Room) -> Startable:
    """What is started on this slide: a prediction's runs before its demo, a demo before code."""
    if room.measuring.pending:
        return Startable(measuring=True)
    if (demo := room.demo()) is not None:
        return Startable(demo=demo)
    code = room.outputs.chosen()
    return Startable(code=code if code is not None and code.lang != EXERCISE else None)


def no_demo(room: Room) -> str:
    """That this slide has no demo, and which is the next one of the talk that has."""
    contents = room.session.contents
    later = contents.next_demo(room.session.index)
    while later is not None and later not in contents.visible:
        later = contents.next_demo(later)
    if later is None:
        return "no demo on this slide"
    return f"no demo on this slide: the next is on slide {contents.label(later)}"


def show_output(room: Room, block: Code) -> None:
    """Show on every screen what a block of code prints."""
    look = room.session.state.look
    if look.snippet != block.id:
        full = look.full or block.lang == EXERCISE  # a screen of its own
        room.session.act(replace(look, snippet=block.id, view="", rank=None, full=full))


def start_demo(room: Room, demo: Demo, params: dict[str, str] | None = None) -> Callable[[], bool]:
    """Start a demo, as the deck has it unless with `params`; the function tells whether the host took it.

    One of another slide is ended: where nobody can be asked, it must not take the machine unseen.
    """
    other_demos.end(room)
    taken = _taken(room, demo.id)
    room.launch(demo, params)
    return taken


def start_code(room: Room, block: Code) -> Callable[[], bool]:
    """Run a block of code, its output on every screen; the function tells whether the host took it."""
    taken = _taken(room, block.id)
    show_output(room, block)
    room.run_code(block)
    return taken


def _taken(room: Room, block: str) -> Callable[[], bool]:
    """Whether a run that is asked for now has begun, or was refused."""
    before = room.run_of(block)

    def taken() -> bool:
        now = room.run_of(block)
        return block in room.refusals or (now is not None and now != before and now.state != "launching")

    return taken
