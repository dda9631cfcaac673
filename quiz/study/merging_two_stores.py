"""Merges an export of somebody's study into a store: what is there stays, what is missing is added.

An answer is known again by when it was given and by all that it says. A card is what its answers make of it,
one after the other in the order of time: so two machines that were studied on make one memory.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from typing import NamedTuple

import msgspec

from quiz.study import scheduling, schema
from quiz.study.records import EXPORT, INSERT_ANSWER, iso

MOST_PICKED = 10_000  # options of a question, or lines of its code


class MergeError(Exception):
    """A file that is not an export; the text says why."""


class _Reply(msgspec.Struct):
    choice: list[int] = []
    text: list[str] = []


class _Answer(msgspec.Struct):
    at: str
    course: str
    lesson: str
    question: str
    kind: str
    reply: _Reply
    points: float
    out_of: float
    seconds: float
    right: bool | None = None
    sure: bool | None = None
    rated: int | None = None
    tags: list[str] = []
    sitting: str = ""
    measured: object = None


class _Card(msgspec.Struct):
    lesson: str
    question: str
    course: str
    due: str
    state: object = None


class _Place(msgspec.Struct):
    lesson: str
    course: str
    slide: str
    step: int
    furthest: int
    total: int
    done: bool
    sitting: str
    at: str


class _Round(msgspec.Struct):
    sitting: str
    asked: list[tuple[str, str]]
    at: str
    done: bool


class Export(msgspec.Struct):
    """`export` is the version of the file: the first counted options from 0 and did not say so."""

    schema: int
    answers: list[_Answer]
    cards: list[_Card] = []
    lessons: list[_Place] = []
    rounds: list[_Round] = []
    export: int = 1

    def from_nought(self, answer: _Answer) -> list[int]:
        """What an answer picks, counted from 0; -1 is a pair that was left open."""
        first = 1 if self.export > 1 else 0
        return [n - first for n in answer.reply.choice]


class Merged(NamedTuple):
    """How many answers were new and were there already, and of how many lessons the place was newer."""

    new: int
    same: int
    places: int


def read(text: str) -> Export:
    """Read an export. Raises `MergeError`."""
    try:
        found = msgspec.json.decode(text, type=Export)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise MergeError(f"it is not an export of `teachrun study` ({error})") from error
    if found.schema > schema.SCHEMA or found.export > EXPORT:
        raise MergeError("it was written by a newer teachrun: update this one")
    for n, answer in enumerate(found.answers, 1):
        if why := _impossible(found, answer):
            raise MergeError(f"answer {n} in it {why}: it is not as `teachrun study --export` writes it")
    return found


def _impossible(export: Export, answer: _Answer) -> str:
    """What no answer can be, whatever was asked; "" where it can be one."""
    try:
        aware = datetime.fromisoformat(answer.at).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        return "was given at no time that can be read"
    if not all(-1 <= n < MOST_PICKED for n in export.from_nought(answer)):
        return "picks an option that no question has"
    if answer.rated is not None and not 1 <= answer.rated <= 4:
        return "is rated as none is"
    return ""


def merge(db: sqlite3.Connection, export: Export) -> Merged:
    """Merge all of it, within the caller's transaction."""
    columns = "at, course, lesson, question, kind, reply, right, points, out_of, sitting"
    there = {tuple(row) for row in db.execute(f"SELECT {columns} FROM answer")}
    touched: dict[tuple[str, str], str] = {}
    new = 0
    for one in sorted(export.answers, key=lambda answer: answer.at):
        reply = json.dumps({"choice": export.from_nought(one), "text": one.reply.text})
        known = (one.at, one.course, one.lesson, one.question, one.kind, reply, one.right, one.points)
        if (*known, one.out_of, one.sitting) in there:
            continue
        measured = json.dumps(one.measured) if one.measured else ""
        said = (one.seconds, one.sure, one.rated, json.dumps(one.tags), one.sitting, measured)
        db.execute(INSERT_ANSWER, (*known, one.out_of, *said))
        there.add((*known, one.out_of, one.sitting))
        touched[one.lesson, one.question] = one.course
        new += 1
    for (lesson, question), course in touched.items():
        _relearn(db, lesson, question, course)
    for card in export.cards:  # of what was only seen
        state = json.dumps(card.state) if card.state else ""
        row = (card.lesson, card.question, card.course, card.due, state)
        db.execute(
            "INSERT OR IGNORE INTO card (lesson, question, course, due, state) VALUES (?, ?, ?, ?, ?)", row
        )
    places = sum(_place(db, place) for place in export.lessons)
    for one_round in export.rounds:
        values = (one_round.sitting, json.dumps(one_round.asked), one_round.at, one_round.done)
        db.execute("INSERT OR IGNORE INTO round (sitting, asked, at, done) VALUES (?, ?, ?, ?)", values)
    return Merged(new, len(export.answers) - new, places)


def _relearn(db: sqlite3.Connection, lesson: str, question: str, course: str) -> None:
    """The card of a question anew, from all of its answers."""
    card = None
    rows = db.execute(
        "SELECT rated, at FROM answer WHERE lesson = ? AND question = ? AND rated IS NOT NULL ORDER BY at, n",
        (lesson, question),
    )
    for rated, at in rows.fetchall():
        card = scheduling.review(card.state if card else "", rated, datetime.fromisoformat(at))
    if card is not None:
        row = (lesson, question, course, iso(card.due), card.state)
        db.execute(
            "INSERT OR REPLACE INTO card (lesson, question, course, due, state) VALUES (?, ?, ?, ?, ?)", row
        )


def _place(db: sqlite3.Connection, place: _Place) -> bool:
    """Where somebody is in a lesson, if that is newer than what is known; what was seen stays seen."""
    known = db.execute("SELECT at FROM place WHERE lesson = ?", (place.lesson,)).fetchone()
    if known is not None and known[0] >= place.at:
        db.execute(
            "UPDATE place SET furthest = max(furthest, ?) WHERE lesson = ?", (place.furthest, place.lesson)
        )
        return False
    db.execute(
        "INSERT INTO place (lesson, course, slide, step, furthest, total, done, sitting, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET course = excluded.course,"
        " slide = excluded.slide, step = excluded.step, furthest = max(furthest, excluded.furthest),"
        " total = excluded.total, done = excluded.done, sitting = excluded.sitting, at = excluded.at",
        msgspec.structs.astuple(place),
    )
    return True
