"""What is wrong in a deck, said so that its author can mend it: where, what, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Problem(NamedTuple):
    """`line` and `column` count from 1. `message` says what is wrong, `mend` what to write instead."""

    file: str
    line: int
    message: str
    mend: str
    column: int | None = None

    def __str__(self) -> str:
        place = f"{one_line(self.file)}:{self.line}" + (f":{self.column}" if self.column else "")
        return f"{place}: {self.message}. {self.mend}"

    @property
    def short(self) -> str:
        """For one line of a screen: the folder of its file is known."""
        return str(self._replace(file=self.file.rpartition("/")[2]))


class Mistake(Exception):
    """Raised while an element is read, caught where its place is known: it becomes a `Box` or `Problem`."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


# C0, C1, line separators and the bidirectional overrides: what may move a cursor or reorder a message.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Somebody's text as it may stand in a message: nothing in it that a terminal would obey."""
    return _CONTROL.sub(" ", text).strip()


def quoted(text: str, limit: int = 40) -> str:
    """An author's own words in a message: `one_line`, clipped and in quotes."""
    words = one_line(text[: limit + 1])
    return f"`{words}`" if len(text) <= limit else f"`{words[:limit].rstrip()}…`"


def did_you_mean(word: str, known: Iterable[str], least: float = 0.6) -> str:
    """The nearest known word that is at least so alike (1: the same), or "". `runtime.catalog.params.suggest`
    is another room's, which may not import this one."""
    import difflib

    return next(iter(difflib.get_close_matches(word[:40].lower(), list(known), 1, least)), "")
