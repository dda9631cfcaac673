"""Standard input as a sign of life: whoever started us holds it, and we end with it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

SILENT_S = 60.0  # after which who has spoken before, and speaks no more, is taken for gone


class HeldInput:
    """`gone(why)` is called when the input has ended, or is silent for long after something was heard: a
    connection that is half open has no end."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, gone: Callable[[str], None], silent_s: float = SILENT_S
    ) -> None:
        self._loop, self._gone, self._silent_s = loop, gone, silent_s
        self._silence: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Listen from now on."""
        try:
            self._loop.add_reader(sys.stdin.fileno(), self._hear)
        except PermissionError:  # a file, or /dev/null: nobody is there
            self._hung_up()

    def _hear(self) -> None:
        fd = sys.stdin.fileno()
        if self._silence is not None:
            self._silence.cancel()
        if os.read(fd, 1 << 12):  # it says so now and then
            self._silence = self._loop.call_later(self._silent_s, self._hung_up)
        else:
            self._loop.remove_reader(fd)
            self._hung_up()

    def _hung_up(self) -> None:
        self._gone("whoever started it has hung up")
