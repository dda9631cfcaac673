"""The look of an exported page: the colours of the screen by their meanings, in the light or the dark."""

from __future__ import annotations

from pathlib import Path

from slides.export.svg import name
from slides.palette import DARK, LIGHT, Palette


def sheet() -> str:
    """The style sheet, whole: nothing is loaded from anywhere."""
    inks = "".join(f".i-{name(ink)}{{color:var(--{name(ink)})}}" for ink in LIGHT.colours)
    grounds = "".join(f".g-{name(ink)}{{fill:var(--{name(ink)})}}" for ink in LIGHT.colours)
    rules = Path(__file__).with_name("page.css").read_text("utf-8")
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    return f":root{{color-scheme:light dark;{_variables(LIGHT)}}}{dark}{inks}{grounds}{rules}"


def _variables(palette: Palette) -> str:
    return "".join(f"--{name(ink)}:{colour};" for ink, colour in palette.colours.items())
