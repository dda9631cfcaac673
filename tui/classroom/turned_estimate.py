"""The estimate on the slide shown, as this class has turned it: the words are the class's, every screen shows
them, and another slide has the deck's again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.protocol.figures import Comparison
from slides.deck import Estimate
from slides.walk import blocks as walk
from tui.classroom.room import Room
from tui.classroom.session import Session


def here(session: Session) -> Estimate | None:
    """The first estimate of the slide at this step; None: there is none, or the class is elsewhere."""
    if session.looking:
        return None
    found = (block for block in walk(session.slide.blocks) if isinstance(block, Estimate))
    return next((block for block in found if block.at <= session.step), None)


def as_turned(session: Session, block: Estimate) -> tuple[Estimate, str]:
    """The block with the class's words in place of its own, and the slider that keys turn ("": none is)."""
    look = session.state.look
    if not (look.estimate or look.slider) or block != here(session):
        return block, ""
    return replace(block, words=look.estimate or block.words), look.slider


def compared(room: Room) -> Comparison | None:
    """What the newest comparison of this class has measured; one that is only shown again is not of today."""
    runs = [run for run in room.snapshots.values() if run.playback is None]
    return next((run.comparison for run in reversed(runs) if run.comparison is not None), None)


def token(room: Room, estimates: Sequence[Estimate]) -> tuple[object, ...]:
    """What the look of `estimates` depends on besides their own words."""
    look = room.session.state.look
    found = compared(room) if any(block.table for block in estimates) else None
    measured = (
        tuple((row.label, row.state, row.step_s, row.memory_bytes) for row in found.rows) if found else ()
    )
    return look.estimate, look.slider, room.session.looking, measured
