"""What a class has won between two votes on a question, of what there was to win."""

from __future__ import annotations


def normalised_gain(before: float, after: float) -> float | None:
    """What was won of what could be won: (after - before) / (1 - before), for shares of right answers
    (R. R. Hake, Am. J. Phys. 66, 64, 1998). None where all were right before."""
    return None if before >= 1.0 else (after - before) / (1.0 - before)
