"""Colours by meaning, the same in the whole course: one table per theme.

Text inks keep WCAG AA (4.5:1) on background, panel and select; `faint` and the fills of bars keep 3:1 on the
background, the bound for graphics: what must be read is never faint. Nothing is told by colour alone.

Ranks, the kinds of memory (which have the first four ranks' colours), what a step is made of, the two grounds
of a diff, and right and wrong are also told apart by people who see two of the three primaries: protanopia,
deuteranopia and tritanopia as simulated by Machado, Oliveira and Fernandes (2009), differences by CIEDE2000.
Tests hold the bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import teachrun
from slides.known_themes import COLOURS


class Attributes(NamedTuple):
    """What carries a meaning where there is no colour."""

    bold: bool = False
    underline: bool = False
    reverse: bool = False
    italic: bool = False
    dim: bool = False


_NONE = Attributes()
_QUIET = ("background", "panel", "line", "idle", "select", "added", "removed")  # grounds that words lie on


@dataclass(frozen=True)
class Palette:
    """`colours` maps a meaning to `#rrggbb`; `marks` says how it looks besides (all that mono has)."""

    name: str
    dark: bool
    colours: dict[str, str]
    marks: dict[str, Attributes] = field(default_factory=dict)
    version: int = 0  # another one whenever the file of this theme has become another

    def colour(self, name: str) -> str:
        """`#rrggbb`, or "" where the terminal's own colour is meant: an empty name, and all of mono.

        The name of a picture's colour is the colour itself.
        """
        if not name or name[0] == "#":
            return name if self.colours else ""
        found = self.colours.get(name)
        if found is None:
            found = self.colours.get("text", "")
        return found

    def attributes(self, ink: str, ground: str = "") -> Attributes:
        """Attributes to add to those of a style with this ink on this ground: both have theirs.

        Without colours a ground that fills a shape (a bar, a chip) is one by reverse, and as dim as its name.
        What stands on its own colour is a glyph that fills its cell (█): reversed it would be a blank.
        """
        own, behind = self.marks.get(ink, _NONE), self.marks.get(ground, _NONE)
        fills = not self.colours and bool(ground) and ground not in _QUIET and ground != ink
        return own._replace(
            bold=own.bold or behind.bold,
            reverse=own.reverse or behind.reverse or fills,
            underline=own.underline or (fills and behind.underline),
            dim=(behind if fills else own).dim,
        )


# Kinds of memory and of time have the colours of ranks in every theme; some code is as other words are.
_FOLLOW = {
    "params": "rank0", "compute": "rank0", "forward": "rank0", "grads": "rank1", "optimizer": "rank2",
    "activations": "rank3", "backward": "rank3", "weight": "rank7", "wait": "faint", "idle": "line",
    "code.comment": "dim", "code.name": "text", "code.constant": "code.number",
}  # fmt: skip


def _whole(colours: Mapping[str, str]) -> dict[str, str]:
    """All colours of a theme: its own, and of those that follow one the others."""
    return dict(colours) | {
        name: colours[followed] for name, followed in _FOLLOW.items() if name not in colours
    }


def laid_over(base: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """All colours of a theme that differs from `base` so: what follows a colour of its own follows it."""
    followed = {name: own[other] for name, other in _FOLLOW.items() if other in own}
    return dict(base) | followed | dict(own)


DARK = Palette(
    "dark",
    True,
    _whole(
        {
            "background": "#0e1116",
            "panel": "#151a22",
            "select": "#1f2c45",
            "added": "#0a2c33",
            "removed": "#3d1a12",
            "line": "#2a3340",
            "text": "#d6dde8",
            "heading": "#f2f5fa",
            "dim": "#8b96a8",
            "faint": "#5f6b80",
            "accent": "#7cc4ff",
            "good": "#90e4aa",
            "warning": "#ffb454",
            "bad": "#f26c66",
            "hidden": "#568c94",
            "exposed": "#ff8f40",
            "rank0": "#3b8be6",
            "rank1": "#efa612",
            "rank2": "#e5c7f7",
            "rank3": "#96e2b3",
            "rank4": "#32c3c8",
            "rank5": "#f77553",
            "rank6": "#fd84bb",
            "rank7": "#dad074",
            "code": "#9fd3ff",
            "code.keyword": "#c39bff",
            "code.string": "#8fd6a3",
            "code.number": "#ffb454",
            "code.function": "#7cc4ff",
            "code.class": "#7cc4ff",
            "code.builtin": "#6cc5cf",
            "code.decorator": "#ffb454",
            "code.operator": "#a9b4c4",
        }
    ),
)

LIGHT = Palette(
    "light",
    False,
    _whole(
        {
            "background": "#fbfcfe",
            "panel": "#f0f3f8",
            "select": "#d8e6fa",
            "added": "#c9ecf5",
            "removed": "#ffe6cc",
            "line": "#c6cfdb",
            "text": "#1f2733",
            "heading": "#0b1220",
            "dim": "#505d70",
            "faint": "#7c889a",
            "accent": "#0a5cad",
            "good": "#1e6d43",
            "warning": "#80480a",
            "bad": "#790005",
            "hidden": "#0f7483",
            "exposed": "#b85000",
            "rank0": "#1a68fd",
            "rank1": "#5e3505",
            "rank2": "#5f2c99",
            "rank3": "#1a833f",
            "rank4": "#1b6772",
            "rank5": "#d23b32",
            "rank6": "#b72c7d",
            "rank7": "#736a00",
            "code": "#0a4f8f",
            "code.keyword": "#6a35b8",
            "code.string": "#176634",
            "code.number": "#80480a",
            "code.function": "#0a5cad",
            "code.class": "#0a5cad",
            "code.builtin": "#0b6170",
            "code.decorator": "#80480a",
            "code.operator": "#3e4a5c",
        }
    ),
)

# A weak lamp washes out greys: black on white, inks dark and saturated, nothing faint.
PROJECTOR = Palette(
    "projector",
    False,
    _whole(
        {
            "background": "#ffffff",
            "panel": "#f2f4f7",
            "select": "#ffe9a8",
            "added": "#c3ecf2",
            "removed": "#ffe0c8",
            "line": "#5b6470",
            "text": "#000000",
            "heading": "#000000",
            "dim": "#2b333d",
            "faint": "#4a535f",
            "accent": "#003f8a",
            "good": "#1b5c4b",
            "warning": "#6a452e",
            "bad": "#92000a",
            "hidden": "#005b7e",
            "exposed": "#9c3a00",
            "rank0": "#295dd5",
            "rank1": "#9f671b",
            "rank2": "#41016e",
            "rank3": "#01401c",
            "rank4": "#085f75",
            "rank5": "#a3433b",
            "rank6": "#83265c",
            "rank7": "#5c4d05",
            "code": "#003a7a",
            "code.keyword": "#4f1799",
            "code.string": "#00521f",
            "code.number": "#6b3500",
            "code.function": "#003f8a",
            "code.class": "#003f8a",
            "code.builtin": "#004d59",
            "code.decorator": "#6b3500",
            "code.operator": "#1a2027",
            "idle": "#c4cad3",  # a rule is dark, and what waits has words on it
        }
    ),
    {"select": Attributes(bold=True)},
)

MONO = Palette(
    "mono",
    True,
    {},
    {
        "heading": Attributes(bold=True),
        "accent": Attributes(bold=True),
        "warning": Attributes(underline=True),
        "bad": Attributes(bold=True, underline=True),
        "select": Attributes(reverse=True),
        "added": Attributes(bold=True),
        "dim": Attributes(dim=True),
        "faint": Attributes(dim=True),
        "line": Attributes(dim=True),
        "idle": Attributes(dim=True),
        "wait": Attributes(dim=True),
        "grads": Attributes(underline=True),
        "forward": Attributes(bold=True),
        "weight": Attributes(dim=True),
        "exposed": Attributes(bold=True),
        "code": Attributes(bold=True),
        "code.keyword": Attributes(bold=True),
        "code.comment": Attributes(italic=True),
    },
)

# What a terminal of 16 colours shows for a rank: the nearest of its colours would be white for two of them.
_SIXTEEN_DARK = (12, 11, 13, 10, 14, 9, 15, 3)
_SIXTEEN_LIGHT = (4, 3, 5, 2, 6, 1, 8, 0)


def sixteen(colour: str) -> int | None:
    """The number (0 to 15) that stands for a rank's `#rrggbb`; None: whichever is nearest to it."""
    return _OF_SIXTEEN.get(colour)


# A theme of `COLOURS` says how it differs from dark.
_BASE = {name: colour for name, colour in DARK.colours.items() if name not in _FOLLOW}
_KNOWN = tuple(Palette(name, True, _whole(_BASE | own)) for name, own in COLOURS.items())
THEMES: dict[str, Palette] = {palette.name: palette for palette in (DARK, LIGHT, PROJECTOR, MONO, *_KNOWN)}
_OF_SIXTEEN = {
    palette.colours[f"rank{rank}"]: number
    for palette in THEMES.values()
    if palette.colours
    for rank, number in enumerate(_SIXTEEN_DARK if palette.dark else _SIXTEEN_LIGHT)
}
NAMES = (*THEMES, "system")
"""Ours, and `system`: what the terminal says of itself."""


def is_known(name: str) -> bool:
    """Whether a deck may ask for it: one of `names`, or what an installed package brings."""
    return name in names() or name in teachrun.brought("themes")


def names() -> tuple[str, ...]:
    """What a deck and a screen may ask for: ours, `system`, and those that were made known by `THEMES`."""
    return (*NAMES, *(name for name in THEMES if name not in NAMES))


def asked_for(meta: Mapping[str, str]) -> str:
    """The theme of a deck's front matter; dark where it asks for none, or for one that there is not."""
    name = meta.get("theme", "").strip()
    return name if name in names() else "dark"
