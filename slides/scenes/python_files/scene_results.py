"""What the files of scenes gave when they ran: a slide that is read looks here, and runs nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from slides.problems import Mistake
from slides.reading.from_disk.named_files import stamp

Key = tuple[str, str, tuple[tuple[str, str], ...]]


class Result(NamedTuple):
    """`steps` as JSON, or what is wrong; `beside`: files that it is made of besides, as they were then."""

    steps: str = ""
    wrong: tuple[str, str] = ("", "")
    beside: tuple[tuple[str, object], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether these files are as they were."""
        return all(stamp(file) == then for file, then in self.beside)


_known: dict[Key, Result] = {}
_MOST = 256


def key(file: Path, source: str, words: Mapping[str, str]) -> Key:
    """Return what a result is known by: the file and its very text, and the parameters."""
    digest = hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()
    return str(file), digest, tuple(sorted(words.items()))


def known(asked: Key) -> Result | None:
    """Return what it gave, None where it has not run as it is now."""
    found = _known.get(asked)
    return found if found is not None and found.holds else None


def beside(asked: Key) -> tuple[str, ...]:
    """Return the files that its last result was made of besides: once one is another, it is to run again."""
    found = _known.get(asked)
    return tuple(file for file, _ in found.beside) if found is not None else ()


def steps(asked: Key) -> str:
    """Return its steps, "" where it has not run.

    Raises:
        Mistake: It failed.
    """
    found = known(asked)
    if found is not None and found.wrong[0]:
        raise Mistake(*found.wrong)
    return found.steps if found is not None else ""


def remember(asked: Key, steps: str, wrong: tuple[str, str], beside: Iterable[Path]) -> None:
    """Keep what it gave; the oldest of many is forgotten."""
    _known.pop(asked, None)
    _known[asked] = Result(steps, wrong, tuple((str(file), stamp(str(file))) for file in beside))
    while len(_known) > _MOST:
        del _known[next(iter(_known))]
