"""Keeps the newest lines a program has printed, within bounds while it goes on printing."""

from __future__ import annotations

import codecs
from collections import deque
from itertools import islice

MOST_LINES = 5000
MOST_CHARS = 1 << 20
LONGEST = 4000  # characters after which a line is broken, as a terminal would


class Printed:
    """Bytes in, lines out. `first` is the number of the oldest line kept, `end` that of the next one.

    A carriage return begins its line anew, as progress bars want it. What stands in the lines is untrusted.
    """

    def __init__(self) -> None:
        self.first = 0
        self.open = ""
        """The line that has no end yet."""
        self._lines: deque[str] = deque()
        self._chars = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def end(self) -> int:
        """Number of the next line, as `first` is that of the oldest kept."""
        return self.first + len(self._lines)

    def lines(self, start: int, most_chars: int) -> tuple[int, tuple[str, ...]]:
        """Return (number of the first, lines) from `start` or the oldest kept on; about `most_chars`."""
        start = min(max(start, self.first), self.end)
        found: list[str] = []
        size = 0
        for line in islice(self._lines, start - self.first, None):
            found.append(line)
            size += len(line) + 1
            if size >= most_chars:
                break
        return start, tuple(found)

    def feed(self, data: bytes, final: bool = False) -> None:
        """Take in output; `final`: it is the last."""
        *done, last = (self.open + self._decoder.decode(data, final)).split("\n")
        for line in done:
            self._add(_overwritten(line.removesuffix("\r")))
        # The end of a CR LF may come later.
        returned = last.endswith("\r")
        self.open = _overwritten(last.removesuffix("\r")) + "\r" * returned
        while len(self.open) > LONGEST:
            self._add(self.open[:LONGEST])
            self.open = self.open[LONGEST:]
        if final and self.open.removesuffix("\r"):
            self._add(self.open.removesuffix("\r"))
            self.open = ""

    def _add(self, line: str) -> None:
        for start in range(0, len(line) or 1, LONGEST):
            self._lines.append(line[start : start + LONGEST])
            self._chars += len(self._lines[-1])
        while len(self._lines) > MOST_LINES or self._chars > MOST_CHARS:
            self._chars -= len(self._lines.popleft())
            self.first += 1


def _overwritten(line: str) -> str:
    return line.rpartition("\r")[2]
