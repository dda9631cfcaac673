"""A name is one person of a class: who comes back has what was answered, and two of one name are told."""

from __future__ import annotations

import os
from typing import cast

import pytest

from runtime.classroom.actions import AnyAction, Open
from runtime.host.server import Host
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Act, AnyMessage, Attach, Called, Message, Reply, Yours
from slides.reading.split import split
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session
from tui.deck.contents import Contents


class Line:
    def __init__(self) -> None:
        self.sent: list[AnyMessage] = []

    def send(self, payload: bytes) -> None:
        self.sent.append(messages.decode(payload))

    def close(self) -> None:
        pass

    def take(self, most: int) -> None:
        """A console may send longer frames."""

    @property
    def backlog(self) -> int:
        return 0

    def last(self, kind: type[Message]) -> Message | None:
        return next((one for one in reversed(self.sent) if isinstance(one, kind)), None)


class Class:
    def __init__(self, id: str) -> None:
        self.host, self.n = Host(id), 0
        self.console = self.joins("desk", "", role="console")

    def joins(self, screen: str, name: str, *, role: str = "audience", again: bool = False) -> Line:
        line = Line()
        sits = Attach(messages.VERSION, "audience", screen, os.getpid(), name, True, name, again)
        if role == "console":
            sits = Attach(messages.VERSION, "console", screen, os.getpid())
        self.says(line, sits)
        return line

    def leaves(self, line: Line) -> None:
        self.host.hung_up(cast(FrameProtocol, line))

    def says(self, line: Line, message: Message) -> None:
        self.host.receive(cast(FrameProtocol, line), messages.encode(message))

    def act(self, action: AnyAction) -> None:
        self.n += 1
        self.says(self.console, Act(self.n, action))


@pytest.fixture
async def room(request):  # type: ignore[no-untyped-def]
    made = Class(request.node.name)
    made.act(Open("q", "single", 3))
    return made


async def test_who_comes_back_is_told_what_he_answered(room: Class) -> None:
    ann = room.joins("a", "Ann")
    room.says(ann, Reply("q", 0, (2,)))
    room.leaves(ann)
    again = room.joins("b", "Ann")  # another process, another screen
    assert again.last(Yours) == Yours("q", 0, (2,)) and again.last(Called) is None
    room.says(again, Reply("q", 0, (1,)))
    assert room.host.state.questions["q"].votes == (0, 1, 0)
    nobody = room.joins("n", "")
    assert nobody.last(Yours) is None  # without a name nothing is known of whoever it is


async def test_two_of_one_name_are_two_and_told_so(room: Class) -> None:
    ann, other = room.joins("a", "Ann"), room.joins("b", "Ann")
    assert other.last(Called) == Called("Ann 2", "Ann") and ann.last(Called) is None
    room.says(ann, Reply("q", 0, (0,)))
    room.says(other, Reply("q", 0, (1,)))
    assert room.host.state.questions["q"].votes == (1, 1, 0)
    assert other.last(Yours) is None and ann.last(Yours) is None


async def test_one_person_at_two_screens_has_one_answer_on_both(room: Class) -> None:
    ann = room.joins("a", "Ann")
    room.says(ann, Reply("q", 0, (0,)))
    phone = room.joins("b", "Ann", again=True)
    assert phone.last(Yours) == Yours("q", 0, (0,)) and phone.last(Called) is None
    room.says(phone, Reply("q", 0, (2,)))
    assert ann.last(Yours) == Yours("q", 0, (2,))
    assert room.host.state.questions["q"].votes == (0, 0, 1)


def test_a_screen_shows_what_it_is_told_of_its_person() -> None:
    text = "# A\n\n::: quiz {#q}\nHow many?\n\n- [ ] one\n- [ ] two\n:::\n"
    session = Session(Contents(split(text, "")), role="audience", screen="b", answers=True)
    teacher = Session(Contents(split(text.replace("[ ] two", "[x] two"), "deck.md")), screen="me")
    Answering(teacher).open_shown()
    session.state = teacher.state
    answering = Answering(session)
    assert answering.picked("q") == ()
    answering.recalled("q", 0, ((1,), ()))
    assert answering.picked("q") == (1,)
    answering.recalled("q", 1, ((0,), ()))  # of a vote that is not there
    assert answering.picked("q") == (1,)
