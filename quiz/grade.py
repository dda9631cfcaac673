"""Grades answers. Speed never counts. Each kind says what earns which share (`share` in `quiz/kinds/`);
`partial=no` makes it all or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from quiz.kinds.kind import of
from quiz.question import Question


class Grade(NamedTuple):
    """`right` only when the answer is the key, neither more nor less. `parts` is the share earned (0 to 1) by
    each prompt, gap or place in the order, where the kind has such parts. `explain` belongs to the accepted
    answer that fitted."""

    points: float
    out_of: float
    right: bool
    parts: tuple[float, ...] = ()
    explain: str = ""


def grade(question: Question, choice: Collection[int], text: Sequence[str] = ()) -> Grade:
    """Grade an answer: 0-based options, lines or places in `choice`, what was typed in `text`.

    An empty one is a question not answered. A pick that is not an option counts as wrong. Raises ValueError
    for a question whose key was taken out, or that never had one.
    """
    if not question.keyed:
        raise ValueError(f"question {question.id!r} has no key to grade by")
    share = of(question.kind).share(question, tuple(choice), tuple(text))
    earned = share.earned if question.partial or share.right else 0.0
    points = question.points * min(1.0, max(0.0, earned))
    return Grade(points, question.points, share.right, share.parts, share.explain)
