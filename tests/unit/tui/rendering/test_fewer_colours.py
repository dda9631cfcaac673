"""Colours where a terminal has 256: by hue and lightness, not by steps of red, green and blue."""

from __future__ import annotations

import colorsys

import pytest
from rich.color import Color, ColorSystem

from slides.palette import THEMES
from tui.rendering.fewer_colours import GREYS, STEPS, of_256, shown

CUBE = {
    16 + 36 * r + 6 * g + b: (STEPS[r], STEPS[g], STEPS[b])
    for r in range(6) for g in range(6) for b in range(6)
}  # fmt: skip
ALL = CUBE | {232 + n: (grey, grey, grey) for n, grey in enumerate(GREYS)}


def test_colours_that_the_terminal_has_stay_as_they_are() -> None:
    for number, parts in ALL.items():
        assert ALL[of_256(*parts)] == parts, number


@pytest.mark.parametrize("number", range(16, 256))
def test_the_table_is_the_one_that_rich_has(number: int) -> None:
    assert tuple(Color.from_ansi(number).get_truecolor()) == ALL[number]


def test_the_ground_of_a_dark_theme_is_dark_grey_and_not_navy() -> None:
    for name in ("dark", "catppuccin", "nord"):
        for ink in ("background", "panel"):
            drawn = shown(Color.parse(THEMES[name].colours[ink]), ColorSystem.EIGHT_BIT)
            red, green, blue = drawn.get_truecolor()
            assert max(red, green, blue) - min(red, green, blue) <= 40, (name, ink, drawn)


def test_the_colours_of_ranks_keep_their_hue() -> None:
    for name in ("dark", "light", "projector"):
        for rank in range(4):
            wanted = Color.parse(THEMES[name].colours[f"rank{rank}"])
            hue = colorsys.rgb_to_hls(*(part / 255 for part in wanted.get_truecolor()))[0]
            drawn = shown(wanted, ColorSystem.EIGHT_BIT).get_truecolor()
            found = colorsys.rgb_to_hls(*(part / 255 for part in drawn))[0]
            assert min(abs(hue - found), 1 - abs(hue - found)) < 0.11, (name, rank, drawn)
