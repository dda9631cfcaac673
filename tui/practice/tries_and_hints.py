"""What is kept of each exercise and puzzle: tries, hints taken, when it was solved; one JSON file."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from runtime import paths
from runtime.atomic_write import put
from runtime.practice.missing_statement import AGAIN

TRIES_FOR_SOLUTION = 3


class Progress(Struct, frozen=True):
    """Of one exercise. `solved` is seconds of the epoch, 0: it is not; `tried` is of the text run last, and
    `passed` how many checks that passed. Of a puzzle also the `answer` and the least `score`."""

    tries: int = 0
    hints: int = 0
    solved: float = 0.0
    tried: str = ""
    passed: int = 0
    answer: str = ""
    score: float = 0.0

    @property
    def may_see_solution(self) -> bool:
        """Whether it was solved, or tried often enough."""
        return bool(self.solved) or self.tries >= TRIES_FOR_SOLUTION


def file() -> Path:
    """Where it is kept."""
    return paths.data_dir() / "exercises" / "progress.json"


def load() -> dict[str, Progress]:
    """Return what is known of each exercise, by name; nothing where the file is missing or no such file."""
    try:
        return msgspec.json.decode(file().read_bytes(), type=dict[str, Progress])
    except (OSError, msgspec.DecodeError, ValueError):
        return {}


def known() -> dict[str, Progress]:
    """Return the same as `load`, read anew only when the file is another: for what is drawn often."""
    path = file()
    try:
        found = path.stat()
    except OSError:
        return {}
    return _read(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(1)
def _read(file: str, changed: int, size: int) -> dict[str, Progress]:
    return load()


def turn(name: str) -> int:
    """Return how many smaller versions of an exercise were solved."""
    known = load()
    return next(n for n in range(10_000) if not known.get(again(name, n), Progress()).solved)


def again(name: str, turn: int) -> str:
    """Return the name that a smaller version is kept under."""
    return f"{name}/{AGAIN}/{turn}"


def in_words(progress: Progress, checks: int) -> str:
    """Return how far it is: `solved`, `2 of 5 checks` or `not begun`."""
    if progress.solved:
        return "solved"
    return f"{progress.passed} of {checks} checks" if progress.tries else "not begun"


def save(name: str, progress: Progress) -> None:
    """Keep it. Raises `OSError`."""
    every = load() | {name: progress}
    file().parent.mkdir(parents=True, exist_ok=True)
    put(file(), msgspec.json.format(msgspec.json.encode(every)))


def after(progress: Progress, solved: bool, began: bool, fingerprint: str, passed: int = 0) -> Progress:
    """Return it after a run of the text with this fingerprint; the same text run again is no new try.

    Args:
        progress: What was known before.
        solved: All checks have passed.
        began: Something was written into the hole.
        fingerprint: Of the student's text.
        passed: How many checks have passed.
    """
    tries = progress.tries + (began and fingerprint != progress.tried)
    when = progress.solved or (time.time() if solved else 0.0)
    if not began:
        return msgspec.structs.replace(progress, tries=tries, solved=when)
    return msgspec.structs.replace(progress, tries=tries, solved=when, tried=fingerprint, passed=passed)
