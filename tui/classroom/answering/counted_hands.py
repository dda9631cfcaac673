"""Hands that the teacher has counted: `4 13 19 8` for options, `4:13 7:2` for lines of code."""

from __future__ import annotations

import re
from collections.abc import Callable

from quiz.kinds.registry import LINED
from quiz.question import Question
from runtime.classroom.actions import Hands
from runtime.classroom.question_state import COUNTED, QuestionState
from tui.classroom.session import Session

Asked = tuple[Question, QuestionState]


class CountedHands:
    """The raised hands for the question that keys go to, which is what `current` returns."""

    def __init__(self, session: Session, current: Callable[[], Asked | None]) -> None:
        self._session, self._current = session, current

    def countable(self) -> Asked | None:
        """The question whose hands can be counted now."""
        current = self._current()
        able = current is not None and current[1].phase != "revealed" and current[1].kind in COUNTED
        return current if able else None

    def read(self, text: str) -> tuple[int, ...] | str:
        """One count per option, of lines of code written as line and count; or what to write."""
        current = self.countable()
        count = current[1].options if current is not None else 0
        words = re.split(r"[\s,;/]+", text.strip()) if text.strip() else []
        if not words:
            return ()
        if current is not None and current[0].kind in LINED:
            pairs = [re.fullmatch(r"([0-9]{1,4}):([0-9]{1,4})", word) for word in words]
            raised = {int(pair[1]): int(pair[2]) for pair in pairs if pair and 1 <= int(pair[1]) <= count}
            if len(raised) != len(words):
                return f"each line with its hands, as in 1:4 {count}:13"
            return tuple(raised.get(n, 0) for n in range(1, count + 1))
        if len(words) != count or not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
            example = " ".join(("4", "13", "19", "8", "5", "7", "3", "2", "6")[:count])
            return f"{count} counts, one for each option, as in {example}"
        return tuple(int(word) for word in words)

    def written(self) -> str:
        """The hands counted so far, as they are written."""
        current = self.countable()
        if current is None:
            return ""
        if current[0].kind in LINED:
            return " ".join(f"{n}:{count}" for n, count in enumerate(current[1].hands, 1) if count)
        return " ".join(map(str, current[1].hands))

    def send(self, counts: tuple[int, ...]) -> None:
        """Send the raised hands counted for each option."""
        if (current := self.countable()) is not None:
            self._session.act(Hands(current[0].id, counts))
