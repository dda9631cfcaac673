"""A free text that no program grades."""

from __future__ import annotations

from quiz.kinds.kind import QuestionKind

KIND = QuestionKind()
