"""Tables of other programs that hold no questions with keys: what people answered, or rows of another order.

Read as questions they would make nonsense, so the program is named, and what to take in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quiz.formats.table.header import plain

_OF_A_TABLE = "or write a table with the head question, right, wrong"


class _Foreign(NamedTuple):
    """`names` are in its head, all of them; `first` is how its first cell begins, where that tells."""

    what: str
    mend: str
    names: frozenset[str] = frozenset()
    first: tuple[str, ...] = ()


_FOREIGN = (
    _Foreign(
        "Brightspace's question file is not read",
        f"Import it into Moodle and export Moodle XML, {_OF_A_TABLE}",
        first=("newquestion",),
    ),
    _Foreign(
        "these are the answers to a Google form, not questions with keys",
        f"Copy the questions out of the form, {_OF_A_TABLE}",
        first=("timestamp", "zeitstempel", "marca temporal", "horodateur"),
    ),
    _Foreign(
        "this is Canvas's report of who answered what, not questions with keys",
        f"Take the quiz itself, {_OF_A_TABLE}",
        frozenset({"n correct", "n incorrect"}),
    ),
    _Foreign(
        "this is Canvas's item analysis, not questions with keys",
        f"Take the quiz itself, {_OF_A_TABLE}",
        frozenset({"question id", "question title", "answered student count"}),
    ),
    _Foreign(
        "these are the answers to a Microsoft form, not questions with keys",
        f"Copy the questions out of the form, {_OF_A_TABLE}",
        frozenset({"start time", "completion time"}),
    ),
    _Foreign(
        "this is Kahoot's report of a game, not questions with keys",
        f"Take the spreadsheet the quiz was made from, {_OF_A_TABLE}",
        frozenset({"rank", "player"}),
    ),
    *(
        _Foreign(
            "these are attempts at a quiz in Moodle, not questions with keys",
            "In its question bank, export the category as Moodle XML or GIFT",
            frozenset(names),
        )
        for names in (("state", "started on"), ("status", "started"))
    ),
)


def told(row: Sequence[str]) -> tuple[str, str] | None:
    """What a table that begins with this row is, and what to do; None where it may hold questions."""
    words = [plain(cell) for cell in row]
    first = next(filter(None, words), "")
    for known in _FOREIGN:
        if (known.names and known.names <= set(words)) or (known.first and first in known.first):
            return known.what, known.mend
    return None
