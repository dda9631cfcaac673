"""A name is one person of a class: who comes back has what was answered, and two of one name are told."""

from __future__ import annotations

import made_line
import pytest
from made_line import Line

from runtime.classroom.actions import Open
from runtime.protocol.messages import Called, Reply, Yours
from slides.reading.split import split
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session
from tui.deck.contents import Contents


class Class(made_line.Class):
    def joins(self, screen: str, name: str, *, again: bool = False) -> Line:
        return self.attach("audience", screen, answers=True, name=name, again=again)

    def leaves(self, line: Line) -> None:
        self.host.hung_up(line)


@pytest.fixture
async def room(request):  # type: ignore[no-untyped-def]
    made = Class(request.node.name)
    made.act(Open("q", "single", 3))
    return made


async def test_who_comes_back_is_told_what_he_answered(room: Class) -> None:
    ann = room.joins("a", "Ann")
    room.say(ann, Reply("q", 0, (2,)))
    room.leaves(ann)
    again = room.joins("b", "Ann")  # another process, another screen
    assert again.last(Yours) == Yours("q", 0, (2,)) and again.last(Called) is None
    room.say(again, Reply("q", 0, (1,)))
    assert room.host.state.questions["q"].votes == (0, 1, 0)
    nobody = room.joins("n", "")
    assert nobody.last(Yours) is None  # without a name nothing is known of whoever it is


async def test_two_of_one_name_are_two_and_told_so(room: Class) -> None:
    ann, other = room.joins("a", "Ann"), room.joins("b", "Ann")
    assert other.last(Called) == Called("Ann 2", "Ann") and ann.last(Called) is None
    room.say(ann, Reply("q", 0, (0,)))
    room.say(other, Reply("q", 0, (1,)))
    assert room.host.state.questions["q"].votes == (1, 1, 0)
    assert other.last(Yours) is None and ann.last(Yours) is None


async def test_one_person_at_two_screens_has_one_answer_on_both(room: Class) -> None:
    ann = room.joins("a", "Ann")
    room.say(ann, Reply("q", 0, (0,)))
    phone = room.joins("b", "Ann", again=True)
    assert phone.last(Yours) == Yours("q", 0, (0,)) and phone.last(Called) is None
    room.say(phone, Reply("q", 0, (2,)))
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
