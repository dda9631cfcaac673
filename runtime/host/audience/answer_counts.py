"""How many of the room have answered: told to the room's screen while nobody may know what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Protocol

from runtime.classroom.actions import Again, Answer, AnyAction, Hands, Undo
from runtime.classroom.state import ClassState
from runtime.host.attached_screens import Screen
from runtime.protocol import messages
from runtime.protocol.messages import Answered

SOON_S = 0.3  # after an answer: once of all that come together


class Counted(Protocol):
    """Those who answer without a screen of ours, and are told the counts too."""

    @property
    def here(self) -> int:
        """How many they are."""

    def counted(self, counts: dict[str, tuple[int, int]]) -> None:
        """Take the counts of the questions that are not revealed."""


class AnswerCounts:
    """Tells screens of the room that do not answer, and phones: the room's are what everybody looks at."""

    def __init__(self) -> None:
        self._waiting: asyncio.TimerHandle | None = None
        self._told: dict[str, tuple[int, int]] = {}  # by question: answers, and who could answer by key
        self._state = ClassState()
        self._screens: list[Screen] = []
        self._phones: Counted | None = None

    def after(
        self, action: AnyAction | None, state: ClassState, screens: Iterable[Screen], phones: Counted
    ) -> None:
        """Look again soon, if that may have changed a count; None: somebody came, who knows none."""
        self._state, self._screens, self._phones = state, list(screens), phones
        if action is None:
            self._told.clear()
        elif not isinstance(action, Answer | Hands | Again | Undo):
            return
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(SOON_S, self._tell)

    def _tell(self) -> None:
        self._waiting = None
        shown = [screen for screen in self._screens if screen.role == "audience" and not screen.answers]
        people = sum(screen.answers for screen in self._screens)
        if self._phones is not None:
            people += self._phones.here
            open_ones = (q for q in self._state.questions.values() if q.phase != "revealed")
            self._phones.counted({q.id: (q.answered, _of(people, q.answered)) for q in open_ones})
        for id, question in self._state.questions.items() if shown else ():
            told = question.answered, _of(people, question.answered)
            if question.phase != "revealed" and told != self._told.get(id, (0, people)):
                self._told[id] = told
                payload = messages.encode(Answered(id, *told))
                for screen in shown:
                    screen.tell(payload)


def _of(people: int, answered: int) -> int:
    """Of how many: those who have answered and gone are some of them; 0 where nobody can by key."""
    return max(people, answered) if people else 0
