"""Words of a question in letters made of blocks, for the back row."""

from __future__ import annotations

from slides.drawing.letters import letters


def letters_of(text: str, width: int, most: int) -> list[str] | None:
    """A text in at most so many rows of letters; None where it does not fit, or has no such letters."""
    return letters(text, width, ("narrow",), most)
