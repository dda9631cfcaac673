"""Characters that are shapes rather than letters, as rectangles: blocks, shades, braille and box lines.

Drawn from their geometry they join up as they do in a terminal, whatever font a browser or a machine has.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple


class Rect(NamedTuple):
    """A part of a cell of 1 x 1, from its upper left corner; `alpha` of 1 is solid."""

    x0: float
    y0: float
    x1: float
    y1: float
    alpha: float = 1.0


# Dots of braille by bit: (column, row).
_DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
_DOT = 0.3, 0.15  # width and height of one, in cells
_UPPER_LEFT, _UPPER_RIGHT, _LOWER_LEFT, _LOWER_RIGHT = (
    Rect(0, 0, 0.5, 0.5),
    Rect(0.5, 0, 1, 0.5),
    Rect(0, 0.5, 0.5, 1),
    Rect(0.5, 0.5, 1, 1),
)
_QUADRANTS = {
    "UPPER LEFT": _UPPER_LEFT,
    "UPPER RIGHT": _UPPER_RIGHT,
    "LOWER LEFT": _LOWER_LEFT,
    "LOWER RIGHT": _LOWER_RIGHT,
}
_SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
_LIGHT, _HEAVY = 0.1, 0.25  # of a line, in widths of a cell; a cell is twice as high
_APART = 0.15  # of the two lines of a double one, each from the middle
_WEIGHTS = {"LIGHT": (_LIGHT,), "SINGLE": (_LIGHT,), "HEAVY": (_HEAVY,), "DOUBLE": (_LIGHT, _LIGHT)}
_ARMS = {
    "LEFT": ("left",),
    "RIGHT": ("right",),
    "UP": ("up",),
    "DOWN": ("down",),
    "HORIZONTAL": ("left", "right"),
    "VERTICAL": ("up", "down"),
}
_DASHES = {"DOUBLE DASH": 2, "TRIPLE DASH": 3, "QUADRUPLE DASH": 4}


@lru_cache(maxsize=1024)
def shapes(char: str) -> tuple[Rect, ...] | None:
    """What `char` looks like in its cell; None for a letter, which needs a font."""
    code = ord(char) if len(char) == 1 else 0
    if 0x2800 <= code <= 0x28FF:
        return tuple(_dot(*at) for bit, at in enumerate(_DOTS) if code >> bit & 1)
    if char in _SHADES:
        return (Rect(0, 0, 1, 1, _SHADES[char]),)
    if 0x2580 <= code <= 0x259F:
        return _block(code)
    if 0x1FB00 <= code <= 0x1FB3B:
        return _sextant(code)
    if 0x2500 <= code <= 0x257F:
        return _lines(unicodedata.name(char).removeprefix("BOX DRAWINGS "))
    return None


def _sextant(code: int) -> tuple[Rect, ...]:
    """BLOCK SEXTANT-13 has its first and third part, of two beside each other in three rows."""
    parts = (int(digit) - 1 for digit in unicodedata.name(chr(code)).removeprefix("BLOCK SEXTANT-"))
    return tuple(Rect(part % 2 / 2, part // 2 / 3, part % 2 / 2 + 0.5, (part // 2 + 1) / 3) for part in parts)


def _dot(column: int, row: int) -> Rect:
    x, y = 0.1 + 0.5 * column, 0.05 + 0.25 * row
    return Rect(x, y, x + _DOT[0], y + _DOT[1])


def _block(code: int) -> tuple[Rect, ...] | None:
    if code == 0x2580:
        return (Rect(0, 0, 1, 0.5),)
    if code <= 0x2588:
        return (Rect(0, 1 - (code - 0x2580) / 8, 1, 1),)
    if code <= 0x258F:
        return (Rect(0, 0, (0x2590 - code) / 8, 1),)
    if code == 0x2590:
        return (Rect(0.5, 0, 1, 1),)
    if code == 0x2594:
        return (Rect(0, 0, 1, 1 / 8),)
    if code == 0x2595:
        return (Rect(7 / 8, 0, 1, 1),)
    named = unicodedata.name(chr(code)).removeprefix("QUADRANT ")
    return tuple(part for words, part in _QUADRANTS.items() if words in named)


def _lines(name: str) -> tuple[Rect, ...] | None:
    """A box line by its name in Unicode: `LIGHT DOWN AND RIGHT`, `VERTICAL LIGHT AND RIGHT HEAVY`."""
    if "DIAGONAL" in name:
        return None
    for dashes, count in _DASHES.items():
        if dashes in name:
            return _dashed(name.endswith("VERTICAL"), count, _WEIGHTS[name.split()[0]][0])
    arms: dict[str, tuple[float, ...]] = {}
    words = re.findall("[A-Z]+", name.replace("ARC ", ""))
    weight = _WEIGHTS[words.pop(0)] if words[0] in _WEIGHTS else ()
    waiting: list[str] = []
    for word in words:
        if word in _WEIGHTS:
            arms |= dict.fromkeys(waiting, _WEIGHTS[word])
            waiting = []
        waiting += _ARMS.get(word, ())
    arms |= dict.fromkeys(waiting, weight)
    return tuple(part for arm, lines in arms.items() for part in _arm(arm, lines, arms))


def _arm(arm: str, lines: tuple[float, ...], arms: dict[str, tuple[float, ...]]) -> list[Rect]:
    """From an edge to a little beyond the middle, so that arms of any weight meet."""
    across = [weights for other, weights in arms.items() if (other in "left right") != (arm in "left right")]
    reach = max((_thickness(weights) for weights in across), default=0.0) / 2
    offsets = (0.0,) if len(lines) == 1 else (-_APART, _APART)
    found = []
    for offset, thick in zip(offsets, lines, strict=True):
        if arm in ("left", "right"):  # heights are halved: a cell is twice as high as wide
            y0, y1 = 0.5 + (offset - thick / 2) / 2, 0.5 + (offset + thick / 2) / 2
            x0, x1 = (0.0, 0.5 + reach) if arm == "left" else (0.5 - reach, 1.0)
        else:
            x0, x1 = 0.5 + offset - thick / 2, 0.5 + offset + thick / 2
            y0, y1 = (0.0, 0.5 + reach / 2) if arm == "up" else (0.5 - reach / 2, 1.0)
        found.append(Rect(x0, y0, x1, y1))
    return found


def _thickness(lines: tuple[float, ...]) -> float:
    return lines[0] if len(lines) == 1 else 2 * _APART + lines[0]


def _dashed(upright: bool, count: int, thick: float) -> tuple[Rect, ...]:
    found = []
    for n in range(count):
        start, end = (n + 0.15) / count, (n + 0.85) / count
        if upright:
            found.append(Rect(0.5 - thick / 2, start, 0.5 + thick / 2, end))
        else:
            found.append(Rect(start, 0.5 - thick / 4, end, 0.5 + thick / 4))
    return tuple(found)
