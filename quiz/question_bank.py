"""A teacher's question bank: questions in one SQLite file, drawn by tag.

One writer, one transaction an import: all of a file's good questions are in it, or none is. A question that
is there is only replaced where that is asked for. Each knows the file it is from, so that two files of one
name, or two questions of one id, stay two. The bank of a newer teachrun is refused, not touched.
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

SCHEMA = 2
WAIT_S = 2.0

_TABLES = """
CREATE TABLE question (
    id TEXT PRIMARY KEY, body BLOB NOT NULL, origin TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE tag (tag TEXT, id TEXT REFERENCES question, PRIMARY KEY (tag, id)) WITHOUT ROWID;
CREATE TABLE known_as (name TEXT);
INSERT INTO known_as VALUES (lower(hex(randomblob(16))));
"""
_SECOND = "ALTER TABLE question ADD COLUMN origin TEXT NOT NULL DEFAULT ''"  # nobody had written it down
_TOUCH = "SELECT count(*) FROM sqlite_master"  # whatever reads takes back what was not committed
_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(Question)


class BankError(Exception):
    """Why the bank cannot be used, and what to do."""


class Taken(NamedTuple):
    """How many questions of an import were new, had changed, and were there as they are; the ids of those
    that would have to be replaced, for which nothing was written."""

    new: int
    changed: int
    same: int
    refused: tuple[str, ...] = ()


class QuestionBank:
    """The file at `path`, made when something is first put into it. Methods raise `BankError`."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def put(self, questions: Iterable[Question], *, origin: str = "", replaces: bool = False) -> Taken:
        """All of them, in one transaction; one of an id that is there, and reads otherwise, takes its place
        only where it `replaces`: else nothing is written. `origin` is the file that they are from."""
        return self.put_all([(origin, questions)], replaces=replaces)

    def put_all(self, files: Iterable[tuple[str, Iterable[Question]]], *, replaces: bool = False) -> Taken:
        """Do the same for several files, by their origin."""
        counts, changed = [0, 0, 0], list[str]()
        with closing(self._open(write=True)) as db:
            try:
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    for origin, questions in files:
                        for question in questions:
                            counts[outcome := self._put(db, question, origin)] += 1
                            changed += [question.id] if outcome == 1 else []
                    if changed and not replaces:
                        db.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise self._told(error) from error
        new, replaced, same = counts
        return Taken(new, replaced, same, () if replaces else tuple(changed))

    def _put(self, db: sqlite3.Connection, question: Question, origin: str) -> int:
        question = replace(question, line=0)
        there = db.execute("SELECT body FROM question WHERE id = ?", (question.id,)).fetchone()
        if there is not None and self._question(there[0]) == question:
            return 2
        row = (question.id, _encode(question), origin)
        db.execute("INSERT OR REPLACE INTO question (id, body, origin) VALUES (?, ?, ?)", row)
        db.execute("DELETE FROM tag WHERE id = ?", (question.id,))
        rows = [(tag.casefold(), question.id) for tag in dict.fromkeys(question.tags)]
        db.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", rows)
        return 1 if there is not None else 0

    def origins(self) -> dict[str, str]:
        """Return the file that each question is from, by id; "" if that was not recorded."""
        with self._reading() as db:
            if db is None or db.execute("PRAGMA user_version").fetchone()[0] < SCHEMA:
                rows = [] if db is None else self._rows(db, "SELECT id, '' FROM question", [])
            else:
                rows = self._rows(db, "SELECT id, origin FROM question", [])
            return {row[0]: row[1] for row in rows}

    def known_as(self) -> str:
        """Return a name that no other bank has; "" for one from before banks had names, or without a file."""
        named = "SELECT name FROM sqlite_master WHERE name = 'known_as'"
        with self._reading() as db:
            if db is None or not self._rows(db, named, []):
                return ""
            return next((row[0] for row in self._rows(db, "SELECT name FROM known_as", [])), "")

    def all(self, tags: Sequence[str] = ()) -> list[Question]:
        """Return every question that has all of `tags`, by id. A missing bank is an empty one."""
        ids = "SELECT id FROM tag WHERE tag = ?"
        where = f" WHERE id IN ({' INTERSECT '.join([ids] * len(tags))})" if tags else ""
        return self._read(f"SELECT body FROM question{where} ORDER BY id", [tag.casefold() for tag in tags])

    def draw(self, tags: Sequence[str], count: int, seed: str) -> list[Question]:
        """Draw `count` of the questions that have all of `tags`, chosen by `seed`: the same ones each time.

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
        """Return how many questions each tag has."""
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
                db.executescript(f"{_TABLES} PRAGMA user_version = {SCHEMA};")
            elif empty:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
            elif schema == 1 and write:
                db.executescript(f"BEGIN IMMEDIATE; {_SECOND}; PRAGMA user_version = {SCHEMA}; COMMIT;")
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
            return BankError(f"{self.path} is not a bank of teachrun, or broken ({what}). Move it away")
        return BankError(f"{self.path} cannot be used ({what})")


class _Nothing:
    """Stands for the connection where there is no file."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None
