"""The test card: exactly the terminal, corners and rulers true, contrasts those of the palette."""

from __future__ import annotations

import pytest
from pictured import same_as_picture

from slides.drawing import cells
from slides.drawing.text import plain
from slides.palette import DARK, MONO, THEMES
from tui.views.test_card import card, readable, text

SIZES = [(60, 16), (80, 24), (100, 30), (160, 45)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("width", "height"), [*SIZES, (30, 9), (10, 3), (1, 1), (300, 90)])
def test_it_fills_the_terminal_and_nothing_more(theme: str, width: int, height: int) -> None:
    lines = card(THEMES[theme], theme, width, height)
    assert len(lines) == height
    assert {cells.line_width(line) for line in lines} == {width}


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_corners_and_rulers_say_where_they_are(width: int, height: int) -> None:
    rows = text(DARK, "dark", width, height).split("\n")
    assert rows[0][:3] == "█▀▀" and rows[0][-3:] == "▀▀█"
    assert rows[-1][:3] == "█▄▄" and rows[-1][-3:] == "▄▄█"
    assert rows[0][18:20] == rows[-1][18:20] == "20"  # ends in the twentieth cell
    assert [row[1:3].strip() for row in rows[4:-2:5]] == [str(n) for n in range(5, height - 1, 5)]
    assert f"{width} x {height} cells" in rows[2]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_its_picture(width: int, height: int) -> None:
    drawn = "\n".join(plain(line) for line in card(DARK, "dark", width, height)) + "\n"
    same_as_picture(f"testcard_{width}x{height}", drawn)


def test_contrasts_are_those_of_wcag() -> None:
    assert readable("#ffffff", "#000000") == pytest.approx(21)
    assert readable("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert readable("#777777", "#777777") == 1
    assert readable(MONO.colour("text"), MONO.colour("background")) is None
    for palette in THEMES.values():
        shown = "\n".join(plain(line) for line in card(palette, palette.name, 160, 45))
        ratio = readable(palette.colour("text"), palette.colour("background"))
        assert (f"text {ratio:.1f}" in shown) if ratio is not None else ("text   heading" in shown)
