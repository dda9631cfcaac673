"""What a room typed, gathered: the same word in other letters is one. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from runtime.classroom.question_state import Said
from runtime.protocol.class_messages.room_board import MOST_ROWS, Board, BoardRow
from slides.drawing.cells import clean

MOST = 32  # characters: what is longer is a sentence, which is read out by itself


def folded(text: str) -> str:
    """Return what two spellings of a word have in common: no case, no blanks around, no mark at its end."""
    return " ".join(clean(text).split()).casefold().strip(" .,;:!?\"'")


def words(heading: str, said: Iterable[Said], left_out: Collection[str] = ()) -> Board:
    """Return each word once, in its most frequent spelling, that of most people first; those of `left_out`
    (folded) are not in it, nor is what is too long to be a word."""
    spelled: dict[str, Counter[str]] = {}
    for one in said:
        for text in one.text:
            if (key := folded(text)) and key not in left_out and len(text) <= MOST:
                shown = " ".join(clean(text).split())
                spelled.setdefault(key, Counter())[shown] += one.count
    rows = [BoardRow(found.most_common(1)[0][0], found.total()) for found in spelled.values()]
    rows.sort(key=lambda row: (-row.n, row.text.casefold()))
    return Board("words", heading, tuple(rows[:MOST_ROWS]))
