"""The estimate on the slide shown, as this class has turned it: the words are the class's, every screen shows
them, and another slide has the deck's again."""

from __future__ import annotations

from dataclasses import replace

from slides.deck import AnyBlock, Estimate
from slides.walk import blocks as walk
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


def token(session: Session, blocks: tuple[AnyBlock, ...]) -> tuple[object, ...]:
    """What the look of estimates among `blocks` depends on besides their own words."""
    if not any(isinstance(block, Estimate) for block in walk(blocks)):
        return ()
    look = session.state.look
    return look.estimate, look.slider, session.looking
