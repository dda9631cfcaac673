"""What people at screens of the room answer: taken while a question is open, told again on return."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.classroom.actions import Answer
from runtime.classroom.state import ClassState
from runtime.host.attached_screens import Screen
from runtime.protocol.messages import Reply, Yours

MOST_REPLIES = 400  # of a screen of the room in one round of a question: the journal keeps every one


def yours(screen: Screen, state: ClassState) -> Iterator[Yours]:
    """Yield what the person at an audience screen has answered so far, at whatever screen that was."""
    if not screen.answers:
        return
    for question in state.questions.values():
        own = [
            at
            for at, who in question.people.items()
            if at == screen.name or (screen.who and who == screen.who)
        ]
        for at in own[-1:]:
            choice, text = question.answers.get(at, ()), question.texts.get(at, ())
            yield Yours(question.id, len(question.before), choice, text)


def reply(screen: Screen, message: Reply, state: ClassState) -> Answer | None:
    """Return the answer of an audience screen; None if it may not answer or nothing is open."""
    question = state.questions.get(message.question)
    asked = (message.question, message.round)
    given = screen.replies.get(asked, 0)
    if not screen.answers or question is None or question.phase != "open" or given >= MOST_REPLIES:
        return None
    if len(question.before) != message.round:
        return None
    screen.replies[asked] = given + 1
    return Answer(message.question, message.choice, message.text, screen.who)
