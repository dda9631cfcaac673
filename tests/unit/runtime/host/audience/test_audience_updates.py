"""What an answer of a large room costs the host, in work and bytes; and that everybody still knows all."""

from __future__ import annotations

import asyncio

import made_line
from counted_steps import steps
from folders import own_folders
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.classroom import actions, question_state, question_without_votes_and_key, state_for_the_room
from runtime.classroom import state as class_state
from runtime.classroom.actions import AnyAction, Lock, Move, Open, Reveal
from runtime.classroom.question_state import QuestionState
from runtime.classroom.question_without_votes_and_key import MOST_TOLD
from runtime.host.audience.audience_updates import Seen
from runtime.host.client import Client
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Ordered, Reply, Welcome


class Class(made_line.Class):
    def __init__(self, people: int) -> None:
        super().__init__("seen")
        names = [f"Person {n}" for n in range(people)]
        self.room = [self.attach("audience", name, answers=True, name=name) for name in names]

    def asked(self, question: str) -> None:
        """A question that everybody answers, up to its reveal."""
        self.act(Open(question, "numeric", 0))
        for n, line in enumerate(self.room):
            self.say(line, Reply(question, 0, (), (f"{n % 10} GB",)))
        self.act(Lock(question, (), 1.0, 1.0))
        self.act(Reveal(question, (), ("because",), "of it", ("3 GB",)))


def cost(people: int, asked: int) -> tuple[int, int, int, int, int]:
    """Of the last answer to a question after `asked` others: steps, bytes to the console and to the room;
    then the bytes of the reveal and of a move to one screen."""

    async def played() -> tuple[int, int, int, int, int]:
        class_ = Class(people)
        for n in range(asked):
            class_.asked(f"q{n}")
        class_.act(Open("last", "single", 4))
        for line in class_.room[:-1]:
            class_.say(line, Reply("last", 0, (2,)))
        for line in (class_.console, *class_.room):
            line.sent.clear()
        frame = messages.encode(Reply("last", 0, (1,)))
        taken = steps(lambda: class_.host.receive(class_.room[-1], frame))
        told = sum(map(len, class_.console.sent)), sum(len(p) for line in class_.room for p in line.sent)
        class_.act(Lock("last", (1,), 1.0, 1.0))
        class_.act(Reveal("last", (1,), ("",) * 4, "because"))
        reveal = len(class_.room[0].sent[-1])
        class_.act(Move("on", 0))
        return taken, *told, reveal, len(class_.room[0].sent[-1])

    with own_folders():
        return asyncio.run(played())


def test_an_answer_costs_the_same_in_a_large_room_and_after_many_questions() -> None:
    few, many = cost(5, 1), cost(200, 9)
    assert many[0] <= 1.1 * few[0], "steps of the host"
    assert many[1] <= few[1] + 8, "bytes to the console"
    assert few[2] == many[2] == 0, "bytes to the room"
    assert many[3] <= few[3] + 16, "bytes of the reveal"
    assert many[4] <= few[4] + 16, "bytes of a move"


def test_a_room_is_told_counts_and_no_more_words_than_a_screen_can_use() -> None:
    state = QuestionState("q", "text", 0)
    for n in range(500):
        state = question_state.answered(state, f"s{n}", (), ("x" * 300 + str(n // 2),), f"P{n}")
    state = question_state.answered(state, "s500", (), ("ring",), "P500")
    state = question_without_votes_and_key.public(class_state.replace(state, phase="revealed"))
    assert (state.answers, state.texts, state.people) == ({}, {}, {})
    assert state.answered == 501 and state.unsaid > 0
    assert sum(len(one.text[0]) for one in state.said) <= MOST_TOLD
    assert [one.count for one in state.said] == sorted((one.count for one in state.said), reverse=True)


def test_who_answers_on_another_screen_is_counted_once() -> None:
    state = question_state.opened(QuestionState("q", "single", 3), 0.0)
    for screen, choice, name in (("a", 0, "Ann"), ("b", 1, "Bob"), ("c", 2, "Ann"), ("c", 1, "Ann")):
        state = question_state.answered(state, screen, (choice,), (), name)
    state = question_state.answered(state, "desk", (0,))
    assert (state.counts, state.votes, state.answered) == ((1, 2, 0), (0, 2, 0), 2)
    state = question_state.answered(state, "b", (), (), "Bob")
    assert (state.counts, state.votes, state.people) == ((1, 1, 0), (0, 1, 0), {"c": "Ann"})


screens, choices = st.sampled_from("abcd"), st.lists(st.integers(-1, 4), max_size=3).map(tuple)
names = st.sampled_from(["a", "b"])
done = st.one_of(
    st.builds(actions.Open, names, st.sampled_from(["single", "multi", "text"]), st.integers(0, 4)),
    st.builds(
        actions.Answer,
        names,
        choices,
        st.lists(st.sampled_from(["", "x", "y"]), max_size=2).map(tuple),
        st.sampled_from([None, "", "Ann", "Bob"]),
    ),
    st.builds(actions.Hands, names, st.lists(st.integers(0, 3), max_size=4).map(tuple)),
    st.builds(actions.Lock, names, choices, st.just(1.0), st.just(1.0)),
    st.builds(actions.Again, names),
    st.builds(actions.Measured, names, st.just(question_state.Sample("b", "r", 1.0))),
    st.builds(actions.Reveal, names, choices, st.just(("why",))),
    st.builds(actions.Move, st.sampled_from(["s", "t"]), st.integers(0, 2)),
    st.builds(actions.Show, st.sampled_from(["live", "frozen", "black"])),
    st.builds(actions.Undo, st.integers(1, 20)),
)


@settings(max_examples=200)
@given(st.lists(st.tuples(screens, done), max_size=20))
def test_a_screen_of_the_room_knows_all_it_may_by_what_it_was_told(
    lines: list[tuple[str, AnyAction]],
) -> None:
    """`Seen` against the whole state made anew, and the counts against counting."""
    entries: list[actions.Entry] = []
    state = class_state.ClassState()
    seen, known = Seen(state), state
    for n, (screen, action) in enumerate(lines, start=1):
        entries.append(actions.Entry(n, float(n), screen, "all", action))
        undo = isinstance(action, actions.Undo)
        state = class_state.fold(entries) if undo else class_state.apply(state, entries[-1])
        told = seen.after(action, state)
        if told is not None:
            known = seen.state if undo else state_for_the_room.joined(known, told)
        whole = state_for_the_room.visible_to(state, "audience")
        assert class_state.replace(known, rev=0) == class_state.replace(whole, rev=0), action
        assert seen.state == whole
        for question in state.questions.values():
            if question.kind in question_state.COUNTED:
                given = question.answers.values()
                counted = tuple(sum(m in choice for choice in given) for m in range(question.options))
                assert question.counts == counted
                room = [question.answers.get(who, ()) for who in question_state.heard(question)]
                keyed = tuple(sum(m in choice for choice in room) for m in range(question.options))
                hands = question.hands or (0,) * question.options
                assert question.votes == tuple(map(sum, zip(keyed, hands, strict=True)))
            assert question.answered == sum(question.hands) + len(question_state.heard(question))


def test_the_line_to_the_host_makes_partial_states_whole() -> None:
    got: list[messages.AnyMessage] = []
    client = Client("c", "audience", "s", got.append, lambda word: None)
    old, new = QuestionState("old", "single", 2), QuestionState("new", "single", 3)
    first = class_state.ClassState(questions={"old": old})
    welcome = Welcome(messages.VERSION, "c", 1, first, b"", "cold", "")
    entry = actions.Entry(2, 1.0, "", "all", Open("new", "single", 3))
    part = class_state.ClassState(rev=2, questions={"new": new})
    for message in (welcome, Ordered(entry, 0, part, True)):
        client.received(FrameProtocol(lambda line, payload: None), messages.encode(message))
    state = next(message.state for message in got if isinstance(message, Ordered))
    assert state is not None and state.questions == {"old": old, "new": new}
