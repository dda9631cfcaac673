"""Words of a question in letters made of blocks, for the back row."""

from __future__ import annotations

from collections.abc import Sequence

from slides.drawing.large.letters import Size, letters

_SIZES: tuple[Size, ...] = ("bold", "low")  # of three rows each


def letters_of(text: str, width: int, most: int) -> list[str] | None:
    """A text in at most so many rows of letters; None where it does not fit, or has no such letters."""
    return letters(text, width, _SIZES, most)


def letters_of_all(texts: Sequence[str], width: int) -> list[list[str]] | None:
    """Each text in one row of letters, all of the same size; None where one of them does not fit."""
    for size in _SIZES:
        drawn = [letters(text, width, (size,), 1) for text in texts]
        found = [rows for rows in drawn if rows is not None]
        if len(found) == len(texts):
            return found
    return None
