"""Rows and columns of a class's screen."""

from __future__ import annotations

from tui.panes import screen_layout


def test_a_page_is_at_most_four_fifths_of_a_wide_screen() -> None:
    for width in range(1, 400):
        for extent in ("", "wide"):
            for text in ("normal", "big", "compact"):
                cells = screen_layout.measure(width, extent, text)
                assert cells <= max(128, 0.8 * width)
                assert width < 3 or screen_layout.margin(width, text) + cells <= width


def test_a_page_stands_in_the_middle_and_all_titles_in_one_column() -> None:
    left, cells = screen_layout.margin(160), screen_layout.measure(160, "")
    assert abs(left - (160 - left - cells)) <= 1 and cells == 128
    assert screen_layout.measure(132, "wide") > screen_layout.measure(132, "")  # to the right only
    assert left + screen_layout.measure(160, "edge") == 160 - screen_layout.margin(100)
