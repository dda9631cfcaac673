"""What somebody who studies alone has done: every answer, every card, every place, in one SQLite file.

One writer, by a lock beside the file that dies with its process. A change is one transaction with a rollback
journal and full syncs: whenever the process is killed, or the power fails, at most the answer in flight is
lost. Where the file cannot be written, study goes on with a copy in memory; what was done meanwhile is
written as soon as it can be, and `trouble` says why it was not yet.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from quiz import memory
from quiz.memory import Card

WAIT_S = 0.5  # for a lock that somebody else holds on the file
NEWEST = 3  # answers of a question that its topics are judged by
OF_A_KIND = 50  # newest right answers of a kind that make the usual time

# One script a schema, each from the schema before it; a file says in `user_version` which one it has.
SCHEMAS = (
    """
    CREATE TABLE answer (
        n INTEGER PRIMARY KEY, at TEXT NOT NULL, course TEXT NOT NULL, lesson TEXT NOT NULL,
        question TEXT NOT NULL, kind TEXT NOT NULL, reply TEXT NOT NULL, "right" INTEGER NOT NULL,
        points REAL NOT NULL, out_of REAL NOT NULL, seconds REAL NOT NULL, sure INTEGER,
        rated INTEGER NOT NULL, tags TEXT NOT NULL, sitting TEXT NOT NULL);
    CREATE INDEX answer_of ON answer (lesson, question, n);
    CREATE TRIGGER answers_stay BEFORE UPDATE ON answer
        BEGIN SELECT RAISE(ABORT, 'answers are only added'); END;
    CREATE TRIGGER answers_last BEFORE DELETE ON answer
        BEGIN SELECT RAISE(ABORT, 'answers are only added'); END;
    CREATE TABLE card (
        lesson TEXT, question TEXT, course TEXT NOT NULL, due TEXT NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (lesson, question)) WITHOUT ROWID;
    CREATE TABLE place (
        lesson TEXT PRIMARY KEY, course TEXT NOT NULL, slide TEXT NOT NULL, step INTEGER NOT NULL,
        furthest INTEGER NOT NULL, total INTEGER NOT NULL, done INTEGER NOT NULL, sitting TEXT NOT NULL,
        at TEXT NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE round (
        sitting TEXT PRIMARY KEY, asked TEXT NOT NULL, at TEXT NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
    """,
)
SCHEMA = len(SCHEMAS)


class Answer(NamedTuple):
    """One answer, as it is kept for ever. `at` is aware; `seconds` are those from the question shown to the
    answer given; `sitting` is the attempt at a lesson, or the round of due questions, that it belongs to."""

    course: str
    lesson: str
    question: str
    kind: str
    choice: tuple[int, ...]
    text: tuple[str, ...]
    right: bool
    points: float
    out_of: float
    seconds: float
    sure: bool | None
    at: datetime
    tags: tuple[str, ...] = ()
    sitting: str = ""


class Due(NamedTuple):
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


Change = Callable[[sqlite3.Connection], None]


class StoreError(Exception):
    """The file cannot be used; the text says why and what to do."""


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
        self._lock: IO[str] | None = None
        self._disk: sqlite3.Connection | None = None
        self._begin()
        self._db = self._disk or self._copy()

    # --- opening and closing ----------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take the lock and open the file; where that fails, say why."""
        try:
            self._lock = _locked(self.path, self._who)
            self._disk = _opened(self.path)
        except (sqlite3.Error, OSError, StoreError) as error:
            self.trouble = _told(self.path, error)
            self._let_go()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.close()  # and with it the lock
            self._lock = None

    def _copy(self) -> sqlite3.Connection:
        """A database in memory with what the file holds, as far as that can be read."""
        mirror = _connected(":memory:")
        self.known = False
        with suppress(sqlite3.Error, OSError, ValueError):
            disk = self._disk or _connected(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
            if 0 < _schema(disk) <= SCHEMA:
                disk.backup(mirror)
                self.known = True
            if disk is not self._disk:
                disk.close()
        try:
            _migrate(mirror)
        except sqlite3.Error:  # what was read is broken
            self.known = False
            mirror = _connected(":memory:")
            _migrate(mirror)
        return mirror

    @property
    def unsaved(self) -> int:
        return len(self._unsaved)

    def close(self) -> None:
        """Write what could not be written before, if it can be now; `trouble` and `unsaved` tell the rest."""
        if self._unsaved and self._disk is None:
            self._begin()
        if self._unsaved and self._disk is not None:
            self._flush(self._disk)
        if self._disk is not None:
            self._disk.close()
        if self._db is not self._disk:
            self._db.close()
        self._let_go()

    # --- writing ----------------------------------------------------------------------------------------

    def _write(self, change: Change) -> None:
        self._unsaved.append(change)
        if self._disk is not None and self._flush(self._disk):
            self._db = self._disk
            return
        if self._db is self._disk:
            self._db = self._copy()
        with _transaction(self._db):
            change(self._db)

    def _flush(self, disk: sqlite3.Connection) -> bool:
        """Write everything that is not on the disk yet, in its order, in one transaction."""
        try:
            with _transaction(disk):
                for change in self._unsaved:
                    change(disk)
        except sqlite3.Error as error:
            self.trouble = _told(self.path, error)
            return False
        self._unsaved.clear()
        self.trouble = ""
        return True

    def record(self, answer: Answer) -> None:
        """Add an answer and schedule its question by it."""

        def change(db: sqlite3.Connection) -> None:
            usual = memory.usual(_seconds(db, answer.kind))
            rated = memory.rating(answer.right, answer.seconds, usual, answer.sure)
            key = (answer.lesson, answer.question)
            row = db.execute("SELECT state FROM card WHERE lesson = ? AND question = ?", key).fetchone()
            card = memory.review(row[0] if row else "", rated, answer.at)
            db.execute(
                "INSERT INTO answer (at, course, lesson, question, kind, reply, right, points, out_of,"
                " seconds, sure, rated, tags, sitting) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _row(answer, rated),
            )
            db.execute(
                "INSERT OR REPLACE INTO card VALUES (?, ?, ?, ?, ?)",
                (*key, answer.course, _iso(card.due), card.state),
            )

        self._write(change)

    def see(self, course: str, lesson: str, question: str, at: datetime) -> None:
        """A question was shown: until it is answered it is due."""

        def change(db: sqlite3.Connection) -> None:
            new = (lesson, question, course, _iso(at), "")
            db.execute("INSERT OR IGNORE INTO card VALUES (?, ?, ?, ?, ?)", new)

        self._write(change)

    def move(self, place: Place) -> None:
        """Somebody is there in a lesson now; what was seen of it stays seen."""

        def change(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " course = excluded.course, slide = excluded.slide, step = excluded.step,"
                " furthest = max(furthest, excluded.furthest), total = excluded.total,"
                " done = excluded.done, sitting = excluded.sitting, at = excluded.at",
                (
                    place.lesson,
                    place.course,
                    place.slide,
                    place.step,
                    place.furthest,
                    place.total,
                    place.done,
                    place.sitting,
                    _iso(place.at),
                ),
            )

        self._write(change)

    def keep_round(self, sitting: str, asked: Sequence[tuple[str, str]], at: datetime, done: bool) -> None:
        """The questions of a round of due ones, and whether it is over."""

        def change(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR REPLACE INTO round VALUES (?, ?, ?, ?)",
                (sitting, json.dumps(list(asked)), _iso(at), done),
            )

        self._write(change)

    # --- reading ----------------------------------------------------------------------------------------

    def _rows(self, sql: str, *values: object) -> list[Any]:
        """What stands there; nothing where it cannot be read."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            self.trouble = _told(self.path, error)
            return []

    def card(self, lesson: str, question: str) -> Card | None:
        rows = self._rows("SELECT state, due FROM card WHERE lesson = ? AND question = ?", lesson, question)
        return Card(rows[0][0], datetime.fromisoformat(rows[0][1])) if rows else None

    def due(self, before: datetime) -> list[Due]:
        """The cards due before then, the longest due first."""
        rows = self._rows(
            "SELECT course, lesson, question, due FROM card WHERE due < ? ORDER BY due, lesson, question",
            _iso(before),
        )
        return [Due._make([*names, datetime.fromisoformat(due)]) for *names, due in rows]

    def coming(self, after: datetime) -> datetime | None:
        """When the next card is due from then on; None where none will be."""
        rows = self._rows("SELECT min(due) FROM card WHERE due >= ?", _iso(after))
        return datetime.fromisoformat(rows[0][0]) if rows and rows[0][0] else None

    def answers(self, sitting: str) -> list[Answer]:
        """Those of a sitting, in their order."""
        return [_answer(row) for row in self._rows(f"{_ANSWERS} WHERE sitting = ? ORDER BY n", sitting)]

    def all_answers(self) -> list[Answer]:
        return [_answer(row) for row in self._rows(f"{_ANSWERS} ORDER BY n")]

    def places(self) -> list[Place]:
        """The lessons that were begun, the newest first."""
        rows = self._rows(
            "SELECT course, lesson, slide, step, furthest, total, done, sitting, at FROM place"
            " ORDER BY at DESC"
        )
        return [
            Place._make([*where, bool(done), sitting, datetime.fromisoformat(at)])
            for *where, done, sitting, at in rows
        ]

    def open_round(self) -> Round | None:
        """The newest round of due questions that was left before its end."""
        rows = self._rows("SELECT sitting, asked, at FROM round WHERE NOT done ORDER BY at DESC LIMIT 1")
        if not rows:
            return None
        sitting, asked, at = rows[0]
        return Round(sitting, tuple((a, b) for a, b in json.loads(asked)), datetime.fromisoformat(at))

    def topics(self) -> list[Topic]:
        """Each tag by the newest answers to its questions, the weakest first."""
        rows = self._rows(
            "SELECT tags, right FROM (SELECT tags, right, row_number() OVER"
            " (PARTITION BY lesson, question ORDER BY n DESC) AS newest FROM answer) WHERE newest <= ?",
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
        """When something was answered or looked at, in order."""
        rows = self._rows("SELECT at FROM answer UNION SELECT at FROM place ORDER BY at")
        return [datetime.fromisoformat(row[0]) for row in rows]

    def export(self) -> dict[str, object]:
        """All of it, for other programs: times in ISO 8601 (UTC), options counted from 0."""

        def table(sql: str) -> list[dict[str, object]]:
            cursor = self._db.execute(sql)
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
                for name in {"reply", "tags", "state", "asked"} & row.keys():
                    row[name] = json.loads(str(row[name])) if row[name] else None
                for name in {"right", "done", "sure"} & row.keys():
                    row[name] = None if row[name] is None else bool(row[name])
        return {"schema": SCHEMA, **tables}


def delete(path: Path, who: str = "") -> None:
    """Delete the file and its journal, unless somebody studies. Raises `StoreError`."""
    try:
        lock = _locked(path, who)
    except OSError as error:
        raise StoreError(_told(path, error)) from error
    try:
        for name in (path.name, f"{path.name}-journal"):
            path.with_name(name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(_told(path, error)) from error
    finally:
        lock.close()


_ANSWERS = (
    "SELECT course, lesson, question, kind, reply, right, points, out_of, seconds, sure, at, tags, sitting"
    " FROM answer"
)


def _answer(row: tuple[Any, ...]) -> Answer:
    *values, reply, right, points, out_of, seconds, sure, at, tags, sitting = row
    given = json.loads(reply)
    values += [tuple(given["choice"]), tuple(given["text"]), bool(right), points, out_of, seconds]
    values += [None if sure is None else bool(sure), datetime.fromisoformat(at)]
    return Answer._make([*values, tuple(json.loads(tags)), sitting])


def _row(answer: Answer, rated: int) -> tuple[object, ...]:
    reply = json.dumps({"choice": answer.choice, "text": answer.text})
    return (
        _iso(answer.at),
        answer.course,
        answer.lesson,
        answer.question,
        answer.kind,
        reply,
        answer.right,
        answer.points,
        answer.out_of,
        answer.seconds,
        answer.sure,
        rated,
        json.dumps(answer.tags),
        answer.sitting,
    )


def _seconds(db: sqlite3.Connection, kind: str) -> list[float]:
    rows = db.execute(
        "SELECT seconds FROM answer WHERE kind = ? AND right ORDER BY n DESC LIMIT ?", (kind, OF_A_KIND)
    )
    return [row[0] for row in rows]


def _iso(at: datetime) -> str:
    """In UTC and always as long, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


# --- the file ---------------------------------------------------------------------------------------------


def _locked(path: Path, who: str) -> IO[str]:
    """The lock beside the file, ours until it is closed. Raises `StoreError` where somebody has it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = path.with_suffix(".lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        other = lock.read().strip() or "another study"
        lock.close()
        raise StoreError(
            f"{other} has {path} open. Leave that one to have what is answered here kept"
        ) from None
    except OSError:
        lock.close()
        raise
    # A disk too full for these few bytes can still be read.
    with suppress(OSError):
        lock.truncate(0)
        lock.write(who or f"process {os.getpid()}")
        lock.flush()
    return lock


def _connected(name: Path | str, uri: bool = False) -> sqlite3.Connection:
    # Used by one thread after the other, never by two at once.
    return sqlite3.connect(name, timeout=WAIT_S, isolation_level=None, check_same_thread=False, uri=uri)


def _opened(path: Path) -> sqlite3.Connection:
    db = _connected(path)
    try:
        if (schema := _schema(db)) > SCHEMA:
            raise StoreError(f"{path} is of a newer teachrun (schema {schema}). Update teachrun")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA synchronous = FULL")
        _migrate(db)
        with _transaction(db):  # a file that cannot be written is found now
            db.execute(f"PRAGMA user_version = {SCHEMA}")
    except (sqlite3.Error, StoreError):
        db.close()
        raise
    return db


def _schema(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _migrate(db: sqlite3.Connection) -> None:
    """All of the schemas that the file lacks, in one transaction."""
    schema = _schema(db)
    if schema < SCHEMA:
        with _transaction(db):
            for script in SCHEMAS[schema:]:
                for statement in _statements(script):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA}")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script: `executescript` would commit the transaction they belong to."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _told(path: Path, error: Exception) -> str:
    """Why the file cannot be used, and what to do."""
    what = str(error)
    if isinstance(error, StoreError):
        return what
    if "locked" in what:
        return f"{path} is in use by another program. Close that"
    if (
        "readonly" in what
        or "read-only" in what.casefold()
        or "unable to open" in what
        or "ermission" in what
    ):
        return f"{path} cannot be written. Make it writable, or set XDG_DATA_HOME elsewhere"
    if "full" in what or "No space" in what:
        return f"the disk of {path} is full. Make room"
    if "not a database" in what or "malformed" in what:
        return f"{path} is no progress of teachrun, or broken ({what}). Move it away"
    return f"{path} cannot be used ({what})"
