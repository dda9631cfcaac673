"""A number, `= 16.6 ± 0.1 GB`."""

from __future__ import annotations

from collections.abc import Sequence

from quiz.answers import quantity
from quiz.answers.tolerance_as_written import number
from quiz.kinds.kind import EQUALS, Reply
from quiz.kinds.shared.accepted import AcceptedAnswers
from quiz.question import Accepted, Question


class Numeric(AcceptedAnswers):
    """A number with its unit, right within a tolerance or a range."""

    exact = True

    def recognised(self, lines: Sequence[str]) -> bool:
        equals = next((match for line in lines if (match := EQUALS.match(line))), None)
        return equals is not None and number(equals["text"].strip().casefold()) is not None

    def accepts(self, text: str) -> Accepted:
        return Accepted(text, number=number(text))

    def trouble(self, answer: Accepted) -> tuple[str, str] | None:
        if answer.number is not None or answer.text.strip() == "*":
            return None
        return (
            f"{answer.text.strip()!r} is not a number",
            "Write `= 16.6 GB`, `= 16.6 ± 0.1 GB`, `= 16.6 ± 5%` or `= 16..17 GB`",
        )

    def reply(self, question: Question, typed: str) -> Reply | str:
        if quantity.read(typed) is None:
            return "a number, with its unit where it has one: 16.6 or 16.6 GB"
        return super().reply(question, typed)

    def how(self, question: Question) -> str:
        return "a number, with its unit where it has one, as in 16.6 GB"

    def typing(self, question: Question) -> str:
        return "a number, with its unit where it has one: 16.6 GB"


KIND = Numeric()
