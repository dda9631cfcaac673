"""What every test of a screen ends with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tui.rendering import error_box


@pytest.fixture(autouse=True)
def every_part_was_drawn() -> Iterator[None]:
    """`guard` keeps a lesson going over our own faults; a test must not."""
    error_box.failures.clear()
    yield
    assert error_box.failures == []
