"""What an attached screen gets: which entries, and how often a snapshot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

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
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Attach, Message, Reply, Yours

HIDDEN = (Answer, Hands, Measured, Consent, Until, Drop, Lead)  # from the room
MOST_REPLIES = 400  # of a screen of the room in one round of a question: the journal keeps every one
MOST_BACKLOG = 2 << 20  # bytes that a screen has not taken, beside the last thing it was sent
PUSH_S = 0.1  # between two snapshots of a run
PUSH_SHARE = 0.03  # of a core that making snapshots may cost


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


class Pusher:
    """Decides when the next snapshot of a run goes out: the first change at once, later ones at a pace."""

    def __init__(self, push: Callable[[], None]) -> None:
        self._push = push
        self._last = 0.0
        self._pause = PUSH_S
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, urgent: bool = False) -> None:
        """Note that a new snapshot is due; an urgent one is pushed now."""
        loop = asyncio.get_running_loop()
        wait = 0.0 if urgent else self._last + self._pause - loop.time()
        if wait <= 0.0:
            self.cancel()
            self._now()
        elif self._timer is None:
            self._timer = loop.call_later(wait, self._now)

    def cancel(self) -> None:
        """Drop the snapshot that is due later, if one is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _now(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        began = time.thread_time()
        self._push()
        self._pause = max(PUSH_S, (time.thread_time() - began) / PUSH_SHARE)
