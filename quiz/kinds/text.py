"""A short text, `= ring | ring all-reduce`."""

from __future__ import annotations

from collections.abc import Sequence

from quiz.kinds.kind import EQUALS
from quiz.kinds.shared.accepted import AcceptedAnswers


class Text(AcceptedAnswers):
    """A short text; `|` parts texts that are equally right."""

    def recognised(self, lines: Sequence[str]) -> bool:
        return any(EQUALS.match(line) for line in lines)

    def alternatives(self, text: str) -> list[str]:
        return text.split(" | ")


KIND = Text()
