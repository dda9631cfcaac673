"""Numbers as people write them: `7.5e9`, `7.5B`, `80GB`, `400Gb/s`, `5us`."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-zµ/]*)")
_TIMES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}
_BYTES = {"": 1.0, "B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
          "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}  # fmt: skip
_BITS = {"b": 1.0, "kb": 1e3, "Kb": 1e3, "Mb": 1e6, "Gb": 1e9, "Tb": 1e12,
         "bit": 1.0, "Mbit": 1e6, "Gbit": 1e9, "Tbit": 1e12}  # fmt: skip
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_FLOPS = {
    "": 1.0,
    "FLOPs": 1.0,
    "GFLOPs": 1e9,
    "TFLOPs": 1e12,
    "PFLOPs": 1e15,
    "T": 1e12,
    "TF": 1e12,
    "P": 1e15,
}
MOST = 1e18  # of a whole number; more of it is as good as this
UNITS = {
    "count": _TIMES,
    "bytes": _BYTES,
    "bandwidth": _BYTES | {f"{unit}/s": size for unit, size in _BYTES.items() if unit}
    | {f"{unit}{per}": size / 8 for unit, size in _BITS.items() for per in ("/s", "ps")}
    | {f"{unit}ps": size for unit, size in _BYTES.items() if unit.endswith("B")}
    | {unit: size / 8 for unit, size in _BITS.items() if unit.endswith("bit")},  # as links are named
    "seconds": _SECONDS,
    "flops": _FLOPS | {f"{unit}/s": size for unit, size in _FLOPS.items() if unit}
    | {"GFLOP/s": 1e9, "TFLOP/s": 1e12, "PFLOP/s": 1e15},
}  # fmt: skip


def number(text: str, kind: str) -> float | None:
    """The value of `text` in the base unit of its kind; None: it is none, or not finite."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None or match[2] not in UNITS[kind]:
        return None
    try:
        value = float(match[1].replace("_", "")) * UNITS[kind][match[2]]
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def whole(text: str) -> int | None:
    """A whole number, also as `8k`, `1e6` or `4.5M`; None: it is none."""
    if re.fullmatch(r"[+-]?\d{1,18}", text.strip()):
        return int(text)
    value = number(text, "count")
    if value is None or value != int(value):
        return None
    return int(max(-MOST, min(MOST, value)))


def engineering(value: float, unit: str) -> str:
    """`138.3 GB`, `0.42 s`, `1.31 ms`: three or four figures and the prefix that fits."""
    if unit == "s":
        for scale, name in ((86400.0, "days"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
            if abs(value) >= scale:
                return f"{value / scale:.4g} {name}"
        return f"{value / 1e-9:.3g} ns" if value else "0 s"
    for scale, prefix in (
        (1e24, "Y"),
        (1e21, "Z"),
        (1e18, "E"),
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
    ):
        if abs(value) >= scale:
            return f"{value / scale:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}".rstrip()


def shown(value: float | None, unit: str) -> str:
    """A figure with its unit as it is read: prefixes where the unit has them, else the number in groups."""
    if value is None:
        return "unknown"
    if unit in ("B", "s", "FLOP"):
        return engineering(value, unit)
    number = f"{value:,.0f}".replace(",", " ") if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{number} {unit}".rstrip()
