"""The key of a question as a class is told it, and a question as somebody has it who was told: screens of the
room never had the key, and a class was graded by the one it was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from quiz.grade import Grade, grade
from quiz.kinds.kind import Remark, Told, of
from quiz.kinds.shared.accepted import best
from quiz.question import Question

__all__ = [
    "Remark",
    "Told",
    "fits",
    "graded",
    "held",
    "in_words",
    "joined",
    "key_as_typed",
    "key_in_words",
    "remarks",
    "told",
]


def told(question: Question) -> Told:
    """Return the key as a reveal shows it: only what earns all the points."""
    return of(question.kind).told(question)


def remarks(question: Question) -> list[Remark]:
    """Return remarks on typical answers, wrong ones too, that `told` does not explain."""
    return of(question.kind).remarks(question)


def fits(question: Question, text: str, typed: str) -> bool:
    """Whether `typed` counts as that accepted answer."""
    return best([of(question.kind).accepts(text)], typed, question.case) is not None


def held(question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
    """Return `question` with the key that was told; unchanged, weights and all, if it has that very key."""
    if told(question)[:2] == (tuple(key), tuple(accepted)):
        return question
    return of(question.kind).held(question, key, accepted)


def joined(question: Question, accepted: Sequence[str], either: str) -> str:
    """Join the right texts in one line, with `either` between them if any one is enough."""
    return (of(question.kind).between or either).join(accepted)


def key_as_typed(question: Question) -> str:
    """Return the right answer in one line, as it would be typed."""
    return of(question.kind).key_as_typed(question)


def key_in_words(question: Question, words: Callable[[str], str]) -> str:
    """Return the right answer for readers, "" if it is marked among the options. `words` reads Markdown."""
    return of(question.kind).key_in_words(question, words)


def in_words(question: Question, choice: Sequence[int], text: Sequence[str] = ()) -> str:
    """Return an answer for a report: what was typed, else options by number (from 1) with their text."""
    return "; ".join(text) if any(text) else of(question.kind).in_words(question, choice)


def graded(
    question: Question, undecided: Sequence[str], choice: Collection[int], text: Sequence[str] = ()
) -> Grade | None:
    """The grade of an answer by the key that was told; None where nothing is right or wrong, and for an
    answer that a measurement left `undecided`. What lies outside of that is wrong all the same."""
    if not undecided:
        return grade(question, choice, text) if question.keyed else None
    if question.keyed and (found := grade(question, choice, text)).right:
        return found
    return None if _within(question, undecided, choice, text) else Grade(0.0, question.points, False)


def _within(
    question: Question, undecided: Sequence[str], choice: Collection[int], text: Sequence[str]
) -> bool:
    if question.options:
        return bool(choice) and all(str(n + 1) in undecided for n in choice)
    ranges = [of("numeric").accepts(one) for one in undecided]
    return best(ranges, text[0] if text else "") is not None
