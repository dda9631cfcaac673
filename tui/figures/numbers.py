"""Figures as people read them. None and what is not a number are a dash; nothing is rounded up to sound good.

Bytes are decimal (1 MB = 1e6 bytes), as networks and this course count them. What rounds to zero has no sign.
Each function states its widest result, so that a column can be as wide as that and never move.
"""

from __future__ import annotations

import math

DASH = "–"


def node(number: int) -> str:
    """A machine as a column or a picture names it: A, B, C …, by its number after Z."""
    return chr(ord("A") + number) if 0 <= number < 26 else str(number)


def known(seconds: float | None, within_s: float | None) -> str:
    """The same as `ms`, or `<3.0 ms` where no more is known of it (`Snapshot.within_s`)."""
    less = within_s is not None and seconds is not None and abs(seconds) < within_s
    return f"<{ms(within_s)}" if less else ms(seconds)


def ms(seconds: float | None) -> str:
    """`0.8 ms`, `52 ms`, `1.25 s`, `12.5 s`, `17 min`: at most 7 cells below 16 hours."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if seconds < 0:
        said = ms(-seconds)
        return said if said == ms(0.0) else f"-{said}"
    if seconds < 0.00995:
        return f"{seconds * 1e3:z.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 99.95:
        return f"{_three(seconds)} s"
    return f"{seconds:.0f} s" if seconds < 999.5 else f"{seconds / 60:.0f} min"


def size(count: float | None, places: int = 1) -> str:
    """`512 B`, `13.9 MB` (`14 MB` with no `places` above 10), `1.2 GB`: at most 7 cells, 6 without places."""
    if count is None or not math.isfinite(count):
        return DASH
    if abs(count) < 999.5:
        return f"{count:z.0f} B"
    value, unit = _scaled(count, ("kB", "MB", "GB", "TB", "PB", "EB"))
    most = 99.95 if places else 9.95
    return f"{value:.0f} {unit}" if abs(value) >= most else f"{value:.1f} {unit}"


def rate(value: float | None) -> str:
    """`480`, `1.9k`, `12k`, `1.2M`: at most 5 cells."""
    if value is None or not math.isfinite(value):
        return DASH
    if abs(value) < 999.5:
        return f"{value:z.0f}"
    scaled, unit = _scaled(value, ("k", "M", "G", "T", "P", "E"))
    return f"{scaled:.0f}{unit}" if abs(scaled) >= 9.95 else f"{scaled:.1f}{unit}"


def loss(value: float | None, places: int = 4) -> str:
    """`2.1530`: as many digits as make `places` + 2 cells. A loss that blew up says so: `nan`, `inf`."""
    if value is None:
        return DASH
    if not math.isfinite(value):
        return f"{value:g}"
    room = places + 2
    text = f"{value:z.{max(0, room - 1 - len(str(int(abs(value)))) - (value < 0))}f}"
    return text if len(text) <= room else f"{value:.0e}".replace("e+0", "e").replace("e+", "e")


def figure(value: float | None) -> str:
    """A plain figure in three digits: `0.82`, `12.3`, `1.2k`."""
    if value is None:
        return DASH
    if not math.isfinite(value):
        return f"{value:g}"
    value += 0.0
    if value and abs(value) < 0.00995:
        return f"{value:.0e}".replace("e-0", "e-")
    return rate(value) if abs(value) >= 99.95 else _three(value)


def scaled(value: float, unit: str = "") -> tuple[float, str]:
    """(what to divide by, unit) in which `value` has no power of ten: MB for B, MB/s for B/s, ms for s.

    `value` is the largest of those that are to stand side by side.
    """
    size = abs(value)
    steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] if unit in ("B", "B/s") else []
    if unit == "s" and 0 < size < 0.1:
        steps = [(1e-3, "m"), (1e-6, "µ")]
    for by, prefix in steps:
        if size >= by:
            return by, prefix + unit
    return 1.0, unit


def quantity(value: float, unit: str = "") -> str:
    """A figure of a script's own in four digits that count, and its unit: `0.8213`, `123.4 MB/s`."""
    by, unit = scaled(value, unit)
    return f"{_digits(value / by)} {unit}".rstrip()


def quantities(low: float, high: float, unit: str = "") -> str:
    """`120..130 MB/s`: a range as a key writes it."""
    by, unit = scaled(max(low, high, key=abs), unit)
    return f"{_digits(low / by)}..{_digits(high / by)} {unit}".rstrip()


def _digits(value: float) -> str:
    value += 0.0
    text = f"{value:.4g}"
    if "e" not in text or not math.isfinite(value):
        return text
    if abs(value) >= 1:
        return f"{float(text):.0f}"
    return text.replace("e-0", "e-")


def in_full(value: float) -> str:
    """Whole numbers with all their digits, where these are what one looks at; else as `figure`."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return figure(value)


def percent(part: float | None) -> str:
    """`63 %` of a share between 0 and 1."""
    return DASH if part is None or not math.isfinite(part) else f"{part * 100:z.0f} %"


def whole(value: int | None) -> str:
    """A count, or a dash where it is unknown."""
    return DASH if value is None else str(value)


def count(mean: float) -> str:
    """A mean of whole numbers: `3`, or `0.9` where they were not all the same."""
    return f"{mean:z.0f}" if abs(mean - round(mean)) < 0.05 else f"{mean:z.1f}"


def clock(seconds: float | None) -> str:
    """m:ss, or h:mm:ss from one hour on."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    minutes, s = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{s:02}" if hours else f"{minutes}:{s:02}"


def _three(value: float) -> str:
    """Two decimals below 10, one below 100."""
    return f"{value:z.2f}" if abs(value) < 9.995 else f"{value:.1f}"


def _scaled(value: float, units: tuple[str, ...]) -> tuple[float, str]:
    """`value` in the unit (powers of 1000, the first is 1e3) in which it rounds to less than 1000."""
    power = 0
    value /= 1000
    while abs(value) >= 999.5 and power < len(units) - 1:
        value, power = value / 1000, power + 1
    return value, units[power]
