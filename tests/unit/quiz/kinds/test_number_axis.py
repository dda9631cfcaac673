"""The axis on which a number is answered: read, written, and nothing it tells of the key."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.answers import scale
from quiz.answers.scale import Scale
from quiz.formats import native
from quiz.parse import parse_question
from quiz.question import Question


@pytest.mark.parametrize(
    ("text", "unit", "found"),
    [
        ("0..100", "", Scale(0, 100)),
        ("1..1000ms", "", Scale(1, 1000, "ms")),
        ("1..1000", "ms", Scale(1, 1000, "ms")),
        ("1ms..2s", "", Scale(0.001, 2, "s")),
        ("1 to 64 GB", "", Scale(1, 64, "GB")),
        ("-1.5..1.5", "", Scale(-1.5, 1.5)),
        ("5..1", "", None),
        ("1..1", "", None),
        ("1..", "", None),
        ("..1", "", None),
        ("10", "", None),
        ("1s..2GB", "", None),
        ("nan..inf", "", None),
        ("-1e308..1e308", "", None),
    ],
)
def test_an_axis_is_two_ends_and_a_unit(text: str, unit: str, found: Scale | None) -> None:
    assert scale.read(text, unit) == found


@given(st.text(max_size=40))
def test_any_text_is_an_axis_or_none(text: str) -> None:
    found = scale.read(text)
    assert found is None or (math.isfinite(found.high) and found.low < found.high)


def test_equal_steps_are_equal_ratios_where_the_ends_lie_far_apart() -> None:
    assert Scale(1, 1000).logarithmic
    assert not Scale(0, 1000).logarithmic and not Scale(1, 10).logarithmic


def asked(body: str, **attrs: str) -> Question | tuple[object, ...]:
    return parse_question("q", attrs.get("kind", ""), attrs, body, 2)


def test_a_question_has_its_axis_and_the_file_written_of_it_too() -> None:
    found = asked("How much?\n\n= 14 ± 1 GB", kind="numeric", axis="1..100GB")
    assert isinstance(found, Question) and found.axis == Scale(1, 100, "GB")
    text, lost = native.write([found])
    assert "axis=1..100GB" in text and not lost


@pytest.mark.parametrize(
    ("kind", "body", "axis"),
    [("numeric", "How much?\n\n= 14 GB", "large"), ("single", "Which?\n\n- [x] a\n- [ ] b", "0..1")],
)
def test_an_axis_that_is_none_or_stands_at_another_kind_is_told(kind: str, body: str, axis: str) -> None:
    found = asked(body, kind=kind, axis=axis)
    assert isinstance(found, tuple) and "axis" in str(found)
