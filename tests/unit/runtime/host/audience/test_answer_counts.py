"""How many have answered, of how many: those who have answered and gone are some of them."""

from __future__ import annotations

import asyncio

import pytest

from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState
from runtime.host.audience import answer_counts
from runtime.host.audience.answer_counts import AnswerCounts


class Phones:
    def __init__(self, here: int) -> None:
        self.here = here
        self.counts: dict[str, tuple[int, int]] = {}
        self.told = asyncio.Event()

    def counted(self, counts: dict[str, tuple[int, int]]) -> None:
        self.counts = counts
        self.told.set()


@pytest.mark.parametrize(("here", "answered", "of"), [(2, 1, 2), (2, 3, 3), (0, 1, 0)])
async def test_never_more_than_all(
    here: int, answered: int, of: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_counts, "SOON_S", 0.0)
    answers = {f"seat{n}": (0,) for n in range(answered)}
    state = ClassState(questions={"q": QuestionState("q", "single", 2, answers=answers)})
    phones = Phones(here)
    AnswerCounts().after(None, state, (), phones)
    await asyncio.wait_for(phones.told.wait(), 10)
    assert phones.counts == {"q": (answered, of)}
