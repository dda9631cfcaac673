"""Closes questions whose time is over where no console does: the one that drove may be gone.

A console that drives closes a question at its time with the grade of its own answer, so it is waited for a
little. Until then answers count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runtime.classroom.actions import Lock
from runtime.classroom.question_state import QuestionState

PATIENCE_S = 3.0


def locks(questions: Iterable[QuestionState], now: float) -> Iterator[Lock]:
    """Yield what closes those over since `PATIENCE_S`, without a grade; `now` is of the wall clock."""
    for question in questions:
        closes = question.closes_at()
        if closes is not None and now > closes + PATIENCE_S:
            yield Lock(question.id, (), None, 0.0)
