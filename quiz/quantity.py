"""Numbers with units as people type them: `16.6 GB`, `1,5 ms`, `2/3`, `6x`, `25 Gbit/s`.

Units of one dimension are converted (SI prefixes are powers of 1000, `Ki Mi Gi Ti` powers of 1024, as
IEC 80000-13 has them); a word that is no known unit is a dimension of its own: `12 tokens`
is not `12 steps`.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_NUMBER = re.compile(
    r"(?P<sign>[+−-]?)\s*(?P<digits>[0-9][0-9_.,]*|[.,][0-9]+)(?P<power>[eE][+-]?[0-9]{1,3})?"
    r"(?:\s*/\s*(?P<below>[0-9]{1,9}))?\s*(?P<unit>[^0-9\s.,±+−-][^0-9\s±]{0,20})?"
)
_SI = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_IEC = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_ONE = {"x": "×", "×": "×", "times": "×", "%": "%", "percent": "%"}


def _table() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {word: (unit, 1.0) for word, unit in _ONE.items()}
    for prefix, factor in (*_SI.items(), *_IEC.items()):
        # Bits before bytes: where only the case tells them apart, the later entry wins below.
        for name in ("bit", "bits", "b"):
            found[prefix + name] = ("byte", factor / 8)
        for name in ("B", "byte", "bytes"):
            found[prefix + name] = ("byte", factor)
    for prefix, factor in _SI.items():
        for name in ("FLOP", "FLOPs", "flop", "flops"):
            found[prefix + name] = ("flop", factor)
        found[prefix + "Hz"] = ("Hz", factor)
    for name, seconds in (("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        found[name] = ("s", seconds)
    for name, seconds in (("sec", 1.0), ("seconds", 1.0), ("min", 60.0), ("minutes", 60.0)):
        found[name] = ("s", seconds)
    for name in ("h", "hours"):
        found[name] = ("s", 3600.0)
    for rate in [name for name, (dimension, _) in found.items() if dimension in ("byte", "flop")]:
        dimension, factor = found[rate]
        found[f"{rate}/s"] = (f"{dimension}/s", factor)
        if rate.endswith(("bit", "b")):
            found[f"{rate}ps"] = (f"{dimension}/s", factor)
    return found


_UNITS = _table()
_FOLDED = {name.casefold(): unit for name, unit in _UNITS.items()}


class Quantity(NamedTuple):
    """`value` in `unit` as written; "" for a bare number."""

    value: float
    unit: str = ""


def read(text: str) -> Quantity | None:
    """The quantity in `text`, None where it is none. Never raises."""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        return None
    digits = _plain(match["digits"])
    if digits is None:
        return None
    value = float(digits + (match["power"] or ""))
    if match["below"]:
        if float(match["below"]) == 0:
            return None
        value /= float(match["below"])
    if not math.isfinite(value):
        return None
    return Quantity(-value if match["sign"] in ("-", "−") else value, (match["unit"] or "").strip())


def _plain(digits: str) -> str | None:
    """`1_000`, `1,000.5`, `1.000,5` and `1,5` with a decimal point; None where that is anybody's guess."""
    digits = digits.replace("_", "")
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        thousands = marks[0]
        if marks.count(marks[-1]) > 1:
            return None
        digits = digits.replace(thousands, "").replace(",", ".")
    elif "," in digits:
        groups = re.fullmatch(r"[1-9][0-9]{0,2}(,[0-9]{3})+", digits)
        if len(marks) > 1 and not groups:
            return None
        digits = digits.replace(",", "") if groups else digits.replace(",", ".")
    elif len(marks) > 1:
        if not re.fullmatch(r"[1-9][0-9]{0,2}(\.[0-9]{3})+", digits):
            return None
        digits = digits.replace(".", "")
    return digits


def plain(value: float) -> str:
    """The shortest text that reads back as `value`."""
    return repr(float(value)).removesuffix(".0")


def measure(unit: str) -> tuple[str, float]:
    """The dimension of a unit and how many base units it is (bytes, seconds, …)."""
    word = unit.strip()
    return _UNITS.get(word) or _FOLDED.get(word.casefold()) or (word.casefold(), 1.0)


def converted(quantity: Quantity, unit: str) -> float | None:
    """The value in `unit`; a bare number counts as one in it, and where no unit is asked for any will do.
    None where the dimensions differ."""
    if not quantity.unit or not unit:
        return quantity.value
    (have, factor), (want, base) = measure(quantity.unit), measure(unit)
    return quantity.value * factor / base if have == want else None
