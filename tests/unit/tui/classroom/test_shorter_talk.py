"""`present --minutes`: what is optional makes room, and the clock of the class knows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.classroom.actions import Plan, Planned
from tui import cli
from tui.classroom.pace import cut, least_s
from tui.deck.built_in import courses
from tui.deck.contents import Contents, open_deck

LESSONS = sorted((courses() / "distributed").glob("[0-9]*.md"))
TIMES = st.lists(st.tuples(st.integers(10, 300), st.booleans()), min_size=1, max_size=12)


@given(TIMES, st.integers(1, 4000))
def test_what_is_left_takes_no_longer_and_only_what_is_optional_goes(
    times: list[tuple[int, bool]], seconds: int
) -> None:
    slides = tuple(Planned(f"s{n}", "", float(s), optional) for n, (s, optional) in enumerate(times))
    dropped = cut(Plan(None, "", slides), seconds)
    if dropped is None:
        assert least_s(Plan(None, "", slides)) > seconds
        return
    assert all(slide.optional for slide in slides if slide.slide in dropped)
    assert sum(slide.time_s or 0.0 for slide in slides if slide.slide not in dropped) <= seconds + 0.5


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_every_lesson_fits_into_forty_minutes_and_half_a_lesson_is_not_optional(file: Path) -> None:
    contents = Contents(open_deck(file))
    assert 35 * 60 <= least_s(contents.plan) <= 40 * 60
    assert cut(contents.plan, 40 * 60) is not None and cut(contents.plan, 50 * 60) == ()


def test_a_time_that_cannot_be_kept_is_told_before_the_class(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["present", "05-ddp", "--plain", "--minutes", "20"]) == 2
    assert "--minutes 39.5 or more" in capsys.readouterr().err
