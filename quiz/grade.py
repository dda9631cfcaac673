"""What an answer is worth. Flat: how fast it came never counts.

Single choice: all or nothing. Multiple choice: each right pick earns an equal share of the points, each wrong
pick takes one such share away, and nobody falls below zero.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from quiz.question import Question


class Grade(NamedTuple):
    """`right` only when the answer is the key, neither more nor less."""

    points: float
    out_of: float
    right: bool


def grade(question: Question, choice: Collection[int]) -> Grade:
    """The grade of `choice`, 0-based options in any order; an empty one is a question not answered.

    Multiple choice with K right options: points · max(0, right picks - wrong picks) / K. A pick that is no
    option counts as wrong. Raises ValueError for a question whose key was taken out.
    """
    key, picked = set(question.key), set(choice)
    if not key:
        raise ValueError(f"question {question.id!r} has no key to grade by")
    if picked == key:
        return Grade(question.points, question.points, True)
    if question.kind == "single":
        return Grade(0.0, question.points, False)
    hits = len(picked & key) - len(picked - key)
    return Grade(question.points * max(0, hits) / len(key), question.points, False)
