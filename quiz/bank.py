"""The bank of a teacher: questions kept in one SQLite file, drawn by tag.

One writer, one transaction an import: all of a file's good questions are in it, or none is. The bank of a
newer teachrun is refused, not touched.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from quiz.question import Question

SCHEMA = 1
WAIT_S = 2.0

_TABLES = """
CREATE TABLE question (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tag (tag TEXT, id TEXT REFERENCES question, PRIMARY KEY (tag, id)) WITHOUT ROWID;
"""
_TOUCH = "SELECT count(*) FROM sqlite_master"  # whatever reads takes back what was not committed
_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(Question)


class BankError(Exception):
    """The bank cannot be used; the text says why and what to do."""


class Taken(NamedTuple):
    """How many questions of an import were new, had changed, and were there as they are."""

    new: int
    changed: int
    same: int


class QuestionBank:
    """The file at `path`, made when something is first put into it. Methods raise `BankError`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def put(self, questions: Iterable[Question]) -> Taken:
        """All of them, in one transaction; one of an id that is there takes its place."""
        counts = [0, 0, 0]
        with closing(self._open(write=True)) as db:
            try:
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    for question in questions:
                        counts[self._put(db, question)] += 1
            except sqlite3.Error as error:
                raise self._told(error) from error
        return Taken(*counts)

    def _put(self, db: sqlite3.Connection, question: Question) -> int:
        body = _encode(replace(question, line=0))
        there = db.execute("SELECT body FROM question WHERE id = ?", (question.id,)).fetchone()
        if there is not None and there[0] == body:
            return 2
        db.execute("INSERT OR REPLACE INTO question VALUES (?, ?)", (question.id, body))
        db.execute("DELETE FROM tag WHERE id = ?", (question.id,))
        rows = [(tag.casefold(), question.id) for tag in dict.fromkeys(question.tags)]
        db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", rows)
        return 1 if there is not None else 0

    def all(self, tags: Sequence[str] = ()) -> list[Question]:
        """Every question that has all of `tags`, by id. An absent bank is an empty one."""
        ids = "SELECT id FROM tag WHERE tag = ?"
        where = f" WHERE id IN ({' INTERSECT '.join([ids] * len(tags))})" if tags else ""
        return self._read(f"SELECT body FROM question{where} ORDER BY id", [tag.casefold() for tag in tags])

    def draw(self, tags: Sequence[str], count: int, seed: str) -> list[Question]:
        """`count` of the questions that have all of `tags`, chosen by `seed`: the same ones each time.

        Only the ids of the tag are looked at, so a large bank costs what its drawn questions cost.
        """
        import random

        ids = "SELECT id FROM tag WHERE tag = ?"
        sql = f"{' INTERSECT '.join([ids] * len(tags))}" if tags else "SELECT id FROM question"
        with self._reading() as db:
            if db is None:
                return []
            found = sorted(row[0] for row in self._rows(db, sql, [tag.casefold() for tag in tags]))
            chosen = random.Random(seed).sample(found, min(count, len(found)))
            marks = ",".join("?" * len(chosen))
            bodies = self._rows(db, f"SELECT id, body FROM question WHERE id IN ({marks})", chosen)
        by_id = {id: self._question(body) for id, body in bodies}
        return [by_id[id] for id in chosen]

    def tags(self) -> dict[str, int]:
        """How many questions each tag has."""
        with self._reading() as db:
            rows = [] if db is None else self._rows(db, "SELECT tag, count(*) FROM tag GROUP BY tag", [])
            return {tag: int(count) for tag, count in rows}

    def _read(self, sql: str, values: Sequence[str]) -> list[Question]:
        with self._reading() as db:
            rows = [] if db is None else self._rows(db, sql, values)
            return [self._question(body) for (body,) in rows]

    def _question(self, body: bytes | str) -> Question:
        try:
            return _decoder.decode(body)
        except msgspec.DecodeError as error:
            raise BankError(f"{self.path} is broken: a question in it cannot be read ({error})") from error

    def _reading(self) -> closing[sqlite3.Connection] | _Nothing:
        return closing(self._open(write=False)) if self.path.exists() else _Nothing()

    def _rows(self, db: sqlite3.Connection, sql: str, values: Sequence[str]) -> list[tuple[str, ...]]:
        try:
            return db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from error

    def _open(self, write: bool) -> sqlite3.Connection:
        try:
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                db = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
            else:
                db = self._reader()
        except (sqlite3.Error, OSError) as error:
            raise self._told(error) from error
        try:
            schema = db.execute("PRAGMA user_version").fetchone()[0]
            if schema > SCHEMA:
                raise BankError(f"{self.path} is of a newer teachrun (schema {schema}). Update teachrun")
            empty = schema == 0 and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if schema == 0 and not empty:
                raise BankError(f"{self.path} is another program's, no bank of teachrun. Move it away")
            if empty and not write:  # a first import came to nothing
                db.close()
                db = sqlite3.connect(":memory:")
                db.executescript(_TABLES)
            elif empty:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
        except sqlite3.Error as error:
            db.close()
            raise self._told(error) from error
        except BankError:
            db.close()
            raise
        return db

    def _reader(self) -> sqlite3.Connection:
        """A connection that cannot write; but an import that was cut off is first taken back."""
        uri = self.path.as_uri()
        db = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=WAIT_S)
        try:
            db.execute(_TOUCH).fetchone()
            return db
        except sqlite3.OperationalError as error:
            db.close()
            if "readonly" not in str(error):
                raise
        with closing(sqlite3.connect(f"{uri}?mode=rw", uri=True, timeout=WAIT_S)) as db:
            db.execute(_TOUCH).fetchone()
        return sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=WAIT_S)

    def _told(self, error: Exception) -> BankError:
        what = str(error)
        if "locked" in what:
            return BankError(f"{self.path} is in use by another teachrun. Try again")
        if "readonly" in what or "read-only" in what:
            return BankError(
                f"{self.path} cannot be written. Make it writable, or set XDG_DATA_HOME elsewhere"
            )
        if "full" in what or "disk I/O" in what:
            full = "is full" if "full" in what else "refuses it (a quota, a limit, a fault)"
            return BankError(f"the disk of {self.path} {full}: nothing was changed. Make room and try again")
        if "not a database" in what or "malformed" in what:
            return BankError(f"{self.path} is no bank of teachrun, or broken ({what}). Move it away")
        return BankError(f"{self.path} cannot be used ({what})")


class _Nothing:
    """Stands for the connection where there is no file."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None
