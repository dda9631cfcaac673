"""What a page wears: what a diff added and removed has the grounds of the screen, told apart by everybody."""

from __future__ import annotations

import re

import pytest

from slides.export import style
from slides.palette import THEMES, Palette


@pytest.mark.parametrize(
    "theme", [None, *THEMES.values()], ids=lambda theme: theme.name if theme else "reader's"
)
def test_added_and_removed_have_the_grounds_of_the_palette(theme: Palette | None) -> None:
    sheet = style.sheet(theme)
    for tag, ground in (("ins", "added"), ("del", "removed")):
        (rule,) = re.findall(rf"(?:^|\}}){tag}\{{([^}}]*)\}}", sheet, re.MULTILINE)
        assert f"background:var(--{ground})" in rule
        assert "--good" not in rule and "--bad" not in rule
        told = re.findall(rf"--{ground}:([^;]+);", sheet)
        assert told, "a ground without a colour"
        if theme and theme.colours:
            assert theme.colour(ground) in told
