"""How the console is divided, at every size that it is offered for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes import screen_layout
from tui.panes.console.console_layout import (
    LARGEST,
    LAYOUTS,
    LEAST_NOTES,
    LEAST_SLIDE,
    SMALLEST,
    Layout,
    Parts,
    divide,
)


def parts(layout: Layout, width: int, height: int, size: int = 0, panel: bool = False) -> Parts:
    rows = height - 1 - screen_layout.bottom_rows(height, "console")
    return divide(layout, width, rows, size, height=height, panel=panel)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((80, 24), {"balanced": 9, "notes": 14, "slides": 4}),
        ((100, 30), {"balanced": 36, "notes": 56, "slides": 30}),
        ((160, 45), {"balanced": 58, "notes": 90, "slides": 43}),
        ((200, 50), {"balanced": 72, "notes": 112, "slides": 54}),
    ],
)
def test_the_layouts_at_the_usual_sizes(size: tuple[int, int], expected: dict[Layout, int]) -> None:
    assert {layout: parts(layout, *size).aside for layout in LAYOUTS} == expected


def test_thumbnails_where_there_is_room_and_no_panel() -> None:
    assert parts("balanced", 160, 45).below == parts("slides", 160, 45).below > 0
    assert parts("balanced", 160, 45, panel=True).below == parts("balanced", 100, 30).below == 0


@given(
    st.sampled_from(LAYOUTS),
    st.integers(60, 300),
    st.integers(16, 100),
    st.integers(SMALLEST, LARGEST),
    st.booleans(),
)
def test_slide_and_notes_have_their_least_at_every_size(
    layout: Layout, width: int, height: int, size: int, panel: bool
) -> None:
    divided = parts(layout, width, height, size, panel)
    rows = height - 1 - screen_layout.bottom_rows(height, "console")
    if divided.stacked:
        assert divided.below == 0 and 3 <= divided.aside <= rows - 5
    else:
        assert divided.aside >= LEAST_NOTES and width - divided.aside >= LEAST_SLIDE
        assert rows - divided.below >= 5


@given(
    st.sampled_from(LAYOUTS), st.integers(60, 300), st.integers(16, 100), st.integers(SMALLEST, LARGEST - 1)
)
def test_larger_is_never_smaller(layout: Layout, width: int, height: int, size: int) -> None:
    assert parts(layout, width, height, size + 1).aside >= parts(layout, width, height, size).aside
