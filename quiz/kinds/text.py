"""A short text, `= ring | ring all-reduce`."""

from __future__ import annotations

from collections.abc import Sequence

from quiz.kinds.accepted import AcceptedAnswers
from quiz.kinds.kind import EQUALS


class Text(AcceptedAnswers):
    """A short text; `|` parts texts that are equally right."""

    def recognised(self, lines: Sequence[str]) -> bool:
        return any(EQUALS.match(line) for line in lines)

    def alternatives(self, text: str) -> list[str]:
        return text.split(" | ")


KIND = Text()
