"""The colour that HTML gives words, as the ink of a palette that is nearest to it in hue.

An author's `red` is the red of the theme, which can be read on its ground whatever that is.
"""

from __future__ import annotations

import re
from colorsys import rgb_to_hls

_STYLE = re.compile(
    r"(?:\bstyle\s*=\s*[\"'](?:[^\"']{0,200};)?\s*|\s)color\s*[:=]\s*[\"']?\s*(#[0-9a-f]{3,8}|[a-z_]{3,20})",
    re.IGNORECASE,
)
_NAMES = {
    "red": 0, "crimson": 0, "tomato": 0, "salmon": 0, "brown": 20, "orange": 35, "gold": 45, "yellow": 50,
    "lime": 120, "green": 120, "olive": 60, "cyan": 185, "aqua": 185, "teal": 180, "turquoise": 175,
    "blue": 220, "navy": 220, "indigo": 270, "purple": 280, "violet": 280, "magenta": 300, "fuchsia": 300,
    "pink": 330,
}  # fmt: skip
_QUIET = ("gray", "grey", "silver")
_SHADES = re.compile(r"^(?:bright|light|dark|deep|medium|hot|sky|royal|forest)_?")
# Up to a hue in degrees: the inks that text may have in every theme.
_INKS = (
    (20, "bad"), (70, "warning"), (165, "good"), (200, "code.builtin"), (255, "accent"),
    (340, "code.keyword"), (360, "bad"),
)  # fmt: skip
_LEAST_SATURATION = 0.15  # below it a colour is a grey


def ink_of(attributes: str) -> str:
    """Return the ink for the attributes of a tag, "" where they name no colour, or black or white."""
    match = _STYLE.search(f" {attributes}")
    if match is None:
        return ""
    named = match[1].lower()
    if named[0] == "#":
        return _of_hex(named[1:])
    plain = _SHADES.sub("", named) or named
    if plain in _QUIET:
        return "dim"
    return _of_hue(_NAMES[plain]) if plain in _NAMES else ""


def _of_hex(digits: str) -> str:
    if len(digits) in (3, 4):
        digits = "".join(2 * digit for digit in digits)
    if len(digits) not in (6, 8):
        return ""
    hue, light, saturation = rgb_to_hls(*(int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)))
    if saturation < _LEAST_SATURATION or not 0.1 < light < 0.95:
        return "dim" if 0.3 < light < 0.8 else ""
    return _of_hue(360 * hue)


def _of_hue(hue: float) -> str:
    return next(ink for most, ink in _INKS if hue <= most)
