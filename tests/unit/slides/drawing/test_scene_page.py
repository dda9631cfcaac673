"""Words beside a scene: a column of their measure, in letters on a large screen; the picture has the rest."""

from __future__ import annotations

import pytest

from slides.deck import Scene
from slides.drawing.cells import line_width
from slides.drawing.layout import layout
from slides.drawing.text import Line, Span, plain
from slides.reading.parse import parse_slide
from slides.reading.split import split

WORDS = "- words left of it\n- that say what it is\n<!-- pause -->\n- and a last one\n"
LEFT = f"# Typical\n\n::: columns\n{WORDS}+++\n::: scene ddp\n:::\n"
RIGHT = f"# Typical\n\n::: columns\n::: scene ddp\n+++\n{WORDS}:::\n"
WIDER = LEFT.replace("::: columns", "::: columns 3,1")


def drawn(text: str, width: int, height: int, step: int = 9) -> tuple[list[Line], list[int]]:
    """The lines of a slide, and how many columns its picture has."""
    found: list[int] = []

    def picture(block: Scene, frame: int, columns: int, rows: int) -> list[Line]:
        found.append(columns)
        return [(Span("#" * columns),)] * rows

    lines = layout(parse_slide(split(text, "d.md"), 0), step, width, height, scenes=picture)
    return lines, found


@pytest.mark.parametrize("text", [LEFT, RIGHT])
@pytest.mark.parametrize(("width", "height"), [(92, 27), (152, 41), (192, 46)])
def test_a_picture_has_what_the_words_leave_up_to_the_edge(text: str, width: int, height: int) -> None:
    lines, found = drawn(text, width, height)
    assert all(line_width(line) <= width for line in lines) and len(lines) <= height
    assert len(set(found)) == 1 and found[0] >= 0.45 * width
    first = max((plain(line) for line in lines), key=lambda line: line.count("#"))
    assert first.count("#") == found[0]
    assert first.endswith("#") == (text == LEFT)


def test_words_beside_it_are_in_letters_on_a_large_screen_and_as_large_in_every_step() -> None:
    small, _ = drawn(LEFT, 92, 27)
    assert any("words left of it" in plain(line) for line in small)
    first, last = (drawn(LEFT, 152, 41, step)[0] for step in (0, 5))
    for lines in (first, last):
        assert not any("words left of it" in plain(line) for line in lines)
    rows = [n for n, line in enumerate(last) if "▖" in plain(line)[:60] or "▌" in plain(line)[:60]]
    assert len(rows) > 6
    assert [plain(line)[:60] for line in first[: rows[5]]] == [plain(line)[:60] for line in last[: rows[5]]]


def test_widths_of_the_author_hold() -> None:
    _, (columns, *_) = drawn(WIDER, 192, 46)
    _, (equal, *_) = drawn(LEFT, 192, 46)
    assert columns < equal / 2
