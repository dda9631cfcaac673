"""Keeps what the room saw of a deck beside the journal of its class: the class can be walked again."""

from __future__ import annotations

import hashlib
from pathlib import Path

from runtime.atomic_write import put
from runtime.host import hanging_disk

MOST = 24  # revisions: a deck that is edited in class has a new one at each save


def _file(folder: Path, rev: str) -> Path:
    return folder / "decks" / f"{hashlib.sha256(rev.encode()).hexdigest()[:32]}.deck"


def keep(folder: Path, rev: str, blob: bytes) -> None:
    """Keep the audience's part of a revision in the `folder` of a class; the oldest make room. Raises
    `OSError`."""
    file = _file(folder, rev)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    if not file.exists():
        put(file, blob)
    kept = sorted(file.parent.glob("*.deck"), key=lambda one: one.stat().st_mtime)
    for old in kept[:-MOST]:
        if old != file:
            old.unlink(missing_ok=True)


def keep_soon(folder: Path, rev: str, blob: bytes) -> None:
    """Do that without waiting for the disk. One that is full keeps nothing."""
    if rev and blob:
        hanging_disk.write(lambda: keep(folder, rev, blob), within_s=0.0)


def read(folder: Path, rev: str) -> bytes | None:
    """Return what was kept of a revision, None where nothing was."""
    try:
        return _file(folder, rev).read_bytes()
    except OSError:
        return None
