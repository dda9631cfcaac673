"""Whether a number typed as an answer is right: with its unit, within the tolerance of the right one."""

from __future__ import annotations

from quiz.answers import quantity
from quiz.question import Number


def is_right(number: Number, typed: str) -> bool:
    """Whether `typed` is a number within `number`, converted to its unit; without a unit it counts as one."""
    found = quantity.read(typed)
    value = quantity.converted(found, number.unit) if found else None
    if value is None:
        return False
    # Half a unit in the last place of a double: 0.1 + 0.2 is inside 0.3 ± 0.
    slack = 1e-12 * max(abs(number.low), abs(number.high))
    return number.low - slack <= value <= number.high + slack
