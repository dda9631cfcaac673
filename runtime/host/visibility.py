"""Who may see what is done in a class: the room gets no answers, and nothing that teachers arrange."""

from __future__ import annotations

from runtime.classroom.actions import (
    Answer,
    AnyAction,
    Begin,
    Consent,
    Deck,
    Drop,
    Entry,
    Hands,
    Lead,
    Lock,
    Measured,
    Move,
    Until,
    Visibility,
)
from runtime.classroom.question_state import Sample
from runtime.classroom.state import ClassState

HIDDEN = (Answer, Hands, Measured, Consent, Until, Drop, Lead)  # from the room


def visibility(action: AnyAction) -> Visibility:
    """Return who may see an entry: answers, and what teachers arrange among themselves, only consoles."""
    return "console" if isinstance(action, HIDDEN) else "all"


def public(entry: Entry, seen: ClassState) -> Entry:
    """Return an entry as an audience gets it, with its state `seen`: without answers, points and the deck's
    path, and without moves of the console while the audience's view is frozen."""
    action = entry.action
    match action:
        case Begin():
            action = Begin(action.class_id, action.version)
        case Lock():
            action = Lock(action.question, (), None, 0.0)
        case Deck():
            action = Deck(action.rev, action.title, "")
        case Move():
            action = Move(seen.pos.slide, seen.pos.step, seen.pos.down)
        case Measured(question=id, sample=sample):
            asked = seen.questions.get(id)
            if asked is None or asked.phase != "revealed":
                action = Measured(id, Sample(sample.block, sample.run, None))
        case _:
            pass
    return Entry(entry.seq, entry.t, "", entry.visible, action)
