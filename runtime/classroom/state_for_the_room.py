"""The state of a class as the room may know it: no keys too early, nothing that teachers arrange."""

from __future__ import annotations

from msgspec.structs import replace

from runtime.classroom import question_without_votes_and_key
from runtime.classroom.actions import Role
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState


def visible_to(state: ClassState, role: Role) -> ClassState:
    """Return the state a screen of `role` may know: audiences see no answers or keys too early."""
    if role == "console":
        return state
    return for_the_room(
        state,
        {id: question_without_votes_and_key.public(question) for id, question in state.questions.items()},
    )


def for_the_room(state: ClassState, seen: dict[str, QuestionState]) -> ClassState:
    """Return the audience's state, with `seen` for its questions."""
    return replace(
        state,
        pos=state.audience,
        held=False,
        look=state.shown_look if state.stands else state.look,
        questions=seen,
        seed="",
        consent=(),
        path="",
        format="",
        until=None,
        dropped=(),
        lead="",
    )


def joined(before: ClassState, changed: ClassState) -> ClassState:
    """Return an audience's new state from its old one and the partial state it was sent."""
    return replace(changed, questions={**before.questions, **changed.questions})
