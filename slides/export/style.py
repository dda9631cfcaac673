"""The look of an exported page: the colours of the screen by their meanings, in the light or the dark."""

from __future__ import annotations

from pathlib import Path

from slides.export.drawings.svg import name
from slides.palette import DARK, LIGHT, Palette

_GROUNDS = ("background", "panel", "select", "idle", "added", "removed")
_SHAPES = ("line", "wait")  # of no words: they may be paler than these


def sheet(theme: Palette | None = None) -> str:
    """The style sheet, whole: nothing is loaded from anywhere.

    Without a theme it is the reader's light or dark. What is printed is never dark.
    """
    inks = "".join(f".i-{name(ink)}{{color:var(--{name(ink)})}}" for ink in LIGHT.colours)
    grounds = "".join(f".g-{name(ink)}{{fill:var(--{name(ink)})}}" for ink in LIGHT.colours)
    rules = Path(__file__).with_name("page.css").read_text("utf-8")
    return f"{_colours(theme)}{inks}{grounds}{rules}"


def _colours(theme: Palette | None) -> str:
    if theme is None:
        dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
        return f":root{{color-scheme:light dark;{_variables(LIGHT)}}}{dark}"
    if not theme.dark or not theme.colours:
        scheme = "light" if theme.colours else "light dark"
        return f":root{{color-scheme:{scheme};{_variables(theme)}}}"
    screen = f"@media screen{{:root{{color-scheme:dark;{_variables(theme)}}}}}"
    return f":root{{color-scheme:light;{_variables(LIGHT)}}}{screen}"


def _variables(palette: Palette) -> str:
    colours = palette.colours or {ink: _uncoloured(ink) for ink in LIGHT.colours}
    return "".join(f"--{name(ink)}:{colour};" for ink, colour in colours.items())


def _uncoloured(ink: str) -> str:
    """What the browser itself writes with, as mono leaves colours to the terminal."""
    return "Canvas" if ink in _GROUNDS else "GrayText" if ink in _SHAPES else "CanvasText"
