"""Opens files that a deck names: inside its own folder, and elsewhere only if somebody has agreed to it.

A deck from anywhere must not show /etc/passwd, neither by its path nor by a link.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from slides.problems import Mistake, quoted
from slides.reading.from_disk.source import normalise

MAX_TEXT = 1024 * 1024

MayRead = Callable[[Path], bool]
"""Whether a file outside the deck's folder, links followed, may be read for it."""
DemoFile = Callable[[str], Path | None]
"""The file of a demo by its name."""


def never(file: Path) -> bool:
    """Refuse every file outside the deck's folder: the default of `locate`."""
    return False


class Sources(NamedTuple):
    """Where the lines of a block may come from: the deck's folder, demos, and files agreed to."""

    folder: Path | None = None
    demo_file: DemoFile | None = None
    may_read: MayRead = never


def locate(folder: Path | None, written: str, may_read: MayRead = never) -> Path:
    """Return the existing regular file that `written` names, relative to `folder` and, links followed, in it.

    Raises:
        Mistake: the path leads out of the folder and that is not agreed to, or it is no file.
    """
    if folder is None:
        raise Mistake(
            f"{quoted(written)} is a file, and no file may be read here", "Write its text into the deck."
        )
    inside = "Write a path relative to the deck, inside its folder"
    try:
        path = folder / written
        real = path.resolve()
        if not (is_inside(real, folder) and not Path(written).is_absolute()) and not may_read(real):
            raise Mistake(
                f"{quoted(written)} is outside the deck's folder",
                f"{inside}, and copy the file there; or agree to it when the deck is opened.",
            )
        if not stat.S_ISREG(real.stat().st_mode):
            raise Mistake(f"{quoted(written)} is not a file", f"{inside}.")
    except (OSError, ValueError, RuntimeError):
        raise Mistake(f"there is no file {quoted(written)}", f"{inside}.") from None
    return path


def is_inside(real: Path, folder: Path) -> bool:
    """Whether a path, links followed, is inside a folder."""
    return real.is_relative_to(folder.resolve())


def stamp(file: str) -> object:
    """Return what changes when the file does: its inode, size and time of modification."""
    try:
        info = Path(file).stat()
    except (OSError, ValueError):
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def read(path: Path, written: str) -> tuple[str, bytes]:
    """Return (text, bytes) of a file found by `locate`, the text normalised.

    Raises:
        Mistake: it cannot be read, is larger than a megabyte, or is not UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TEXT + 1)
    except (OSError, ValueError):
        raise Mistake(f"{quoted(written)} cannot be read", "Check its permissions.") from None
    if len(data) > MAX_TEXT:
        raise Mistake(f"{quoted(written)} is larger than {MAX_TEXT >> 20} MiB", "Name a smaller file.")
    try:
        return normalise(data.decode("utf-8")), data
    except UnicodeDecodeError:
        raise Mistake(f"{quoted(written)} is not text in UTF-8", "Name a text file.") from None
