"""The axis on which a number is answered: `axis=1..1000ms`. It says nothing of what is right."""

from __future__ import annotations

import math
import re

import msgspec

from quiz.answers import quantity

EXAMPLE = "`axis=0..100`, `axis=1..1000ms`"
LOGARITHMIC = 50  # ends whose ratio is larger are too far apart for equal steps
_ENDS = re.compile(r"\s*(?P<low>[^.\s].*?)\s*(?:\.\.|…|\bto\b)\s*(?P<high>\S.*?)\s*")


class Scale(msgspec.Struct, frozen=True, gc=False):
    """From `low` to `high` in `unit` ("": a bare number)."""

    low: float
    high: float
    unit: str = ""

    @property
    def logarithmic(self) -> bool:
        """Whether equal steps are equal ratios."""
        return self.low > 0 and self.high / self.low > LOGARITHMIC


def read(text: str, unit: str = "") -> Scale | None:
    """Return the axis in `text`, in the unit of its upper end, else in `unit`; None if it is none.

    A lower end with another unit of the same dimension is converted.
    """
    match = _ENDS.fullmatch(text)
    low, high = (quantity.read(match[end]) for end in ("low", "high")) if match else (None, None)
    if low is None or high is None:
        return None
    shared = high.unit or low.unit or unit
    ends = [quantity.converted(one, shared) if one.unit else one.value for one in (low, high)]
    if ends[0] is None or ends[1] is None or not ends[0] < ends[1] or not math.isfinite(ends[1] - ends[0]):
        return None
    return Scale(ends[0], ends[1], shared)


def written(scale: Scale) -> str:
    """Return the axis as it is written behind `axis=`."""
    return f"{scale.low:g}..{scale.high:g}{scale.unit}"
