"""Times of a class put back into its deck: they read as meant, and every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as quick
from hypothesis import strategies as st

from slides.reading.split import split
from slides.slide_times import Retimed, retimed, rounded, written
from tui.commands.presenting.classes import write_times
from tui.reports.classes.class_time import ClassReport, SlideTime

DECK = Path(__file__).parents[2] / "contracts" / "deck.md"


def times(text: str) -> dict[str, float | None]:
    return {head.id: head.time_s for head in split(text, "").slides}


@pytest.mark.parametrize(
    ("slide", "after"),
    [
        ("# A\n\ntext\n", "<!-- slide: {time: 3m} -->\n# A\n\ntext\n"),
        (
            "<!-- slide: {time: 5m, optional: true} -->\n# A\n",
            "<!-- slide: {time: 3m, optional: true} -->\n# A\n",
        ),
        ("<!-- slide: {optional: true} -->\n# A\n", "<!-- slide: {time: 3m, optional: true} -->\n# A\n"),
        ("<!-- slide: {} -->\n# A\n", "<!-- slide: {time: 3m} -->\n# A\n"),
        (
            '<!-- slide: {section: S, "time": "1h"} -->\n# A\n',
            '<!-- slide: {section: S, "time": 3m} -->\n# A\n',
        ),
        ("<!-- slide:\n  time: 90s  # short\n-->\n# A\n", "<!-- slide:\n  time: 3m  # short\n-->\n# A\n"),
        ("<!-- slide:\n  section: S\n-->\n# A\n", "<!-- slide:\n  time: 3m\n  section: S\n-->\n# A\n"),
        ("\ufeff# A\r\n\r\nx\r\n", "\ufeff<!-- slide: {time: 3m} -->\r\n# A\r\n\r\nx\r\n"),
        ("# A", "<!-- slide: {time: 3m} -->\n# A"),
    ],
)
def test_where_a_time_goes(slide: str, after: str) -> None:
    rest = (
        "\r\n---\r\n\r\n# B  \r\n\x0b\tx\u2028y\r\n" if "\r" in slide else "\n---\n\n# B  \n\x0b\tx\u2028y\n"
    )
    rest = "" if not slide.endswith("\n") else rest
    assert retimed(slide + rest, {"a": 178.0}) == Retimed(after + rest, ("a",), ())
    assert retimed(after + rest, {"a": 181.0}) == Retimed(after + rest, (), ())  # said so already


def test_what_looks_like_a_setting_is_none() -> None:
    text = "# A\n\n```html\n<!-- slide: {time: 1m} -->\n```\n\n<!-- notes: slide: {time: 9m} -->\n"
    found = retimed(text, {"a": 60.0, "gone": 60.0})
    assert found == Retimed(f"<!-- slide: {{time: 1m}} -->\n{text}", ("a",), ())


def test_of_a_setting_that_cannot_be_read_nothing_is_changed() -> None:
    text = "<!-- slide: {section: [time, 3m} -->\n# A\n\n---\n\n# B\n"
    found = retimed(text, {"a": 60.0, "b": 60.0})
    assert found.left == ("a",) and found.changed == ("b",)
    assert found.text == text.replace("# B", "<!-- slide: {time: 1m} -->\n# B")


@quick(max_examples=20, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(times(DECK.read_text()))), st.floats(5, 5000), max_size=6))
def test_a_deck_with_everything_keeps_all_else(spent: dict[str, float]) -> None:
    text = DECK.read_text()
    found = retimed(text, spent)
    assert found.left == ()
    assert times(found.text) == times(text) | {slide: rounded(s) for slide, s in spent.items()}
    added = [line for line in found.text.split("\n") if line not in text.split("\n")]
    assert all("slide:" in line for line in added) and len(added) <= len(found.changed)
    assert retimed(found.text, spent).changed == ()


@pytest.mark.parametrize(
    ("seconds", "text"), [(1, "5s"), (44, "45s"), (61, "1m"), (119, "2m"), (128, "2m15s"), (3660, "1h1m")]
)
def test_a_time_is_rounded_and_written(seconds: float, text: str) -> None:
    assert written(seconds) == text


def report(**spent: float) -> ClassReport:
    slides = tuple(SlideTime(slide, slide, None, s, 1) for slide, s in spent.items())
    return ClassReport("c1", "T", 0.0, 9.0, None, 9.0, slides, (), (), ())


def test_the_change_is_shown_and_made_only_if_agreed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_bytes(b"# A\r\n\r\n---\r\n\r\n# B\r\n")
    deck.chmod(0o640)
    before = deck.read_bytes()
    assert write_times.write(report(a=62.0, b=1.0), str(deck), yes=False) == 1
    shown = capsys.readouterr()
    assert "+<!-- slide: {time: 1m} -->" in shown.out and "--yes" in shown.err
    assert deck.read_bytes() == before
    assert write_times.write(report(a=62.0, b=1.0), str(deck), yes=True) == 0
    assert deck.read_bytes() == b"<!-- slide: {time: 1m} -->\r\n" + before  # B was only passed
    assert deck.stat().st_mode & 0o777 == 0o640 and [path.name for path in tmp_path.iterdir()] == ["deck.md"]
    capsys.readouterr()
    assert write_times.write(report(a=62.0), str(deck), yes=True) == 0
    assert capsys.readouterr().out == "the deck has these times already\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"# Many words of a title \xff\n" * 9, "not UTF-8"),
        (b"---\nmarp: true\n---\n\n# A\n", "a deck of marp"),
        (b"", "is empty"),
    ],
)
def test_what_cannot_hold_times_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, said: str
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_bytes(data)
    assert write_times.write(report(a=62.0), str(deck), yes=True) == 1
    assert said in capsys.readouterr().err and deck.read_bytes() == data
