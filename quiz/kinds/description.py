"""A text among questions that asks nothing."""

from __future__ import annotations

from quiz.kinds.kind import QuestionKind, Reply
from quiz.question import Question


class Description(QuestionKind):
    """A text that asks nothing: any answer is an empty one."""

    def reply(self, question: Question, typed: str) -> Reply | str:
        return Reply()


KIND = Description()
