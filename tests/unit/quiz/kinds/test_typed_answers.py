"""Answers that are typed: numbers with their units, and texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_kinds import BYTES, earned, read

from quiz.answers import quantity, text_matching
from quiz.grade import grade
from quiz.question import Number


def test_a_number_with_tolerance_and_unit() -> None:
    question = read(BYTES)
    assert question.kind == "numeric"
    first, half = question.accepted
    assert first.number is not None and first.number.stated == 16.6 and first.number.unit == "GB"
    assert (first.number.low, first.number.high) == pytest.approx((16.5, 16.7))
    assert half.weight == 0.5 and half.explain == "That is what all ranks send together."
    assert question.hints == ("Every chunk goes round twice.",) and question.explain == "2(n-1)/n · S"


@pytest.mark.parametrize(
    ("typed", "points"),
    [
        ("16.6", 1),
        ("16,6 GB", 1),
        ("16600 MB", 1),
        ("1.66e10 B", 1),
        ("16.7", 1),
        ("16.71", 0),
        ("15.5 GiB", 1),
        ("33.2 gb", 0.5),
        ("132.8 Gbit", 1),
        ("16.6 s", 0),
        ("-16.6", 0),
    ],
)
def test_a_typed_number_counts_in_its_own_unit(typed: str, points: float) -> None:
    assert earned(read(BYTES), typed) == points


@pytest.mark.parametrize("unit", ["m/s2", "m/s²", "m/s^2"])
@pytest.mark.parametrize("typed", ["9.8 m/s2", "9.8 m/s²", "9.8m/s^2", "9,8"])
def test_a_unit_with_a_power_is_one_however_it_is_written(unit: str, typed: str) -> None:
    question = read(f"How fast?\n\n= 9.81 ± 0.05 {unit}\n")
    assert question.kind == "numeric" and earned(question, typed) == 1
    assert earned(question, "9.8 m/s") == 0 and quantity.read("3x5") is quantity.read("3 m10") is None


@pytest.mark.parametrize(
    ("text", "low", "high", "unit", "stated"),
    [
        ("= 16..17 ms", 16, 17, "ms", None),
        ("= -2 .. 3", -2, 3, "", None),
        ("= 200 ± 5%", 190, 210, "", 200),
        ("= 200 MB ± 5%", 190, 210, "MB", 200),
        ("= 6.1 +/- 0.2 x", 5.9, 6.3, "x", 6.1),
        ("= 1_000", 1000, 1000, "", 1000),
        ("= 2/4", 0.5, 0.5, "", 0.5),
        ("= 1 s..1500 ms", 1000, 1500, "ms", None),
    ],
)
def test_how_a_number_is_written(text: str, low: float, high: float, unit: str, stated: float | None) -> None:
    (answer,) = read(f"Q\n\n{text}", "numeric").accepted
    assert answer.number == Number(pytest.approx(low), pytest.approx(high), unit, stated)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,000", 1000, ""),
        ("1,000.5 ms", 1000.5, "ms"),
        ("1.000,5", 1000.5, ""),
        ("1,5", 1.5, ""),
        (".5", 0.5, ""),
        ("−3 %", -3, "%"),
        ("6x", 6, "x"),
        ("25Gbit/s", 25, "Gbit/s"),
        ("1e3", 1000, ""),
        ("1 024", 1024, ""),
        ("12\u202f345,5 GB", 12345.5, "GB"),
        ("1'000'000", 1e6, ""),
        ("1.5×10^3 ms", 1500, "ms"),
        ("1.5 * 10**-3", 0.0015, ""),
        ("10⁹", 1e9, ""),
        ("2^30 B", 2**30, "B"),
        ("~2 GB", 2, "GB"),
        ("≈ 3", 3, ""),
        ("16k", 16000, ""),
        ("7 billion", 7e9, ""),
        ("2 GB / s", 2, "GB/s"),
        ("３", 3, ""),
        ("٣", 3, ""),
        ("½", 0.5, ""),
    ],
)
def test_numbers_as_people_type_them(text: str, value: float, unit: str) -> None:
    assert quantity.read(text) == (value, unit)


@pytest.mark.parametrize(
    "text", ["", "GB", "1,2,3", "1.2.3", "3/0", "1e999", "12 of 13 ranks", "--1", "1..2", "9^999", "1 02"]
)
def test_what_is_no_number(text: str) -> None:
    assert quantity.read(text) is None


@pytest.mark.parametrize(
    ("key", "typed", "points"),
    [
        ("2 GiB", "2 GB", 0),
        ("2 GiB", "2048 MiB", 1),
        ("2 GiB ± 100 MB", "2.2 GB", 1),
        ("2 GiB ± 100 MB", "2.3 GB", 0),
        ("12 steps", "12 step", 1),
        ("12 steps", "12 tokens", 0),
        ("1 h", "60 minutes", 1),
        ("12 TFLOPS", "12e12 FLOP/s", 1),
        ("16000", "16k", 1),
    ],
)
def test_units_of_a_kind_are_converted(key: str, typed: str, points: float) -> None:
    assert earned(read(f"?\n\n= {key}", "numeric"), typed) == points


@given(st.text(max_size=30))
def test_any_text_is_a_quantity_or_none(text: str) -> None:
    found = quantity.read(text)
    assert found is None or found.value == found.value


def test_a_text_is_compared_as_a_kind_marker_would() -> None:
    question = read(
        "What sums the gradients?\n\n= all-reduce | ring all reduce\n~ broadcast\n  > One way only."
    )
    assert question.kind == "text"
    assert [earned(question, typed) for typed in ("All Reduce.", "allreduce", "reduce", "broadcast")] == [
        1,
        1,
        0,
        0,
    ]
    assert grade(question, (), ("broadcast",)).explain == "One way only."
    exact = read("?\n\n= DDP", "text", case="yes")
    assert [earned(exact, typed) for typed in ("DDP", "ddp")] == [1, 0]


@pytest.mark.parametrize(
    ("accepted", "typed", "fit"),
    [
        ("*reduce*", "an all-reduce of 4", True),
        ("reduce*", "all-reduce", False),
        ("a \\* b", "a * b", True),
        ("a \\* b", "a x b", False),
        ("ﬁle", "file", True),
        ("x", "", False),
        ("*", " ", False),
        ("reduce–scatter", "reduce scatter", True),
        ("café", "cafe\u0301", True),
        ("don't", "Don’t", True),
        ("שלום", "\u200fשלום\u200f", True),
        ("a*a", "a", False),
        ("*a*b*", "xbxaxb", True),
    ],
)
def test_wildcards_and_spellings(accepted: str, typed: str, fit: bool) -> None:
    assert text_matching.fits(accepted, typed) is fit


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not text_matching.fits("a*" * 12 + "b", "a" * 400)
