"""The last class of a deck, where somebody may want to go on with it: its screen or machine was lost, or it
was quit by mistake. Looked for after the first slide is painted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from runtime.classroom import class_clock
from runtime.classroom import state as class_state
from runtime.classroom.actions import Deck, Entry
from runtime.classroom.state import ClassState

LOST_S = 12 * 3600.0  # a class that was not ended is offered for so long
ENDED_S = 15 * 60.0  # one that was, and not at its last slide
NEWEST = 8  # classes that are looked at


class Stopped(NamedTuple):
    """A class to go on with, and the question that offers it."""

    class_id: str
    question: str
    format: str = ""  # its deck was read as


def find(path: str, now: float) -> Stopped | None:
    """The newest class of the deck at `path` that stopped on its way. Reads journals: never on the loop."""
    from runtime import paths
    from runtime.classroom import journal

    wanted = str(Path(path).absolute())
    for class_id in paths.known_classes()[:NEWEST]:
        entries = journal.read(paths.journal_file(class_id))
        if entries and now - entries[-1].t > LOST_S:
            return None
        question = offer(entries, wanted, now)
        if question and not _driven(class_id):
            return Stopped(class_id, question, class_state.fold(entries).format)
    return None


def _driven(class_id: str) -> bool:
    """Whether a console is attached to the class."""
    import asyncio

    from runtime import paths
    from runtime.host.client import ask
    from runtime.protocol.messages import Status

    if not paths.answers(paths.screen_socket(class_id)):
        return False
    report = asyncio.run(ask(class_id, Status(), 2.0))
    return report is None or any(screen.startswith("console ") for screen in report.screens)


def offer(entries: Sequence[Entry], path: str, now: float) -> str:
    """The question whether to go on with the class of this journal; "" where nobody would."""
    from tui.figures.numbers import clock

    state = class_state.fold(entries)
    if not entries or state.path != path or not state.timer.began:
        return ""
    ago = now - entries[-1].t
    if ago > (ENDED_S if state.ended else LOST_S) or (state.ended and _at_its_end(entries, state)):
        return ""
    began = time.strftime("%H:%M", time.localtime(state.timer.began))
    elapsed = clock(class_clock.elapsed(state.timer, entries[-1].t))
    how = "was quit" if state.ended else "stopped"
    return f"The class of {began} {how} {_place(entries, state)}, {elapsed} in. Go on with it?"


def _plan(entries: Sequence[Entry]) -> list[str]:
    decks = [entry.action for entry in entries if isinstance(entry.action, Deck)]
    return [slide.slide for slide in decks[-1].plan.slides] if decks else []


def _place(entries: Sequence[Entry], state: ClassState) -> str:
    slides = _plan(entries)
    known = state.pos.slide in slides
    return f"at slide {slides.index(state.pos.slide) + 1} of {len(slides)}" if known else "on its way"


def _at_its_end(entries: Sequence[Entry], state: ClassState) -> bool:
    slides = _plan(entries)
    return not slides or state.pos.slide == slides[-1]
