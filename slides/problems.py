"""What is wrong in a deck, said so that its author can mend it: where, what, and what to write instead."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """`line` and `column` count from 1. `message` says what is wrong, `mend` what to write instead."""

    file: str
    line: int
    message: str
    mend: str
    column: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")
        return f"{place}: {self.message}. {self.mend}"
