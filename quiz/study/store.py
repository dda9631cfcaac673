"""What somebody who studies alone has done: every answer, every card, every place, in one SQLite file.

One writer, by a lock beside the file that dies with its process. A change is one transaction with a rollback
journal and full syncs: whenever the process is killed, or the power fails, at most the answer in flight is
lost. Where the file cannot be written, study goes on with a copy in memory; what was done meanwhile is
written as soon as it can be, and `trouble` says why it was not yet.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from quiz.study import merging_two_stores, rating, records, scheduling, schema, store_file
from quiz.study.records import Answer, Due, Place, Round, Topic, iso
from quiz.study.scheduling import Card
from quiz.study.store_file import StoreError

NEWEST = 3  # answers of a question that its topics are judged by
OF_A_KIND = 50  # newest right answers of a kind that make the usual time

Change = Callable[[sqlite3.Connection], None]


class Progress:
    """The file at `path`, locked for as long as it is open. Nothing about the file raises: `trouble` is ""
    while everything done is on the disk, else it says why not, and `unsaved` counts what is missing there.
    `known` is False where there is a file that could not be read."""

    def __init__(self, path: Path, who: str = "") -> None:
        """`who` is what a second study is told of this one: its process and terminal."""
        self.path, self._who = path, who
        self.trouble = ""
        self.known = True
        self._unsaved: list[Change] = []
        self._lock: IO[bytes] | None = None
        self._disk: sqlite3.Connection | None = None
        self._begin()
        self._db = self._disk or self._copy()

    # --- opening and closing ----------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take the lock and open the file; where that fails, say why."""
        try:
            self._lock = store_file.locked(self.path, self._who)
            self._disk = store_file.opened(self.path)
        except (sqlite3.Error, OSError, StoreError) as error:
            self.trouble = store_file.told(self.path, error)
            self._let_go()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.close()  # and with it the lock
            self._lock = None

    def _copy(self) -> sqlite3.Connection:
        """A database in memory with what the file holds, as far as that can be read."""
        mirror = store_file.connected(":memory:")
        self.known = False
        with suppress(sqlite3.Error, OSError, ValueError):
            disk = self._disk or store_file.connected(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
            if 0 < schema.found(disk) <= schema.SCHEMA:
                disk.backup(mirror)
                self.known = True
            if disk is not self._disk:
                disk.close()
        try:
            schema.migrate(mirror)
        except sqlite3.Error:  # what was read is broken
            self.known = False
            mirror = store_file.connected(":memory:")
            schema.migrate(mirror)
        return mirror

    @property
    def unsaved(self) -> int:
        """How many changes wait in memory until the file can be written."""
        return len(self._unsaved)

    def close(self) -> None:
        """Write what could not be written before, if it can be now; `trouble` and `unsaved` tell the rest."""
        if self._unsaved:
            self._flush()
        if self._disk is not None:
            self._disk.close()
        if self._db is not self._disk:
            self._db.close()
        self._let_go()

    # --- writing ----------------------------------------------------------------------------------------

    def _write(self, change: Change) -> None:
        self._unsaved.append(change)
        if self._flush():
            return
        if self._db is self._disk:
            self._db = self._copy()
        with schema.transaction(self._db):
            change(self._db)

    def _flush(self) -> bool:
        """Write everything that is not on the disk yet, in its order, in one transaction."""
        if self._disk is None:
            self._begin()  # whatever was in the way may be gone
        if self._disk is None:
            return False
        try:
            with schema.transaction(self._disk):
                for change in self._unsaved:
                    change(self._disk)
        except sqlite3.Error as error:
            self.trouble = store_file.told(self.path, error)
            return False
        if self._db is not self._disk:
            self._db.close()
            self._db = self._disk
        self._unsaved.clear()
        self.trouble, self.known = "", True
        return True

    def record(self, answer: Answer) -> None:
        """Add an answer and schedule its question by it, if it was right or wrong."""

        def change(db: sqlite3.Connection) -> None:
            rated = None
            if answer.right is not None:
                usual_s = rating.usual_time(_seconds(db, answer.kind))
                rated = rating.rate(answer.right, answer.seconds, usual_s, answer.sure)
                _schedule(db, answer, rated)
            db.execute(records.INSERT_ANSWER, records.answer_row(answer, rated))

        self._write(change)

    def see(self, course: str, lesson: str, question: str, at: datetime) -> None:
        """Note that a question was shown: until it is answered it is due."""

        def change(db: sqlite3.Connection) -> None:
            new = (lesson, question, course, iso(at), "")
            db.execute("INSERT OR IGNORE INTO card VALUES (?, ?, ?, ?, ?)", new)

        self._write(change)

    def move(self, place: Place) -> None:
        """Set the place in a lesson; what was seen of it stays seen."""

        def change(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO place (course, lesson, slide, step, furthest, total, done, sitting, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " course = excluded.course, slide = excluded.slide, step = excluded.step,"
                " furthest = max(furthest, excluded.furthest), total = excluded.total,"
                " done = excluded.done, sitting = excluded.sitting, at = excluded.at",
                (*place[:-1], iso(place.at)),
            )

        self._write(change)

    def keep_round(self, sitting: str, asked: Sequence[tuple[str, str]], at: datetime, done: bool) -> None:
        """Save the questions of a round of due ones, and whether it is over."""

        def change(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR REPLACE INTO round VALUES (?, ?, ?, ?)",
                (sitting, json.dumps(list(asked)), iso(at), done),
            )

        self._write(change)

    def rename(self, old: str, new: str, course: str) -> None:
        """Rename a lesson to `new`, in `course`."""

        def change(db: sqlite3.Connection) -> None:
            for table in ("answer", "card", "place"):
                db.execute(
                    f"UPDATE OR REPLACE {table} SET lesson = ?, course = ? WHERE lesson = ?",
                    (new, course, old),
                )
            for sitting, asked in db.execute("SELECT sitting, asked FROM round").fetchall():
                keys = [[new if lesson == old else lesson, key] for lesson, key in json.loads(asked)]
                db.execute("UPDATE round SET asked = ? WHERE sitting = ?", (json.dumps(keys), sitting))

        self._write(change)

    # --- reading ----------------------------------------------------------------------------------------

    def _rows(self, sql: str, *values: object) -> list[Any]:
        """What stands there; nothing where it cannot be read."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            self.trouble = store_file.told(self.path, error)
            return []

    def card(self, lesson: str, question: str) -> Card | None:
        """Return when a question is due and what FSRS knows of it, None if it was never asked."""
        rows = self._rows("SELECT state, due FROM card WHERE lesson = ? AND question = ?", lesson, question)
        return Card(rows[0][0], datetime.fromisoformat(rows[0][1])) if rows else None

    def due(self, before: datetime) -> list[Due]:
        """The cards due before then, the longest due first; those answered later than that too, for they
        are of a clock that was wrong."""
        rows = self._rows(
            "SELECT course, lesson, question, due FROM card WHERE due < ?1"
            " OR json_valid(state) AND json_extract(state, '$.last_review') >= ?1"
            " ORDER BY due, lesson, question",
            iso(before),
        )
        return [Due._make([*names, datetime.fromisoformat(due)]) for *names, due in rows]

    def coming(self, after: datetime, but: str = "") -> datetime | None:
        """Return when the next card is due from then on, one of the course `but` aside; None if none is."""
        rows = self._rows("SELECT min(due) FROM card WHERE due >= ? AND course != ?", iso(after), but)
        return datetime.fromisoformat(rows[0][0]) if rows and rows[0][0] else None

    def answers(self, sitting: str | None = None) -> list[Answer]:
        """Return the answers of a sitting, or with None of all, the oldest first."""
        rows = self._rows(f"{records.ANSWERS} WHERE ?1 IS NULL OR sitting = ?1 ORDER BY n", sitting)
        return [records.answer(row) for row in rows]

    def places(self) -> list[Place]:
        """Return the places in lessons that were begun, the newest first."""
        rows = self._rows(
            "SELECT course, lesson, slide, step, furthest, total, done, sitting, at FROM place"
            " ORDER BY at DESC"
        )
        return [
            Place._make([*where, bool(done), sitting, datetime.fromisoformat(at)])
            for *where, done, sitting, at in rows
        ]

    def questions(self) -> dict[str, set[str]]:
        """Return the questions that have cards, by lesson."""
        found: dict[str, set[str]] = {}
        for lesson, question in self._rows("SELECT lesson, question FROM card"):
            found.setdefault(lesson, set()).add(question)
        return found

    def open_round(self, before: datetime) -> Round | None:
        """Return the newest unfinished round of due questions from before then, None if there is none."""
        rows = self._rows(
            "SELECT sitting, asked, at FROM round WHERE NOT done AND at < ? ORDER BY at DESC LIMIT 1",
            iso(before),
        )
        if not rows:
            return None
        sitting, asked, at = rows[0]
        return Round(sitting, tuple((a, b) for a, b in json.loads(asked)), datetime.fromisoformat(at))

    def topics(self) -> list[Topic]:
        """Return each tag with the newest answers to its questions, the weakest first."""
        rows = self._rows(
            "SELECT tags, right FROM (SELECT tags, right, row_number() OVER"
            " (PARTITION BY lesson, question ORDER BY at DESC, n DESC) AS newest FROM answer"
            " WHERE right IS NOT NULL) WHERE newest <= ?",
            NEWEST,
        )
        counts: dict[str, list[int]] = {}
        for tags, right in rows:
            for tag in json.loads(tags):
                count = counts.setdefault(tag, [0, 0])
                count[0] += right
                count[1] += 1
        topics = [Topic(name, *count) for name, count in counts.items()]
        return sorted(topics, key=lambda topic: (topic.right / topic.asked, -topic.asked, topic.name))

    def days(self) -> list[datetime]:
        """Return when something was answered or looked at, in order."""
        rows = self._rows("SELECT at FROM answer UNION SELECT at FROM place ORDER BY at")
        return [datetime.fromisoformat(row[0]) for row in rows]

    def take_in(self, export: merging_two_stores.Export) -> merging_two_stores.Merged | None:
        """Add what an export holds and the store lacks. None where that is not kept on the disk: `trouble`
        says why."""
        merged: list[merging_two_stores.Merged] = []
        self._write(lambda db: merged.append(merging_two_stores.merge(db, export)))
        return merged[-1] if merged and not self.unsaved else None

    def export(self) -> dict[str, object]:
        """Export everything, for other programs. Raises `StoreError` if it cannot be read."""
        try:
            return {"export": records.EXPORT, "schema": schema.SCHEMA, **records.whole(self._db)}
        except sqlite3.Error as error:
            raise StoreError(store_file.told(self.path, error)) from error


def _schedule(db: sqlite3.Connection, answer: Answer, rated: rating.Rating) -> None:
    key = (answer.lesson, answer.question)
    row = db.execute("SELECT state FROM card WHERE lesson = ? AND question = ?", key).fetchone()
    card = scheduling.review(row[0] if row else "", rated, answer.at)
    db.execute(
        "INSERT OR REPLACE INTO card VALUES (?, ?, ?, ?, ?)",
        (*key, answer.course, iso(card.due), card.state),
    )


def _seconds(db: sqlite3.Connection, kind: str) -> list[float]:
    rows = db.execute(
        "SELECT seconds FROM answer WHERE kind = ? AND right ORDER BY at DESC, n DESC LIMIT ?",
        (kind, OF_A_KIND),
    )
    return [row[0] for row in rows]
