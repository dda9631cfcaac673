"""A bank of questions and what is put into it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from quiz.question import Option, Question
from quiz.question_bank import QuestionBank


def question(n: int, *tags: str, **changes: object) -> Question:
    made = Question(f"q{n}", "single", f"Question {n}?", (Option("a", True), Option("b")), tags=tags)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def bank(tmp_path: Path) -> QuestionBank:
    return QuestionBank(tmp_path / "bank.sqlite")
