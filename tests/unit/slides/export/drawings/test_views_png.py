"""The drawing of screens: a capture of a terminal comes out as cells, and a picture has its size."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("PIL")
sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))

import png
from PIL import Image

from slides.drawing.text import Span, Style
from slides.palette import THEMES


def test_a_capture_is_read_with_its_styles():
    capture = "a\x1b[1;38;2;255;0;16mb\x1b[0m\x1b[7mc\x1b[0m\x1b[48;5;232m漢\n\x1b[39;49mx\x1b]0;title\x07y"
    first, second = png.parse_ansi(capture)
    assert [cell.text for cell in first] == ["a", "b", "c", "漢"]
    assert [cell.width for cell in first] == [1, 1, 1, 2]
    assert (first[1].ink, first[1].bold) == ("#ff0010", True)
    assert (first[2].ink, first[2].ground) == (png.GROUND, png.INK)
    assert first[3].ground == "#080808"
    assert "".join(cell.text for cell in second) == "xy"
    assert second[0].ground == png.GROUND


def test_a_picture_has_the_screens_size_and_colours(tmp_path):
    line = (Span("█", Style("compute")), Span(" ", Style("text", "accent")), Span("⣿"))
    for theme in ("dark", "mono"):
        png.lines_to_png([line], THEMES[theme], tmp_path / "x.png", 4, 2)
        with Image.open(tmp_path / "x.png") as image:
            assert image.size == (4 * png.CELL_W, 2 * png.CELL_H)
            pixel = "#{:02x}{:02x}{:02x}".format(*image.getpixel((5, 5)))
        assert pixel == (THEMES[theme].colour("compute") or png.INK)
