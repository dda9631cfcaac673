"""The rows over every slide: how many, and what stands in them at any size."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from slides import header_and_footer
from slides.drawing import cells
from slides.drawing.text import plain
from slides.reading.split import split
from tui.deck import deck_upload
from tui.deck.contents import Contents
from tui.panes.edges import page_header
from tui.panes.edges.page_header import Still

DECK = """---
title: Four ranks
header: "{title} | {section} | May"
logo: ACME
---
<!-- slide: {section: Rings} -->
# One
"""


def line(width: int, text: str = DECK) -> str:
    (found,) = page_header.lines(Still(Contents(split(text, "d.md")), 0), None, width, 1)
    return plain(found)


def test_left_middle_and_right_with_the_middle_in_the_middle() -> None:
    shown = line(100)
    assert shown.startswith("  Four ranks") and shown.rstrip().endswith("May   ACME")
    assert abs(shown.index("Rings") + len("Rings") / 2 - 50) <= 1 and cells.width(shown.rstrip()) == 98


def test_where_there_is_no_room_the_middle_goes_first() -> None:
    assert "Rings" not in line(30) and "Four ranks" in line(30) and "ACME" in line(30)


@given(st.integers(1, 200), st.text(max_size=60), st.text(max_size=60), st.text(max_size=30))
def test_it_is_never_wider_than_the_screen(width: int, left: str, middle: str, logo: str) -> None:
    contents = Contents(split("# One\n", "d.md"))
    contents.deck.meta.update({"header": f"{left} | {middle}", "logo": logo})
    for height in (0, 1, 2, 3):
        found = page_header.lines(Still(contents, 0), None, width, height)
        assert len(found) == height and all(cells.line_width(one) <= max(width, 4) for one in found)


def test_rows_by_what_there_is_and_by_the_size() -> None:
    words, picture = header_and_footer.of({"header": "x"}), header_and_footer.of({"logo": "a.png"})
    assert [page_header.rows(words, 100, rows) for rows in (12, 16, 24, 30, 45)] == [0, 1, 1, 1, 2]
    assert [page_header.rows(picture, 100, rows) for rows in (12, 24, 30, 45)] == [0, 2, 2, 3]
    assert (
        page_header.rows(words, 50, 40)
        == 0
        == page_header.rows(header_and_footer.of({"footer": "x"}), 100, 40)
    )


def test_the_logo_travels_to_the_rooms_screen(tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(64)
    (tmp_path / "l.png").write_bytes(png)
    (tmp_path / "secret.png").write_bytes(png)
    deck = split("---\nlogo: l.png\n---\n# One\n", str(tmp_path / "d.md"))
    theirs = deck_upload.contents(deck_upload.for_audience(Contents(deck)), "audience")
    assert theirs.pictures == {"l.png": png} and theirs.deck.meta["logo"] == "l.png"
