"""Records of somebody's study, and their form in the rows of the store."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """One answer, as it is kept for ever. `at` is aware; `seconds` are those from the question shown to the
    answer given; `sitting` is the attempt at a lesson, or the round of due questions, that it belongs to.

    `right` is None, and `out_of` 0, where nothing is right or wrong: such an answer schedules nothing.
    `measured` is what the answer was held against, if it was measured, in JSON of whoever asked.
    """

    course: str
    lesson: str
    question: str
    kind: str
    choice: tuple[int, ...]
    text: tuple[str, ...]
    right: bool | None
    points: float
    out_of: float
    seconds: float
    sure: bool | None
    at: datetime
    tags: tuple[str, ...] = ()
    sitting: str = ""
    measured: str = ""


class Due(NamedTuple):
    """A question of a lesson, and when it is to be asked again."""

    course: str
    lesson: str
    question: str
    due: datetime


class Place(NamedTuple):
    """Where somebody is in a lesson; `furthest` of its `total` slides were seen, now or before."""

    course: str
    lesson: str
    slide: str
    step: int
    furthest: int
    total: int
    done: bool
    sitting: str
    at: datetime


class Topic(NamedTuple):
    """`right` of the `asked` newest answers to the questions of a tag."""

    name: str
    right: int
    asked: int


class Round(NamedTuple):
    """Questions that are asked together, as (lesson, question), those answered already among them."""

    sitting: str
    asked: tuple[tuple[str, str], ...]
    at: datetime


def iso(at: datetime) -> str:
    """Write a time in UTC and at fixed length, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


EXPORT = 2  # of the file that `whole` makes; the first counted options from 0

ANSWERS = (
    "SELECT course, lesson, question, kind, seconds, reply, right, points, out_of, sure, at, tags, sitting,"
    " measured FROM answer"
)
INSERT_ANSWER = (
    "INSERT INTO answer (at, course, lesson, question, kind, reply, right, points, out_of, seconds, sure,"
    " rated, tags, sitting, measured) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def answer(row: tuple[Any, ...]) -> Answer:
    """Make an answer of a row of `ANSWERS`."""
    course, lesson, question, kind, seconds, reply, *graded, sure, at, tags, sitting, measured = row
    given, (right, points, out_of) = json.loads(reply), graded
    return Answer(
        *(course, lesson, question, kind, tuple(given["choice"]), tuple(given["text"])),
        *(_truth(right), points, out_of, seconds, _truth(sure), datetime.fromisoformat(at)),
        *(tuple(json.loads(tags)), sitting, measured),
    )


def answer_row(one: Answer, rated: int | None) -> tuple[object, ...]:
    """Return the values for `INSERT_ANSWER`."""
    reply = json.dumps({"choice": one.choice, "text": one.text})
    return (
        *(iso(one.at), one.course, one.lesson, one.question, one.kind, reply, one.right, one.points),
        *(one.out_of, one.seconds, one.sure, rated, json.dumps(one.tags), one.sitting, one.measured),
    )


def whole(db: sqlite3.Connection) -> dict[str, object]:
    """All that is kept, for other programs: times in ISO 8601 (UTC), options counted from 1 (0: none, of a
    pair that was left open)."""

    def table(sql: str) -> list[dict[str, object]]:
        cursor = db.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    tables: dict[str, list[dict[str, object]]] = {
        "answers": table("SELECT * FROM answer ORDER BY n"),
        "cards": table("SELECT * FROM card"),
        "lessons": table("SELECT * FROM place ORDER BY at"),
        "rounds": table("SELECT * FROM round ORDER BY at"),
    }
    for rows in tables.values():
        for row in rows:
            for name in {"reply", "tags", "state", "asked", "measured"} & row.keys():
                row[name] = _read(row[name])
            for name in {"right", "done", "sure"} & row.keys():
                row[name] = _truth(row[name])
            if isinstance(reply := row.get("reply"), dict):
                row["reply"] = {**reply, "choice": [n + 1 for n in reply["choice"]]}
    return dict(tables)


def _read(kept: object) -> object:
    """What stands in a column of JSON; one that is broken as it is."""
    try:
        return json.loads(str(kept)) if kept else None
    except ValueError:
        return kept


def _truth(kept: object) -> bool | None:
    return None if kept is None else bool(kept)
