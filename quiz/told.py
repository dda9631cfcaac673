"""The key of a question as a class is told it, and a question as somebody has it who was told: screens of the
room never had the key, and a class was graded by the one it was shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quiz import kinds
from quiz.question import Accepted, Gap, Question

_OR = "|"  # between the texts that a gap accepts, as decks write them


class Told(NamedTuple):
    """`accepted` are the right texts, of a question with gaps one a gap; `explain` belongs to them, or to the
    options."""

    key: tuple[int, ...]
    accepted: tuple[str, ...]
    explain: tuple[str, ...]


def told(question: Question) -> Told:
    """What a reveal says of what is right: only what earns all the points."""
    if question.kind in ("numeric", "text"):
        right = [answer for answer in question.accepted if answer.weight >= 1.0]
        return Told((), tuple(a.text for a in right), tuple(a.explain for a in right))
    explain = tuple(option.explain for option in question.options)
    if question.kind == "cloze":
        return Told((), tuple(_OR.join(_right(gap)) for gap in question.gaps), explain)
    return Told(question.key, (), explain)


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


def _accepted(text: str, kind: str) -> Accepted:
    return Accepted(text, number=kinds.number(text) if kind in ("numeric", "cloze") else None)
