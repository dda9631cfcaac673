"""Waiting for the very thing that is asserted then: the machine is loaded, and no time says when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

THIS = "what this test waits for"


def wait(condition: Callable[[], object], what: str = THIS, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


async def until(condition: Callable[[], object], what: str = THIS, seconds: float = 150.0) -> None:
    """The same beside other tasks."""
    try:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"never: {what}") from None
