"""What every test of a screen ends with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import textual._wait

from tui.rendering import error_box

# Textual's pilot waits up to a second after a key until the process is idle. Idle is less than a twentieth of
# a core to it, and a clock that ticks beside other tests takes more. A quarter is idle enough: what lays out
# or reads takes all of it.
textual._wait.SLEEP_IDLE = textual._wait.SLEEP_GRANULARITY / 4


@pytest.fixture(autouse=True)
def every_part_was_drawn() -> Iterator[None]:
    """`guard` keeps a lesson going over our own faults; a test must not."""
    error_box.failures.clear()
    yield
    assert error_box.failures == []
