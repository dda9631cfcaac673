"""Colours by meaning, the same in the whole course: one table per theme.

Text inks keep WCAG AA (4.5:1) on background, panel and select; `faint` and the fills of bars keep 3:1 on the
background, the bound for graphics: what must be read is never faint. Nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Attributes(NamedTuple):
    """What carries a meaning where there is no colour."""

    bold: bool = False
    underline: bool = False
    reverse: bool = False
    italic: bool = False
    dim: bool = False


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

    def attributes(self, name: str) -> Attributes:
        """Attributes to add to those of the style."""
        return self.marks.get(name, Attributes())


DARK = Palette(
    "dark",
    True,
    {
        "background": "#0e1116",
        "panel": "#151a22",
        "select": "#1f2c45",
        "added": "#12291d",
        "removed": "#35191d",
        "line": "#2a3340",
        "text": "#d6dde8",
        "heading": "#f2f5fa",
        "dim": "#8b96a8",
        "faint": "#5f6b80",
        "accent": "#7cc4ff",
        "good": "#6fd08c",
        "warning": "#ffb454",
        "bad": "#ff7a7a",
        "params": "#5aa9ff",
        "grads": "#ffb454",
        "optimizer": "#c39bff",
        "activations": "#6fd08c",
        "compute": "#5aa9ff",
        "forward": "#5aa9ff",
        "backward": "#6fd08c",
        "weight": "#d3c65c",
        "hidden": "#2f8f9d",
        "exposed": "#ff8f40",
        "wait": "#5f6b80",
        "rank0": "#5aa9ff",
        "rank1": "#ffb454",
        "rank2": "#c39bff",
        "rank3": "#6fd08c",
        "rank4": "#4fc7c9",
        "rank5": "#ff8f70",
        "rank6": "#f28fc4",
        "rank7": "#d3c65c",
        "code": "#9fd3ff",
        "code.keyword": "#c39bff",
        "code.string": "#8fd6a3",
        "code.comment": "#8b96a8",
        "code.number": "#ffb454",
        "code.name": "#d6dde8",
        "code.function": "#7cc4ff",
        "code.class": "#7cc4ff",
        "code.builtin": "#6cc5cf",
        "code.decorator": "#ffb454",
        "code.constant": "#ffb454",
        "code.operator": "#a9b4c4",
    },
)

LIGHT = Palette(
    "light",
    False,
    {
        "background": "#fbfcfe",
        "panel": "#f0f3f8",
        "select": "#d8e6fa",
        "added": "#d9f2e0",
        "removed": "#fbe1e1",
        "line": "#c6cfdb",
        "text": "#1f2733",
        "heading": "#0b1220",
        "dim": "#505d70",
        "faint": "#7c889a",
        "accent": "#0a5cad",
        "good": "#176634",
        "warning": "#80480a",
        "bad": "#b3202c",
        "params": "#1b6ac9",
        "grads": "#a85d00",
        "optimizer": "#7a43c9",
        "activations": "#1f7f42",
        "compute": "#1b6ac9",
        "forward": "#1b6ac9",
        "backward": "#1f7f42",
        "weight": "#746500",
        "hidden": "#0f7483",
        "exposed": "#b85000",
        "wait": "#7c889a",
        "rank0": "#1b6ac9",
        "rank1": "#a85d00",
        "rank2": "#7a43c9",
        "rank3": "#1f7f42",
        "rank4": "#0f7483",
        "rank5": "#c2412d",
        "rank6": "#b02f7c",
        "rank7": "#746500",
        "code": "#0a4f8f",
        "code.keyword": "#6a35b8",
        "code.string": "#176634",
        "code.comment": "#505d70",
        "code.number": "#80480a",
        "code.name": "#1f2733",
        "code.function": "#0a5cad",
        "code.class": "#0a5cad",
        "code.builtin": "#0b6170",
        "code.decorator": "#80480a",
        "code.constant": "#80480a",
        "code.operator": "#3e4a5c",
    },
)

# A weak lamp washes out greys: black on white, inks dark and saturated, nothing faint.
PROJECTOR = Palette(
    "projector",
    False,
    {
        "background": "#ffffff",
        "panel": "#f2f4f7",
        "select": "#ffe9a8",
        "added": "#d2f2da",
        "removed": "#ffdede",
        "line": "#5b6470",
        "text": "#000000",
        "heading": "#000000",
        "dim": "#2b333d",
        "faint": "#4a535f",
        "accent": "#003f8a",
        "good": "#00521f",
        "warning": "#6b3500",
        "bad": "#99000f",
        "params": "#0050b8",
        "grads": "#8a4200",
        "optimizer": "#5b1fa8",
        "activations": "#005f26",
        "compute": "#0050b8",
        "forward": "#0050b8",
        "backward": "#005f26",
        "weight": "#574b00",
        "hidden": "#005866",
        "exposed": "#9c3a00",
        "wait": "#4a535f",
        "rank0": "#0050b8",
        "rank1": "#8a4200",
        "rank2": "#5b1fa8",
        "rank3": "#005f26",
        "rank4": "#005866",
        "rank5": "#a31f0c",
        "rank6": "#8c0f5c",
        "rank7": "#574b00",
        "code": "#003a7a",
        "code.keyword": "#4f1799",
        "code.string": "#00521f",
        "code.comment": "#2b333d",
        "code.number": "#6b3500",
        "code.name": "#000000",
        "code.function": "#003f8a",
        "code.class": "#003f8a",
        "code.builtin": "#004d59",
        "code.decorator": "#6b3500",
        "code.constant": "#6b3500",
        "code.operator": "#1a2027",
    },
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

THEMES: dict[str, Palette] = {palette.name: palette for palette in (DARK, LIGHT, PROJECTOR, MONO)}
NAMES = (*THEMES, "system")
"""Ours, and `system`: what the terminal says of itself."""


def names() -> tuple[str, ...]:
    """What a deck and a screen may ask for: ours, `system`, and those that were made known by `THEMES`."""
    return (*NAMES, *(name for name in THEMES if name not in NAMES))


def asked_for(meta: Mapping[str, str]) -> str:
    """The theme of a deck's front matter; dark where it asks for none, or for one that there is not."""
    name = meta.get("theme", "").strip()
    return name if name in names() else "dark"
