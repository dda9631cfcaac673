"""The key of a question as a class is told it, and a question as somebody has it who was told: screens of the
room never had the key, and a class was graded by the one it was shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quiz.kinds import build
from quiz.kinds.grade import Grade, best, grade
from quiz.kinds.traits import ACCEPTING
from quiz.question import Accepted, Gap, Question

_OR = "|"  # between the texts that a gap accepts, as decks write them


class Told(NamedTuple):
    """`accepted` are the right texts, of a question with gaps one a gap; `explain` belongs to them, or to the
    options. `undecided` is what a measurement left neither right nor wrong: options by their number from 1,
    or a range of numbers."""

    key: tuple[int, ...]
    accepted: tuple[str, ...]
    explain: tuple[str, ...]
    undecided: tuple[str, ...] = ()


def told(question: Question) -> Told:
    """What a reveal says of what is right: only what earns all the points."""
    if question.kind in ACCEPTING:
        right = [answer for answer in question.accepted if answer.weight >= 1.0]
        return Told((), tuple(a.text for a in right), tuple(a.explain for a in right))
    explain = tuple(option.explain for option in question.options)
    if question.kind == "cloze":
        return Told((), tuple(_OR.join(_right(gap)) for gap in question.gaps), explain)
    return Told(question.key, (), explain)


class Remark(NamedTuple):
    """What is said of an answer that is typed (`explain`); `gap` is the one it goes into (from 0)."""

    text: str
    explain: str
    right: bool
    gap: int = 0


def remarks(question: Question) -> list[Remark]:
    """Of typical answers, wrong ones too: those that `told` does not explain."""
    if question.kind in ACCEPTING:
        return [Remark(a.text, a.explain, False) for a in question.accepted if a.explain and a.weight < 1.0]
    return [
        Remark(answer.text, answer.explain, answer.weight >= 1.0, n)
        for n, gap in enumerate(question.gaps)
        for answer in gap.accepted
        if answer.explain
    ]


def fits(question: Question, text: str, typed: str) -> bool:
    """Whether `typed` is that answer."""
    return best([_accepted(text, question.kind)], typed, question.case) is not None


def _right(gap: Gap) -> list[str]:
    return [answer.text for answer in gap.accepted if answer.weight >= 1.0]


def alternatives(accepted: str) -> list[str]:
    """The texts that a gap accepts, the first one first."""
    return [text.strip() for text in accepted.split(_OR) if text.strip()]


def held(question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
    """`question` with the key that was told; as it is, weights and all, where it has that very one."""
    if told(question)[:2] == (tuple(key), tuple(accepted)):
        return question
    match question.kind:
        case "single" | "multi" | "truefalse":
            options = tuple(
                replace(option, right=n in key, weight=None) for n, option in enumerate(question.options)
            )
            return replace(question, options=options)
        case "order" | "match" | "line":
            prompts = question.prompts or ("",) * (len(key) if question.kind == "match" else 0)
            return replace(question, sequence=tuple(key), prompts=prompts)
        case "numeric" | "text":
            return replace(question, accepted=tuple(_accepted(t, question.kind) for t in accepted))
        case "cloze":
            known = question.gaps or (Gap(()),) * len(accepted)
            gaps = tuple(
                Gap(tuple(_accepted(text, "cloze") for text in alternatives(texts)), gap.offered, gap.weight)
                for gap, texts in zip(known, accepted, strict=False)
            )
            return replace(question, gaps=gaps)
        case _:
            return question


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
    return best([_accepted(one, "numeric") for one in undecided], text[0] if text else "") is not None


def _accepted(text: str, kind: str) -> Accepted:
    return Accepted(text, number=build.number(text) if kind in ("numeric", "cloze") else None)
