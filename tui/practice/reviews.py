"""What was solved comes back smaller, when FSRS says so: one statement of it, in the store of study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from quiz.study.records import Answer
from quiz.study.store import Progress
from runtime import paths
from runtime.practice import missing_statement
from runtime.practice.exercise import Exercise, listed
from tui.practice import tries_and_hints
from tui.study.home_and_end_pages import Row
from tui.study.lessons_and_rounds import EXERCISES, FILE, Desk

KIND = "exercise"


@dataclass(frozen=True)
class Review:
    """How it went: `seconds` from its opening until all checks passed. `helped`: by a hint; `shown`: the
    solution was looked at before."""

    name: str
    seconds: float
    helped: bool
    shown: bool


def small(exercise: Exercise) -> Exercise:
    """Return the smaller version that is next."""
    return missing_statement.of(exercise, tries_and_hints.turn(exercise.name))


def answer(review: Review, at: datetime) -> Answer:
    """Return a review as study keeps it: right if nothing was given away, unsure if there was a hint."""
    right = not review.shown
    return Answer(
        course=EXERCISES,
        lesson=f"{EXERCISES}/{review.name}",
        question=review.name,
        kind=KIND,
        choice=(),
        text=(),
        right=right,
        points=float(right),
        out_of=1.0,
        seconds=review.seconds,
        sure=False if review.helped else None,
        at=at,
    )


def keep(review: Review, who: str) -> str:
    """Keep a review where no study is open; returns "", or why it is not kept. `who` has the store."""
    try:
        store = Progress(paths.data_dir() / FILE, who)
    except paths.PathError as error:
        return str(error)
    store.record(answer(review, datetime.now().astimezone()))
    store.close()
    return store.trouble if store.unsaved else ""


def rows(desk: Desk) -> tuple[Row, ...]:
    """The exercise that is due once more, as a row of the study page; nothing where none is.

    One that was solved and is not known to the store is scheduled from when it was.
    """
    known, solved = desk.exercises(), tries_and_hints.load()
    for name in listed():
        at = solved.get(name, tries_and_hints.Progress()).solved
        if at and name not in known:
            desk.save(answer(Review(name, 0.0, False, False), datetime.fromtimestamp(at, UTC)))
    return _rows([name for name, due in desk.exercises().items() if due and name in listed()])


def _rows(due: Sequence[str]) -> tuple[Row, ...]:
    if not due:
        return ()
    aside = "one statement of it" + (f"; {len(due) - 1} more due" if len(due) > 1 else "")
    return (Row("again", due[0], f"Once more, smaller: {listed()[due[0]].title}", aside=aside),)
