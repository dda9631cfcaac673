"""The part of a class's state that audiences may know, updated by what has changed.

With a thousand people answering twelve questions, the public state cannot be made, compared and sent anew for
each answer. So the public form of a question is made only when the question has changed, and only changed
questions are sent with an entry.
"""

from __future__ import annotations

from msgspec.structs import replace

from runtime.classroom import question_without_votes_and_key
from runtime.classroom.actions import AnyAction, Measured
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState
from runtime.classroom.state_for_the_room import for_the_room
from runtime.host.visibility import HIDDEN


class Seen:
    """`state` is all that an audience may know of the class."""

    def __init__(self, state: ClassState) -> None:
        self._told: dict[str, tuple[QuestionState, QuestionState]] = {}  # as the host has it, and in public
        self._behind = False
        self._state = self._look(state)
        self._of = state

    @property
    def state(self) -> ClassState:
        """All that an audience may know; made anew when it is first asked for after a hidden change."""
        if self._behind:
            self._state, self._behind = self._look(self._of), False
        return self._state

    def after(self, action: AnyAction, state: ClassState) -> ClassState | None:
        """Return what `action`, which led to `state`, has changed for audiences: a state with only the
        changed questions. None: nothing."""
        self._of = state
        if isinstance(action, HIDDEN) and not _shows(action, state):
            self._behind = True
            return None
        before, self._state = self._state, self._look(state)
        self._behind = False
        # Where a question is the one that was told, it is the very object.
        changed = {
            id: question
            for id, question in self._state.questions.items()
            if before.questions.get(id) is not question
        }
        gone = before.questions.keys() - self._state.questions.keys()
        same = replace(before, rev=state.rev, questions={}) == replace(self._state, questions={})
        if same and not changed and not gone:
            return None
        return replace(self._state, questions=changed)

    def _look(self, state: ClassState) -> ClassState:
        seen = {}
        for id, question in state.questions.items():
            known = self._told.get(id)
            if known is None or known[0] is not question:
                shown = question_without_votes_and_key.public(question)
                if known is not None and known[1] == shown:
                    shown = known[1]
                known = self._told[id] = (question, shown)
            seen[id] = known[1]
        return for_the_room(state, seen)


def _shows(action: AnyAction, state: ClassState) -> bool:
    """Whether audiences see the action at once: that a run is over, its figure from the reveal on."""
    return isinstance(action, Measured) and action.question in state.questions
