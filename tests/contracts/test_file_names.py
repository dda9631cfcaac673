"""No two test files have one name: pytest imports them by it, and collects only the first it meets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_test_files_have_one_name() -> None:
    named = Counter(file.name for file in TESTS.rglob("test_*.py"))
    assert [name for name, times in named.items() if times > 1] == []
