"""asciicast v2: a header and one event a line, read up to where it was cut (`cast_writer.py` writes it).

https://docs.asciinema.org/manual/asciicast/v2/ -- times are seconds from the beginning. Codes used here: `o`
what was written to the terminal, `r` its new size (`80x24`), `m` a marker with its label.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

OURS = "teachrun"  # the key of the header that is ours


class Event(NamedTuple):
    """Event of an asciicast: `t` in seconds since its start, code ("o" is output) and data."""

    t: float
    code: str
    data: str


def line(t: float, code: str, data: str) -> bytes:
    """One event as a line of the file."""
    text = json.dumps([round(t, 6), code, data], ensure_ascii=False, separators=(", ", ": "))
    return text.encode("utf-8", "replace") + b"\n"


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else writes or processes this recording meanwhile. Raises `CastError` where somebody does."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CastError(f"{path.name} is processed already") from None
        yield


def is_written(path: Path) -> bool:
    """Whether somebody still writes or processes this recording."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class CastError(ValueError):
    """The file is no recording; the text says which and why."""


def read(path: Path) -> tuple[dict[str, Any], Iterator[Event]]:
    """Header and events of a recording; a last line that was cut is left out.

    Raises:
        CastError: it is not asciicast v2.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            header = json.loads(file.readline())
        except (ValueError, RecursionError):
            header = None
    if not isinstance(header, dict) or header.get("version") != 2:
        raise CastError(f"{path.name} is not asciicast v2")
    return header, _events(path)


def unfinished(classes: Path) -> list[Path]:
    """The recordings of all classes below that were never made into a page and that nobody writes, by age."""
    found = []
    for cast in classes.glob("*/recordings/*.cast"):
        with contextlib.suppress(OSError, CastError):
            if cast.with_suffix(".html").exists() or is_written(cast):
                continue
            ours = read(cast)[0].get(OURS)
            if isinstance(ours, dict) and ours.get("raw"):
                found.append((cast.stat().st_mtime, cast))
    return [cast for _, cast in sorted(found)]


def _events(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        file.readline()
        for row in file:
            try:
                t, code, data = json.loads(row)
                yield Event(float(t), str(code), str(data))
            except (ValueError, TypeError):
                continue
