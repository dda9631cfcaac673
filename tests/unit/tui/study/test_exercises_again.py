"""A solved exercise comes back in study: scheduled by FSRS in the same store, a statement each time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quiz.study.store import Progress as Store
from runtime.practice.exercise import find
from tui.practice import reviews, student_copy, tries_and_hints
from tui.practice.reviews import Review
from tui.practice.tries_and_hints import Progress
from tui.study.lessons_and_rounds import FILE, Desk

SOLVED = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tries_and_hints.save("mesh", Progress(tries=2, solved=SOLVED.timestamp()))
    return tmp_path


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    desk = Desk(folder / FILE, (), lambda: desk.at)  # type: ignore[attr-defined]
    yield desk
    desk.close()


def on(desk: Desk, days: float) -> list[str]:
    desk.at = SOLVED + timedelta(days=days)  # type: ignore[attr-defined]
    return [row.lesson for row in reviews.rows(desk)]


def test_it_is_due_by_fsrs_and_later_each_time_it_is_known(desk: Desk) -> None:
    assert on(desk, 0) == on(desk, 1) == []
    days = next(n for n in range(1, 30) if on(desk, n))
    assert "smaller" in reviews.rows(desk)[0].text
    desk.save(reviews.answer(Review("mesh", 60.0, False, False), desk.now()))
    again = next(n for n in range(days, 300) if on(desk, n))
    assert again - days > days, "what was known twice comes back later"
    desk.save(reviews.answer(Review("mesh", 60.0, False, True), desk.now()))
    sooner = next(n for n in range(again, 300) if on(desk, n))
    assert 0 < sooner - again < again - days, "the solution was looked at"


def test_questions_are_not_mixed_up_with_it(desk: Desk) -> None:
    on(desk, 40)
    assert desk.due() == [] and desk.open_round() is None and "Nothing is due" in desk.home().rest
    assert "next question" not in desk.home().rest


def test_a_turn_is_another_statement_once_the_one_before_was_solved(folder: Path) -> None:
    first = reviews.small(find("mesh"))
    assert student_copy.of(first).read_text() == first.start
    assert reviews.small(find("mesh")).name == first.name == "mesh/again/0"
    tries_and_hints.save(first.name, Progress(solved=1.0))
    second = reviews.small(find("mesh"))
    assert second.name == "mesh/again/1" and second.start != first.start


def test_without_a_study_it_is_kept_all_the_same_and_who_has_the_store_is_named(folder: Path) -> None:
    assert reviews.keep(Review("mesh", 5.0, True, False), "me") == ""
    store = Store(folder / "teachrun" / FILE, "somebody on pts/9")
    [kept] = store.answers()
    assert (kept.lesson, kept.right, kept.sure) == ("exercises/mesh", True, False)
    assert "somebody on pts/9" in reviews.keep(Review("mesh", 5.0, True, False), "me")
    store.close()
