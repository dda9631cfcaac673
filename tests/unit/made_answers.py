"""Answers and places of a student, as a store keeps them."""

from __future__ import annotations

from datetime import UTC, datetime

from quiz.study.records import Answer, Place

MONDAY = datetime(2026, 3, 2, 18, tzinfo=UTC)


def answer(
    question: str = "ring", right: bool | None = True, at: datetime = MONDAY, **changes: object
) -> Answer:
    made = Answer(
        "distributed",
        "ddp",
        question,
        "single",
        (1,),
        (),
        right,
        float(right or 0),
        1.0,
        4.0,
        None,
        at,
        ("ring",),
    )
    return made._replace(**changes)  # type: ignore[arg-type]


def place(slide: str = "ring", furthest: int = 3, at: datetime = MONDAY, done: bool = False) -> Place:
    return Place("distributed", "ddp", slide, 1, furthest, 18, done, "s1", at)
