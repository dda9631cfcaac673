"""The nearest colour that a terminal of 256 has, as an eye tells them apart.

Over SSH few terminals say that they have more. Rich takes the nearest step of red, green and blue each: a
dark grey with a touch of blue, the ground of all dark themes, becomes navy.
"""

from __future__ import annotations

from functools import lru_cache
from math import cbrt

from rich.color import Color, ColorSystem

from slides.palette import sixteen

STEPS = (0, 95, 135, 175, 215, 255)  # of each of red, green and blue in xterm's cube, colours 16 to 231
GREYS = tuple(range(8, 239, 10))  # colours 232 to 255
LIGHTNESS = 0.5  # what counts so much beside hue: a dark lilac is lilac, not grey

Lab = tuple[float, float, float]


def shown(colour: Color, system: ColorSystem) -> Color:
    """The colour as this terminal has it; ranks keep colours of their own where there are 16."""
    if system is ColorSystem.STANDARD and (number := sixteen(colour.name)) is not None:
        return Color.from_ansi(number)
    if system is ColorSystem.EIGHT_BIT and colour.triplet is not None:
        return Color.from_ansi(of_256(*colour.triplet))
    return colour.downgrade(system)


@lru_cache(4096)
def of_256(red: int, green: int, blue: int) -> int:
    """Return the number, from 16 on, of the colour nearest to red, green, blue (0 to 255 each)."""
    near = [_around(part) for part in (red, green, blue)]
    cube = [(r, g, b) for r in near[0] for g in near[1] for b in near[2]]
    mean = (red + green + blue) / 3
    grey = max(0, min(len(GREYS) - 1, round((mean - GREYS[0]) / 10)))
    wanted = _lab(red, green, blue)
    found = [
        (_apart(wanted, _lab(STEPS[r], STEPS[g], STEPS[b])), 16 + 36 * r + 6 * g + b) for r, g, b in cube
    ]
    found.append((_apart(wanted, _lab(*[GREYS[grey]] * 3)), 232 + grey))
    return min(found)[1]


def _around(part: int) -> tuple[int, ...]:
    """The steps of the cube on both sides of a part of a colour."""
    above = next(n for n, step in enumerate(STEPS) if step >= part)
    return (above,) if STEPS[above] == part else (above - 1, above)


def _apart(one: Lab, other: Lab) -> float:
    return LIGHTNESS * (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2


@lru_cache(8192)
def _lab(red: int, green: int, blue: int) -> Lab:
    """Oklab of an sRGB colour (Björn Ottosson, "A perceptual color space for image processing", 2020)."""
    r, g, b = (_linear(part / 255) for part in (red, green, blue))
    long = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    middle = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
