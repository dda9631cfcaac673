"""The tables of a student's store, and how an older file gets those it lacks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

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
    # What cannot be graded is kept too, and what a prediction was measured against. A lesson may be another
    # file now; all else of an answer stays as it is.
    """
    CREATE TABLE answers (
        n INTEGER PRIMARY KEY, at TEXT NOT NULL, course TEXT NOT NULL, lesson TEXT NOT NULL,
        question TEXT NOT NULL, kind TEXT NOT NULL, reply TEXT NOT NULL, "right" INTEGER,
        points REAL NOT NULL, out_of REAL NOT NULL, seconds REAL NOT NULL, sure INTEGER,
        rated INTEGER, tags TEXT NOT NULL, sitting TEXT NOT NULL, measured TEXT NOT NULL DEFAULT '');
    INSERT INTO answers SELECT *, '' FROM answer;
    DROP TABLE answer;
    ALTER TABLE answers RENAME TO answer;
    CREATE INDEX answer_of ON answer (lesson, question, n);
    CREATE INDEX answer_in ON answer (sitting, n);
    CREATE TRIGGER answers_stay BEFORE UPDATE OF
        n, at, question, kind, reply, "right", points, out_of, seconds, sure, rated, tags, sitting, measured
        ON answer BEGIN SELECT RAISE(ABORT, 'answers are only added'); END;
    CREATE TRIGGER answers_last BEFORE DELETE ON answer
        BEGIN SELECT RAISE(ABORT, 'answers are only added'); END;
    """,
)
SCHEMA = len(SCHEMAS)


def found(db: sqlite3.Connection) -> int:
    """Return the schema version of a file; 0: none yet."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection) -> None:
    """Apply all schemas that the file lacks, in one transaction."""
    schema = found(db)
    if schema < SCHEMA:
        with transaction(db):
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
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write all of the `with` block or nothing: rolled back when it raises."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
