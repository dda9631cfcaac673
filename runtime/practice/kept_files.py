"""Keeps the files of an exercise as they are, whatever a student's file does to them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from runtime.practice.exercise import EXERCISES_DIR

MAX_FILE = 1 << 20


def read(folder: Path) -> dict[Path, bytes]:
    """Return what is in the files of an exercise's folder, those that are small enough to be its own."""
    found = {}
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file() and path.stat().st_size <= MAX_FILE and "__pycache__" not in path.parts:
                found[path] = path.read_bytes()
    return found


def put_back(folder: Path, kept: dict[Path, bytes]) -> str:
    """Make an exercise of ours what it was; returns what to say of it, "" if it is the same.

    One of somebody's own is left as it is: its author may be at work on it.
    """
    now = read(folder)
    changed = sorted(path for path in kept.keys() | now.keys() if kept.get(path) != now.get(path))
    if not changed:
        return ""
    names = ", ".join(path.name for path in changed[:3])
    if EXERCISES_DIR not in folder.parents:
        return f"the exercise's folder was written to meanwhile: {names}"
    for path in changed:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)  # it may be gone with all that was in it
            path.write_bytes(kept[path]) if path in kept else path.unlink()
    after = "it is as it was before" if read(folder) == kept else "not all of it could be put back"
    return f"your file wrote into the exercise's folder ({names}): {after}"
