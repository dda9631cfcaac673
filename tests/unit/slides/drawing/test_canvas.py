"""Braille curves, and round numbers on axes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slides.drawing.canvas import Braille, tick_label, ticks
from slides.drawing.cells import line_width
from slides.drawing.text import Span, Style, plain

numbers = st.floats(allow_nan=True, allow_infinity=True)


def picture(canvas: Braille) -> list[str]:
    return [plain(line) for line in canvas.render()]


def test_lines_look_like_this() -> None:
    canvas = Braille(6, 2)
    canvas.lines([(0, 7), (11, 0)], "accent")
    assert picture(canvas) == ["   ⣀⠔⠊", "⡠⠔⠉   "]


def test_the_last_ink_of_a_cell_wins() -> None:
    canvas = Braille(2, 1)
    canvas.lines([(0, 0), (3, 0)], "rank0")
    canvas.points([2], [3], "rank1")
    assert canvas.render() == [(Span("⠉", Style("rank0")), Span("⡉", Style("rank1")))]


def test_many_segments_at_once_are_the_same_dots_as_one_by_one() -> None:
    starts, ends = [(0, 0), (3, 7), (9, 2)], [(9, 7), (0, 0), (9, 6)]
    together, apart = Braille(5, 2), Braille(5, 2)
    together.segments(starts, ends, "text")
    for start, end in zip(starts, ends, strict=True):
        apart.segments([start], [end], "text")
    assert (together.dots == apart.dots).all()


def test_a_hole_in_the_data_is_a_hole_in_the_curve() -> None:
    canvas = Braille(6, 1)
    canvas.lines([(0, 0), (2, 0), (math.nan, 0), (8, 0), (10, 0)], "text")
    assert picture(canvas) == ["⠉⠁  ⠉⠁"]


@given(st.lists(st.tuples(numbers, numbers), max_size=6), st.integers(0, 9), st.integers(0, 4))
def test_any_points_give_the_size_asked_for(points: list[tuple[float, float]], w: int, h: int) -> None:
    canvas = Braille(w, h)
    canvas.lines(points, "text")
    assert [line_width(line) for line in canvas.render()] == [w] * h


@pytest.mark.parametrize(
    ("low", "high", "count", "expected"),
    [
        (0, 150, 3, [0, 50, 100, 150]),
        (2.0, 5.6, 4, [2, 3, 4, 5]),
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-1, 1, 4, [-1, -0.5, 0, 0.5, 1]),
        (3, 3, 5, [3]),
        (math.nan, 1, 5, []),
    ],
)
def test_ticks(low: float, high: float, count: int, expected: list[float]) -> None:
    assert ticks(low, high, count) == pytest.approx(expected)


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12), st.integers(1, 10))
def test_ticks_are_few_and_inside(low: float, high: float, count: int) -> None:
    low, high = sorted((low, high))
    found = ticks(low, high, count)
    assert len(found) <= count + 1
    assert all(low - 1e-6 * (high - low) <= tick <= high + 1e-6 * (high - low) for tick in found)


@pytest.mark.parametrize(
    ("value", "step", "label"),
    [(0, 50, "0"), (50, 50, "50"), (0.2, 0.2, "0.2"), (2, 0.5, "2.0"), (2000, 500, "2.0k"), (3e6, 1e6, "3M")],
)
def test_tick_labels(value: float, step: float, label: str) -> None:
    assert tick_label(value, step) == label
