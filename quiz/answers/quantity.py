"""Reads numbers with units as people type them: `16.6 GB`, `1,5 ms`, `1 024`, `2/3`, `6x`, `16k`, `~2 GB`.

Units of one dimension are converted (SI prefixes are powers of 1000, `Ki Mi Gi Ti` powers of 1024, as
IEC 80000-13 has them), m/s² may be typed m/s^2 or m/s2; a word that is no known unit is a dimension of
its own, in singular or plural: `12 tokens` is not `12 steps`. What is only said to be near (`~2 GB`) is
that number.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple

NEAR = "~≈≃"  # before a number that is not meant exactly
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<digits>[0-9][0-9_.,]*|[.,][0-9]+)"
    r"(?:(?P<power>[eE][+-]?[0-9]{1,3})|\s*(?:[×x*·]\s*10\s*)?(?:\^|\*\*)\s*(?P<raised>[+-]?[0-9]{1,3}))?"
    r"(?:\s*/\s*(?P<below>[0-9]{1,9}))?\s*(?P<unit>"
    r"[^0-9\s.,±+^*~-](?:[^0-9\s±]|(?<=[^\W\d_xX×])[0-9](?![0-9])|(?<=\^)[0-9](?![0-9])|(?<=\^-)[0-9](?![0-9])){0,20}"
    r")?"
)
_TIMES_TEN = re.compile(r"[×x*·]\s*10\s*(?:\^|\*\*)")
_GROUPS = re.compile(r"(?<![0-9.,])([0-9]{1,3})((?:[ '’][0-9]{3})+)(?![0-9])")  # `1 024`, `1'024`
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_MANY = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "thousand": 1e3, "million": 1e6, "billion": 1e9}
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
    for names, seconds in (
        ("sec secs second seconds", 1.0),
        ("min mins minute minutes", 60.0),
        ("h hr hrs hour hours", 3600.0),
        ("d day days", 86400.0),
        ("msec millisecond milliseconds", 1e-3),
    ):
        found |= dict.fromkeys(names.split(), ("s", seconds))
    for rate in [name for name, (dimension, _) in found.items() if dimension in ("byte", "flop")]:
        dimension, factor = found[rate]
        found[f"{rate}/s"] = (f"{dimension}/s", factor)
        if rate.endswith(("bit", "b", "B")):
            found[f"{rate}ps"] = (f"{dimension}/s", factor)
        if rate.endswith("FLOP"):
            found[f"{rate}S"] = (f"{dimension}/s", factor)
    return found


_UNITS = _table()
_FOLDED = {name.casefold(): unit for name, unit in _UNITS.items()}


class Quantity(NamedTuple):
    """`value` in `unit` as written; "" for a bare number."""

    value: float
    unit: str = ""


def read(text: str) -> Quantity | None:
    """Return the quantity in `text`, None if it is none. Never raises."""
    match = _NUMBER.fullmatch(_ascii(text))
    if not match:
        return None
    digits = _plain(match["digits"])
    if digits is None:
        return None
    value = float(digits + (match["power"] or ""))
    if match["raised"]:
        try:
            power = int(match["raised"])
            value = value * 10.0**power if _TIMES_TEN.search(match[0]) else value**power
        except (OverflowError, ZeroDivisionError):
            return None
    if match["below"]:
        if float(match["below"]) == 0:
            return None
        value /= float(match["below"])
    unit = (match["unit"] or "").strip().replace("^", "")  # m/s², m/s^2 and m/s2 are one unit
    value *= _MANY.get(unit, 1.0)
    if not math.isfinite(value):
        return None
    return Quantity(-value if match["sign"] == "-" else value, "" if unit in _MANY else unit)


def _ascii(text: str) -> str:
    """Digits, signs and spaces of any script as those of ours; `10⁹` as `10^9`, `1 024` as `1024`."""
    text = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda found: "^" + found[0].translate(_RAISED), text)
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("⁄", "/")
    text = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    text = text.strip().lstrip(NEAR).strip()
    text = re.sub(r"(?<=[^\W\d])\s*/\s*(?=[^\W\d])", "/", text)  # `GB / s`
    return _GROUPS.sub(lambda found: found[1] + re.sub("[ '’]", "", found[2]), text)


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
    """Return the shortest text that reads back as `value`."""
    return repr(float(value)).removesuffix(".0")


def measure(unit: str) -> tuple[str, float]:
    """Return the dimension of a unit and its size in base units (bytes, seconds, …)."""
    word = unit.strip()
    folded = unicodedata.normalize("NFKC", word).casefold().replace("^", "")
    one = folded.removesuffix("s") if len(folded) > 3 else folded
    return _UNITS.get(word) or _FOLDED.get(folded) or (one, 1.0)


def converted(quantity: Quantity, unit: str) -> float | None:
    """Return the value in `unit`; a bare number counts as one in it, and without a unit any is accepted.
    None where the dimensions differ."""
    if not quantity.unit or not unit:
        return quantity.value
    (have, factor), (want, base) = measure(quantity.unit), measure(unit)
    return quantity.value * factor / base if have == want else None
