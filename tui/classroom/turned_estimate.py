"""The estimate on the slide shown, as this class has turned it: the words are the class's, every screen shows
them, and another slide has the deck's again."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from runtime.protocol.figures import Comparison
from slides.deck import Estimate
from slides.reading_order import blocks as walk
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


def sliders(session: Session, block: Estimate) -> list[str]:
    """What keys turn in a duel, in order: `a.tp` and so on; none where its words cannot be."""
    from runtime.estimate import duel
    from runtime.estimate.request import Refused

    try:
        found = duel.sliders(duel.terms(as_turned(session, block)[0].words))
    except Refused:
        return []
    return [f"{side}.{slider.key}" for side, slider in found]


def duel_turned(session: Session, block: Estimate, by: int) -> tuple[str, tuple[str, ...]] | None:
    """The slider of a duel that is turned, and the words one notch on; None: its words cannot be."""
    from runtime.estimate import duel
    from runtime.estimate.request import Refused

    keys = sliders(session, block)
    if not keys:
        return None
    now = session.state.look.slider
    key = now if now in keys else keys[0]
    words = as_turned(session, block)[0].words
    side = key.partition(".")[0]
    try:
        every = dict(zip(keys, duel.sliders(duel.terms(words)), strict=True))
        return key, duel.turned(words, side, every[key][1], by)
    except Refused:
        return None


def revealed(session: Session, block: Estimate) -> tuple[str, ...] | None:
    """The words of a duel with the best known layout shown, or hidden where it was; None: they cannot be."""
    from runtime.estimate import duel
    from runtime.estimate.request import Refused

    try:
        return duel.shown(as_turned(session, block)[0].words)
    except Refused:
        return None


def chosen(session: Session, block: Estimate, given: Sequence[str]) -> tuple[str, ...]:
    """The words of a duel in which sides take what is `given`, such as `a.tp=8`. Refused: they cannot."""
    from runtime.estimate import duel

    keys = {word.partition("=")[0].lower() for word in given} | {duel.BEST}
    words = as_turned(session, block)[0].words
    found = (*(word for word in words if word.partition("=")[0].lower() not in keys), *given)
    terms = duel.terms(found)
    for side in duel.SIDES:
        duel.of_side(terms, side)
    return found


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
