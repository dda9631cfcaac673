"""Pandoc's grid tables, as RStudio's visual editor writes them in decks of Quarto."""

from __future__ import annotations

import pytest
from made_decks import slides

from slides.deck import Code, Table
from slides.export.plain_words import inline
from slides.reading_order import blocks


def tables(text: str, name: str = "pandoc") -> list[Table]:
    return [
        block for slide in slides(text, name) for block in blocks(slide.blocks) if isinstance(block, Table)
    ]


GRID = """# A

+------------+--------------------------+
| Transition | Description              |
+============+=========================:+
| `none`     | No transition (switch    |
|            | instantly)               |
+------------+--------------------------+
| fade       | -   one item             |
|            | -   two                  |
|            |                          |
|            | then a\\|b                |
+------------+--------------------------+

After it.
"""


def test_a_long_grid_is_one_table() -> None:
    rows = [f"| {n:<4} |\n| more |\n+------+\n" for n in range(300)]
    (table,) = tables("# A\n\n+------+\n| head |\n+======+\n" + "".join(rows))
    assert [inline(cell) for cell in table.head] == ["head"]
    assert [inline(row[0]) for row in table.rows] == [f"{n} more" for n in range(300)]


@pytest.mark.parametrize("grid", ["+---+\n+===+\n+---+", "+---+\n+---+\n+---+"])
def test_borders_alone_stay_as_they_were_drawn(grid: str) -> None:
    (slide,) = slides(f"# A\n\n{grid}\n", "pandoc")
    (code,) = (block for block in blocks(slide.blocks) if isinstance(block, Code))
    assert code.source == grid


@pytest.mark.parametrize("name", ["pandoc", "patat"])
def test_a_grid_is_a_table(name: str) -> None:
    (table,) = tables(GRID, name)
    assert [inline(cell) for cell in table.head] == ["Transition", "Description"]
    assert [[inline(cell) for cell in row] for row in table.rows] == [
        ["none", "No transition (switch instantly)"],
        ["fade", "• one item • two then a|b"],
    ]
    assert table.align == ("", "right")


def test_a_grid_without_a_head_has_all_its_rows() -> None:
    (table,) = tables("# A\n\n+---+-----+\n| a | b   |\n+---+-----+\n| c | 漢字 |\n+---+-----+\n")
    assert [[inline(cell) for cell in row] for row in table.rows] == [["a", "b"], ["c", "漢字"]]


def test_columns_of_a_slide_hold_a_grid() -> None:
    column = "::: {.column}\n+---+---+\n| a | b |\n+---+---+\n:::\n"
    assert len(tables(f"# A\n\n::: columns\n{column}{column}:::\n")) == 2


@pytest.mark.parametrize(
    "grid",
    [
        "+---+---+\n| a | b |\n+---+---+\n| spans |\n+---+---+",
        "+---+---+\n| a | b |\n|   +---+\n|   | c |\n+---+---+",
        "+---+---+\n| a | b |\n+-------+\n| c     |\n+-------+",
    ],
)
def test_cells_that_reach_over_others_stay_as_they_were_drawn(grid: str) -> None:
    (slide,) = slides(f"# A\n\n{grid}\n", "pandoc")
    (code,) = (block for block in blocks(slide.blocks) if isinstance(block, Code))
    assert code.source == grid


@pytest.mark.parametrize(
    "text", ["```\n+---+\n| a |\n+---+\n```", "+---+ and\n| a | b", "+---+\n| a |", "+---+"]
)
def test_what_is_no_grid_stays(text: str) -> None:
    assert not tables(f"# A\n\n{text}\n")


def test_braces_in_code_of_a_title_stay() -> None:
    (slide,) = slides("# Fit `{.r-fit-text}` and `a`{.r}\n\nx\n", "pandoc")
    assert slide.title == "Fit {.r-fit-text} and a"
