"""A figure of a script in words: its name, its numbers in their unit, what a rank ended with."""

from __future__ import annotations

import math

from slides.drawing import cells
from tui.figures import numbers

_UNITS = {"_s": "s", "_ms": "ms", "_bytes": "bytes"}  # by which the name of a result ends
SCALED = ("s", "ms", "bytes", "bytes/s", "B", "B/s")  # units that stand with every number, each in what fits


def words(name: str) -> str:
    """`ring_small_s` as `ring small`: the unit stands with the number."""
    for ending in _UNITS:
        name = name.removesuffix(ending)
    return cells.clip_text(cells.clean(name).replace("_", " "), 32)


def number(value: float, of: str, *, unit: bool = True) -> str:
    """A figure in its unit `of`: whole numbers stay whole, seconds and bytes are scaled."""
    match of:
        case "s":
            return numbers.ms(value)
        case "ms":
            return numbers.ms(value / 1e3)
        case "bytes" | "B":
            return numbers.size(value)
        case "bytes/s" | "B/s":
            return f"{numbers.size(value)}/s"
    if math.isfinite(value) and value == int(value) and abs(value) < 1e7:
        text = str(int(value))
    else:
        text = numbers.figure(value)
    return f"{text} {cells.clean(of)}" if of and unit else text


def result(name: str, value: object) -> str:
    """What a rank ended with under that name; a dash where it has none, or a recording kept none (NaN)."""
    if value is None:
        return numbers.DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value, next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), ""))
    return cells.clip_text(cells.clean(str(value)), 24)
