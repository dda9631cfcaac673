"""The file of a student's store: one writer, opened so that a kill or a power cut harms nothing, and why it
cannot be used where it cannot."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import IO

from quiz.study import schema

WAIT_S = 0.5  # for a lock that somebody else holds on the file


class StoreError(Exception):
    """The file cannot be used; the text says why and what to do."""


def locked(path: Path, who: str) -> IO[bytes]:
    """The lock beside the file, ours until it is closed. Raises `OSError`, or `StoreError` where somebody
    has it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Unbuffered: what a full disk did not take must not be tried again when it is closed.
    lock = path.with_suffix(".lock").open("a+b", buffering=0)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        other = lock.read(200).decode(errors="replace").strip() or "somebody"
        lock.close()
        raise StoreError(f"{other} is studying: leave that one first ({path})") from None
    except OSError:
        lock.close()
        raise
    # A disk too full for these few bytes can still be read.
    with suppress(OSError):
        lock.truncate(0)
        lock.write((who or f"process {os.getpid()}").encode())
    return lock


def connected(name: Path | str, uri: bool = False) -> sqlite3.Connection:
    """Open the SQLite database; it waits `WAIT_S` seconds for a lock, and begins no transaction itself."""
    # Used by one thread after the other, never by two at once.
    return sqlite3.connect(name, timeout=WAIT_S, isolation_level=None, check_same_thread=False, uri=uri)


def opened(path: Path) -> sqlite3.Connection:
    """The file, of the newest schema and sure to take what is written. Raises `sqlite3.Error` or
    `StoreError`."""
    db = connected(path)
    try:
        if (found := schema.found(db)) > schema.SCHEMA:
            raise StoreError(f"it was written by a newer teachrun (schema {found}): update teachrun ({path})")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA synchronous = FULL")
        schema.migrate(db)
        with schema.transaction(db):  # a file that cannot be written is found now
            db.execute(f"PRAGMA user_version = {schema.SCHEMA}")
    except (sqlite3.Error, StoreError):
        db.close()
        raise
    return db


def told(path: Path, error: Exception) -> str:
    """Why the file cannot be used and what to do, then where it is: a short line loses the end first."""
    what = str(error)
    if isinstance(error, StoreError):
        return what
    if "locked" in what:
        why = "it is in use by another program: close that"
    elif "full" in what or "No space" in what or "too large" in what:
        why = "the disk is full: make room"
    elif "I/O" in what:  # a limit on the size of files, a network that went, a disk that dies
        why = f"the disk does not take it: make room, or set XDG_DATA_HOME elsewhere ({what})"
    elif any(word in what.casefold() for word in ("readonly", "read-only", "unable to open", "permi")):
        why = "it cannot be written: make it writable, or set XDG_DATA_HOME elsewhere"
    elif "not a database" in what or "malformed" in what:
        why = f"it is not a progress file of teachrun, or it is broken: move it away ({what})"
    else:
        why = f"it cannot be used: {what}"
    return f"{why} ({path})"


def delete(path: Path, who: str = "") -> None:
    """Delete the file and its journal, unless somebody studies. Raises `StoreError`."""
    try:
        with locked(path, who):
            for name in (path.name, f"{path.name}-journal"):
                path.with_name(name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(told(path, error)) from error
