"""What a reader finds a file by: its name, once; and a length that is read at a sitting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOMS = ("tui", "slides", "quiz", "runtime", "tests")
MOST_LINES = 400


def test_no_two_test_files_have_one_name() -> None:
    """Pytest imports them by it, and collects only the first it meets."""
    named = Counter(file.name for file in TESTS.rglob("test_*.py"))
    assert [name for name, times in named.items() if times > 1] == []


def test_no_file_is_longer_than_a_reader_takes_in() -> None:
    long = {}
    for room in ROOMS:
        for file in (TESTS.parent / room).rglob("*.py"):
            if (lines := file.read_text("utf-8").count("\n")) > MOST_LINES:
                long[str(file.relative_to(TESTS.parent))] = lines
    assert long == {}
