"""Figures in words, and that they keep to the width their columns give them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.figures import numbers


@pytest.mark.parametrize(
    ("make", "value", "text"),
    [
        (numbers.ms, 0.0008, "0.8 ms"),
        (numbers.ms, 0.0099499, "9.9 ms"),
        (numbers.ms, 0.00996, "10 ms"),
        (numbers.ms, 0.0523, "52 ms"),
        (numbers.ms, 0.9994, "999 ms"),
        (numbers.ms, 0.9996, "1.00 s"),
        (numbers.ms, 12.345, "12.3 s"),
        (numbers.ms, 99.96, "100 s"),
        (numbers.ms, 1020.0, "17 min"),
        (numbers.ms, -0.018, "-18 ms"),
        (numbers.ms, None, "–"),
        (numbers.ms, math.nan, "–"),
        (numbers.size, 512, "512 B"),
        (numbers.size, 999.6, "1.0 kB"),
        (numbers.size, 13_900_000, "13.9 MB"),
        (numbers.size, 1_048_576, "1.0 MB"),
        (numbers.size, 999_960_000, "1.0 GB"),
        (numbers.size, 456_000_000, "456 MB"),
        (numbers.size, None, "–"),
        (numbers.rate, 480.2, "480"),
        (numbers.rate, 1934.0, "1.9k"),
        (numbers.rate, 9960.0, "10k"),
        (numbers.rate, 999_600.0, "1.0M"),
        (numbers.rate, None, "–"),
        (numbers.loss, 2.15304, "2.1530"),
        (numbers.loss, 12.15304, "12.153"),
        (numbers.loss, 1e9, "1e9"),
        (numbers.loss, math.nan, "nan"),
        (numbers.loss, math.inf, "inf"),
        (numbers.loss, None, "–"),
        (numbers.figure, 0.824, "0.82"),
        (numbers.figure, 0.00042, "4e-4"),
        (numbers.figure, 0.0, "0.00"),
        (numbers.figure, 1234.0, "1.2k"),
        (numbers.percent, 0.634, "63 %"),
        (numbers.percent, None, "–"),
        (numbers.clock, 0.0, "0:00"),
        (numbers.clock, 12.9, "0:12"),
        (numbers.clock, 59.9, "0:59"),
        (numbers.clock, 760.0, "12:40"),
        (numbers.clock, 3661.0, "1:01:01"),
        (numbers.clock, None, "–"),
    ],
)
def test_figures(make, value, text):
    assert make(value) == text


@given(st.floats(min_value=0, max_value=16 * 3600))
def test_times_fit_their_column(value):
    assert len(numbers.ms(value)) <= 7


@given(st.floats(min_value=0, max_value=1e20), st.floats(min_value=0, max_value=1e15))
def test_sizes_and_rates_fit_their_columns(count, value):
    assert len(numbers.size(count)) <= 7
    assert len(numbers.size(count, places=0)) <= 6
    assert len(numbers.rate(value)) <= 5


@given(st.floats() | st.none())
def test_losses_fit_their_column(value):
    assert len(numbers.loss(value)) <= 6


def test_a_zero_has_no_sign():
    assert (numbers.loss(-0.0), numbers.figure(-0.0)) == ("0.0000", "0.00")
    assert numbers.quantity(-0.0, "s") == "0 s"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.82134, "", "0.8213"),
        (123_400_000.0, "B/s", "123.4 MB/s"),
        (123_456_789.0, "", "123500000"),
        (-2e8, "x", "-200000000 x"),
        (3.2e-5, "s", "32 µs"),
        (3.2e-7, "", "3.2e-7"),
        (0.0, "s", "0 s"),
    ],
)
def test_figures_of_scripts_have_no_power_of_ten_but_a_unit(value: float, unit: str, text: str) -> None:
    assert numbers.quantity(value, unit) == text


def test_both_ends_of_a_range_have_one_unit() -> None:
    assert numbers.quantities(9.5e7, 1.2e8, "B/s") == "95..120 MB/s"
    assert numbers.quantities(900.0, 1.2e8, "B") == "0.0009..120 MB"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_no_figure_is_written_with_a_plus_behind_its_e(value: float) -> None:
    assert "e+" not in numbers.quantity(value) and "e-0" not in numbers.quantity(value)


@given(st.floats(-1e-3, 1e-3) | st.just(-0.0))
def test_what_rounds_to_zero_has_no_sign(value: float) -> None:
    makes = (
        numbers.ms,
        numbers.size,
        numbers.rate,
        numbers.loss,
        numbers.figure,
        numbers.percent,
        numbers.count,
    )
    for said in (*(make(value) for make in makes), numbers.quantity(value), numbers.in_full(value)):
        assert not said.startswith("-") or any(digit in said.split("e")[0] for digit in "123456789"), said
