"""Right numbers with a tolerance, as authors write them: read, and written again."""

from __future__ import annotations

import re

from quiz.answers import quantity
from quiz.question import Number

_RANGE = re.compile(r"(?P<low>.+?)\s*\.\.\s*(?P<high>[+−-]?[0-9.,].*)")
_AROUND = re.compile(r"(?P<value>.+?)\s*(?:±|\+/-|\+-)\s*(?P<tolerance>[^\s%]+)\s*(?P<rest>.*)")
_LONGEST_NUMBER = 200  # characters: longer is none


def number(text: str) -> Number | None:
    """`16.6`, `16.6 GB`, `16.6 ± 0.1 GB`, `16.6 GB ± 5%`, `16.6 GB ± 100 MB` or `16..17 GB`; None for
    anything else, also for what is only near: a key says how near."""
    text = text.strip()
    if text.startswith(tuple(quantity.NEAR)) or len(text) > _LONGEST_NUMBER:
        return None
    if match := _RANGE.fullmatch(text):
        low, high = quantity.read(match["low"]), quantity.read(match["high"])
        if low is None or high is None:
            return None
        unit = high.unit or low.unit
        value = quantity.converted(low, unit)
        return Number(value, high.value, unit) if value is not None and value <= high.value else None
    if match := _AROUND.fullmatch(text):
        percent = match["rest"].startswith("%")
        rest = match["rest"].removeprefix("%").strip()
        stated = quantity.read(match["value"])
        tolerance = quantity.read(match["tolerance"] if percent else f"{match['tolerance']} {rest}")
        if stated is None or tolerance is None or (percent and rest and stated.unit):
            return None
        unit = stated.unit or (rest if percent else tolerance.unit)
        width = stated.value * tolerance.value / 100 if percent else quantity.converted(tolerance, unit)
        if width is None:
            return None
        width = abs(width)
        return Number(stated.value - width, stated.value + width, unit, stated.value)
    found = quantity.read(text)
    return Number(found.value, found.value, found.unit, found.value) if found else None


def written(number: Number) -> str:
    """`16.6 ± 0.1 GB`, `16..17 GB` or `16.6 GB`."""
    unit = f" {number.unit}" if number.unit else ""
    if number.stated is None:
        return f"{quantity.plain(number.low)}..{quantity.plain(number.high)}{unit}"
    width = round(number.high - number.stated, 12)
    return quantity.plain(number.stated) + (f" ± {quantity.plain(width)}" if width else "") + unit


def around(number: Number) -> tuple[str, str]:
    """A number and what it may be off by, for formats without ranges: 3.141 to 3.142 is 3.1415 and 0.0005,
    to twelve digits."""
    middle = number.stated if number.stated is not None else float(f"{(number.low + number.high) / 2:.12g}")
    return quantity.plain(middle), quantity.plain(float(f"{number.high - middle:.12g}"))
