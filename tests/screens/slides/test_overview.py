"""The grid of thumbnails: a picture of the pure function, moves, and what is drawn anew."""

from __future__ import annotations

import pytest

from slides.drawing import cells
from slides.drawing.text import Line, Span, plain
from tui.panes.overview import Card, Grid, Thumbnails, overview
from tui.rendering.pages.page import Page

PICTURE = """\
  First                           Then
   1                   optional   ▸2                        now
   Card 1                          Card 2

   words                           words
   more                            more

  Then
   3                     hidden
   waits
"""


def card(n: int) -> Card:
    lines: tuple[Line, ...] = ((Span(f"Card {n + 1}"),), (), (Span("words"),), (Span("more"),))
    marks = (("optional",), ("now",), ("hidden",))[n % 3]
    return Card(str(n + 1), "waits", "First" if n == 0 else "Then", marks, None if n == 2 else lines)


def picture(grid: Grid, chosen: int = 1, top: int = 0) -> str:
    rows = [plain(line).rstrip() for line in overview(card, 3, grid, top, chosen)]
    return "\n".join(rows).rstrip() + "\n"


def test_the_grid_is_a_picture() -> None:
    drawn = picture(Grid(columns=2, rows=2, width=30, height=6))
    assert drawn == PICTURE


@pytest.mark.parametrize("total", [1, 3, 14, 90])
@pytest.mark.parametrize(("width", "height"), [(60, 14), (80, 22), (100, 27), (160, 41), (20, 4), (1, 1)])
def test_a_grid_fits_every_terminal(width: int, height: int, total: int) -> None:
    grid = Grid.fitted(width, height, total)
    lines = list(overview(card, total, grid, 0, 0))
    if width >= 20:
        assert max(map(cells.line_width, lines)) <= width
        assert len(lines) <= max(height, 2)


def test_a_usual_terminal_shows_several_slides() -> None:
    shapes = {size: Grid.fitted(*size, 90) for size in ((60, 14), (80, 22), (100, 27), (160, 41))}
    assert [(grid.columns, grid.rows) for grid in shapes.values()] == [(2, 2), (3, 2), (3, 3), (5, 4)]


def test_few_slides_stand_on_higher_cards() -> None:
    many, few, one = (Grid.fitted(160, 41, total) for total in (90, 14, 1))
    assert (many.rows, few.rows) == (4, 3) and many.height < few.height
    assert one.height <= one.width // 2 + 1  # as high as looks like a slide


def test_moves_end_at_the_edges() -> None:
    grid = Grid(3, 2, 24, 10)
    total = 8
    assert [grid.moved(4, key, total) for key in ("left", "l", "up", "j", "home", "end")] == [
        3,
        5,
        1,
        7,
        0,
        7,
    ]
    assert grid.moved(5, "down", total) == 7  # the last row is shorter
    assert grid.moved(7, "down", total) == 7 and grid.moved(1, "k", total) == 1
    assert grid.moved(0, "pagedown", total) == 6 and grid.moved(7, "pageup", total) == 1
    assert grid.moved(0, "x", total) is None


def test_the_chosen_card_stays_in_sight() -> None:
    grid = Grid(3, 2, 24, 10)
    assert grid.top(0, 0, 30) == 0
    assert grid.top(8, 0, 30) == 1
    assert grid.top(8, 2, 30) == 2
    assert grid.top(0, 5, 30) == 0
    assert grid.top(29, 0, 30) == 8
    assert grid.top(2, 9, 3) == 0  # a deck that became short


def test_what_is_chosen_is_told_without_colour() -> None:
    drawn = picture(Grid(3, 1, 20, 6), chosen=0)
    assert "▸1" in drawn and "▸2" not in drawn


def test_a_thumbnail_is_made_again_only_when_its_look_changed() -> None:
    look = {"state": "ready"}
    made = Thumbnails(
        lambda page, width, height: [(Span(f"{page} {look['state']}"),)], lambda page: look["state"]
    )
    grid, page = Grid(2, 2, 30, 8), Page(4, 0)
    assert made.get(4, grid) is None and not made.fresh(page, grid)
    made.make(page, grid)
    assert made.fresh(page, grid) and not made.fresh(Page(4, 1), grid)
    look["state"] = "running"
    assert not made.fresh(page, grid)
    assert "ready" in plain((made.get(4, grid) or ((),))[0])  # the old one until the new one is there
    made.make(page, grid)
    assert "running" in plain((made.get(4, grid) or ((),))[0])
    assert made.get(4, Grid(2, 2, 40, 8)) is None and made.get(4, Grid(2, 2, 30, 9)) is None
