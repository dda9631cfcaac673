"""Shuffles the parts of a question by a seed, the same on every screen.

An arranged question is a question: its key counts in the new order, so answers, grading, redaction and views
need to know nothing of it.
"""

from __future__ import annotations

import random

from msgspec.structs import replace

from quiz.kinds.kind import of
from quiz.question import Question


def arranged(question: Question, seed: str) -> Question:
    """`question` with what may be shuffled in the order of `seed` and its id.

    The items of `order` (never into their right order, where there is another) and the right sides of `match`
    are always shuffled, for as written they are the key; options where the question says `shuffle`.
    """
    kind = of(question.kind)
    if not (kind.shuffled or question.shuffle):
        return question
    places = kind.arranged(question, _places(question, seed))
    moved = {old: new for new, old in enumerate(places)}
    return replace(
        question,
        options=tuple(question.options[old] for old in places),
        sequence=tuple(moved[old] for old in question.sequence),
    )


def _places(question: Question, seed: str) -> list[int]:
    places = list(range(len(question.options)))
    random.Random(f"{seed}/{question.id}").shuffle(places)
    return places


def keyless(question: Question) -> Question:
    """Return the question without its key, as it may be shown before the reveal."""
    return replace(
        question,
        options=tuple(replace(option, right=False, explain="", weight=None) for option in question.options),
        sequence=(),
        accepted=(),
        gaps=tuple(replace(gap, accepted=()) for gap in question.gaps),
        explain="",
        verdicts=(),
    )
