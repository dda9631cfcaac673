"""What tests of several files of this folder begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_student import Student


@pytest.fixture
def student(tmp_path: Path) -> Iterator[Student]:
    """With a course of one lesson that has every kind of question."""
    made = Student(tmp_path)
    yield made
    made.desk.close()
