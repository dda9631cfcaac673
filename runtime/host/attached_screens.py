"""The screens that are attached: their names, what each was sent, and what those of the room answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from runtime.classroom.actions import Answer
from runtime.classroom.state import ClassState
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Attach, Message, Reply, Yours

MOST_REPLIES = 400  # of a screen of the room in one round of a question: the journal keeps every one
MOST_BACKLOG = 2 << 20  # bytes that a screen has not taken, beside the last thing it was sent


class Screen:
    """An attached screen, and what it has been sent."""

    def __init__(self, line: FrameProtocol, attach: Attach) -> None:
        self.line, self.role, self.name, self.pid = line, attach.role, attach.screen, attach.pid
        self.where = attach.where
        self.answers, self.who = attach.answers, attach.name
        self.sees_pointing, self.sees_looks = attach.points, attach.looks
        self.sees_phones = attach.phones
        self.replies: dict[tuple[str, int], int] = {}  # how often it answered a round of a question
        self.owed: set[str] = set()  # blocks whose newest snapshot it could not take yet
        # By block: run of a snippet, its next line, and whether its picture was sent.
        self.heard: dict[str, tuple[str, int, bool]] = {}

    def send(self, message: Message) -> None:
        """Encode a message and `tell` it."""
        self.tell(messages.encode(message))

    def tell(self, payload: bytes) -> None:
        """Send an encoded message. A screen that reads nothing is disconnected: once it reads again it
        attaches anew and gets the state of that moment."""
        if self.line.backlog > MOST_BACKLOG:
            self.line.abort()
        else:
            self.line.send(payload)


def called(attach: Attach, screens: Iterable[Screen]) -> Attach:
    """Return the screen under a name that no other answering screen has: of two Anns one is `Ann 2`, since a
    name is one person of a class, at whatever screen. A screen that claims to be the same person keeps it."""
    if attach.again:
        return attach
    taken = {other.who for other in screens if other.answers and other.name != attach.screen}
    name, n = attach.name, 2
    while attach.answers and attach.name and name in taken:
        name, n = f"{attach.name} {n}", n + 1
    return attach if name == attach.name else structs.replace(attach, name=name, where=name)


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
