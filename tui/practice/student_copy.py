"""The student's copy of an exercise, in a folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from runtime import paths
from runtime.atomic_write import put

HANDED_IN = "handed-in"

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise


def folder(exercise: Exercise) -> Path:
    """Return the folder of the copy. Raises `OSError` where it cannot be made."""
    where = paths.data_dir() / "exercises" / exercise.name
    where.mkdir(parents=True, exist_ok=True)
    return where


def of(exercise: Exercise) -> Path:
    """Return the student's copy, made of the start where there is none yet. Raises `OSError`."""
    file = folder(exercise) / exercise.file
    if not file.exists():
        put(file, exercise.start.encode())
    return file


def handed_in(exercise: Exercise) -> list[Path]:
    """Return what others have handed in: the files in a folder beside the copy, which is made."""
    where = folder(exercise) / HANDED_IN
    where.mkdir(exist_ok=True)
    return sorted(file for file in where.glob("*.py") if file.is_file())


def start_over(exercise: Exercise) -> Path:
    """Put the start in the place of the copy, which is kept beside it; returns where it is kept."""
    file = of(exercise)
    old = next(it for n in range(1, 10_000) if not (it := file.with_name(f"{file.stem}.{n}.py")).exists())
    put(old, file.read_bytes())
    put(file, exercise.start.encode())
    return old
