"""Strips in a theme's colours, and which theme `system` is."""

from __future__ import annotations

import pytest

from slides.drawing.text import Span, Style
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.terminal import background_colour


def test_a_strip_is_as_wide_as_asked() -> None:
    painter = Painter("dark")
    line = (Span("words", Style("accent")), Span(" and 漢字"))
    for width in (3, 8, 40):
        assert painter.strip(line, width, margin=2).cell_length == width


def test_colours_are_the_palettes_and_the_ground_is_filled() -> None:
    painter = Painter("dark")
    first, second = list(painter.strip((Span("x", Style("accent", bold=True)),), 4))
    assert first.style is not None and first.style.bold and first.style.color is not None
    assert first.style.color.name == painter.colour("accent")
    assert second.text == "   " and second.style is not None and second.style.bgcolor is not None
    assert second.style.bgcolor.name == painter.colour("background")


def test_mono_has_no_colour_and_shows_selection_all_the_same() -> None:
    (segment,) = Painter("mono").strip((Span("x", Style("text", "select")),), 1)
    assert segment.style is not None
    assert segment.style.color is None and segment.style.bgcolor is None and segment.style.reverse


@pytest.mark.parametrize(
    ("value", "theme"), [("15;0", "dark"), ("0;15", "light"), ("0;default;7", "light"), ("", "dark")]
)
def test_system_by_the_terminals_variable(value: str, theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", value)
    assert themed_strips.resolve("system") == theme


@pytest.mark.parametrize(
    ("answer", "theme"),
    [
        (b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62c", "dark"),
        (b"\x1b]11;rgb:ff/ff/f0\x07", "light"),
        (b"\x1b[?62c", ""),
        (b"\x1b]11;rgb:zz/1/2\x07", ""),
        (b"\x1b]11;rgb:1/2\x07", ""),
    ],
)
def test_what_a_terminal_says_of_its_background(answer: bytes, theme: str) -> None:
    assert background_colour.parse(answer) == theme


def test_an_unknown_name_is_dark() -> None:
    assert themed_strips.resolve("no such theme") == "dark"
