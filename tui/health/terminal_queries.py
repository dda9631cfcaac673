"""Questions to a terminal, each with a time limit: one that says nothing costs a moment.

Must run while nobody else reads the terminal. What comes too late is thrown away, not typed into a shell.
"""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

WITHIN_S = 1.0
_CURSOR = re.compile(rb"\x1b\[(\d+);(\d+)R")
_DEVICE = re.compile(rb"\x1b\[\?[\d;]*c")


class Terminal:
    """A terminal at both ends, in which keys are not shown and not waited for."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write

    def ask(self, question: bytes, within_s: float = WITHIN_S) -> bytes:
        """What it answers. Behind every question goes one that all terminals answer: that ends the wait."""
        os.write(self._write, question + b"\x1b[c")
        until, answer = time.monotonic() + within_s, b""
        while (left := until - time.monotonic()) > 0 and not _DEVICE.search(answer):
            if not select.select([self._read], [], [], left)[0]:
                break
            piece = os.read(self._read, 1024)
            if not piece:
                break
            answer += piece
        return answer

    def widths(self, texts: list[str]) -> list[int | None]:
        """Cells that it gives each text, by where its cursor stands behind it; None: it did not say."""
        question = b"".join(b"\r\x1b[2K" + text.encode() + b"\x1b[6n" for text in texts) + b"\r\x1b[2K"
        places = _CURSOR.findall(self.ask(question))
        if len(places) != len(texts):
            return [None] * len(texts)
        return [int(column) - 1 for _, column in places]

    def round_trip_s(self) -> float | None:
        """How long it takes to answer; None: it does not."""
        begun = time.monotonic()
        return time.monotonic() - begun if _DEVICE.search(self.ask(b"")) else None


@contextmanager
def terminal() -> Iterator[Terminal | None]:
    """The terminal at stdin and stdout; None where there is none, or somebody else is at it now."""
    import termios
    import tty

    ends = (sys.stdin, sys.stdout)
    if not all(stream is not None and stream.isatty() for stream in ends):
        yield None
        return
    read, write = (stream.fileno() for stream in ends)
    if os.tcgetpgrp(read) != os.getpgrp():  # in the background it would stop us
        yield None
        return
    sys.stdout.flush()
    before = termios.tcgetattr(read)
    try:
        tty.setcbreak(read)
        yield Terminal(read, write)
    finally:
        termios.tcsetattr(read, termios.TCSAFLUSH, before)
