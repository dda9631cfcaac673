"""What tests of questions begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from quiz.question_bank import QuestionBank


@pytest.fixture
def bank(tmp_path: Path) -> QuestionBank:
    return QuestionBank(tmp_path / "bank.sqlite")
