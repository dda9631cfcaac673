"""Characters that are shapes: their parts meet their neighbours, and every one of Unicode's is known."""

from __future__ import annotations

import pytest

from slides.export.drawings.glyphs import Rect, shapes


def area(parts: tuple[Rect, ...]) -> float:
    return sum((r.x1 - r.x0) * (r.y1 - r.y0) * r.alpha for r in parts)


def test_braille_is_read_bit_by_bit() -> None:
    assert shapes("⠀") == ()
    (dot,) = shapes("⠁") or ()
    assert dot.x1 < 0.5 and dot.y1 < 0.25
    (last,) = shapes("⢀") or ()
    assert last.x0 > 0.5 and last.y0 > 0.75
    assert len(shapes("⣿") or ()) == 8
    assert {len(shapes(chr(0x2800 + n)) or ()) == n.bit_count() for n in range(256)} == {True}


@pytest.mark.parametrize(
    ("char", "filled"),
    [("█", 1), ("▀", 0.5), ("▄", 0.5), ("▌", 0.5), ("▐", 0.5), ("▁", 1 / 8), ("▇", 7 / 8), ("▏", 1 / 8),
     ("▖", 0.25), ("▚", 0.5), ("▙", 0.75), ("░", 0.25), ("▒", 0.5), ("▓", 0.75), ("▔", 1 / 8), ("▕", 1 / 8)],
)  # fmt: skip
def test_blocks_fill_their_share(char: str, filled: float) -> None:
    assert area(shapes(char) or ()) == pytest.approx(filled)


def test_sextants_have_the_parts_that_their_names_count() -> None:
    assert shapes("\U0001fb00") == (Rect(0, 0, 0.5, 1 / 3),)  # -1
    assert shapes("\U0001fb3b") == tuple(
        Rect(x / 2, y / 3, x / 2 + 0.5, (y + 1) / 3) for x, y in ((1, 0), (0, 1), (1, 1), (0, 2), (1, 2))
    )  # -23456
    assert all(shapes(chr(code)) for code in range(0x1FB00, 0x1FB3C))


def touches(char: str) -> set[str]:
    """The edges of the cell that a box line reaches."""
    parts = shapes(char) or ()
    edges = {"left": lambda r: r.x0 == 0, "right": lambda r: r.x1 == 1,
             "up": lambda r: r.y0 == 0, "down": lambda r: r.y1 == 1}  # fmt: skip
    return {edge for edge, reached in edges.items() if any(reached(r) for r in parts)}


@pytest.mark.parametrize(
    ("char", "edges"),
    [("─", "left right"), ("│", "up down"), ("┌", "right down"), ("╯", "left up"), ("╔", "right down"),
     ("├", "up down right"), ("╪", "left right up down"), ("╡", "left up down"), ("┡", "up down right"),
     ("╸", "left"), ("╽", "up down"), ("━", "left right"), ("┼", "left right up down")],
)  # fmt: skip
def test_box_lines_reach_the_edges_that_they_are_named_after(char: str, edges: str) -> None:
    assert touches(char) == set(edges.split())


def test_every_shape_of_unicode_is_known_and_stays_in_its_cell() -> None:
    letters = {chr(code) for code in range(0x2500, 0x25A0) if shapes(chr(code)) is None}
    assert letters == set("╱╲╳")
    for code in (*range(0x2500, 0x25A0), *range(0x2800, 0x2900)):
        for r in shapes(chr(code)) or ():
            assert 0 <= r.x0 < r.x1 <= 1 and 0 <= r.y0 < r.y1 <= 1 and 0 < r.alpha <= 1
    assert shapes("a") is None and shapes("漢") is None and shapes("ab") is None
