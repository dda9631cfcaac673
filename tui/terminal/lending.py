"""The terminal is lent to another program for a while: an editor, or an exercise."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol


class Lender(Protocol):
    """A screen that can let go of its terminal."""

    def batch_update(self) -> AbstractContextManager[None]:
        """Hold repaints back until the block is left."""

    def suspend(self) -> AbstractContextManager[None]:
        """Give the terminal to another program until the block is left."""


async def lend(screen: Lender, command: Sequence[str]) -> int:
    """Run `command` in this terminal; returns its exit status. Raises `OSError` where it cannot start.

    Nothing is painted or read by us meanwhile, and Ctrl C is the other program's.
    """
    held = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with screen.batch_update(), screen.suspend():
            process = await asyncio.create_subprocess_exec(*command)
            return await process.wait()
    finally:
        signal.signal(signal.SIGINT, held)
