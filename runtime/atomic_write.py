"""A file of ours is written as a whole or not at all: the old one stays until the new one is on the disk."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def put(path: Path | str, content: str | bytes) -> None:
    """Write `content` (text as UTF-8) to `path`, over a file that may be there. Raises `OSError`."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole(path) as file:
        file.write(data)


@contextmanager
def whole(path: Path | str, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends well.

    What is there stays as it is until then, whatever ends us in between: no room, a signal, the power. It
    keeps its mode unless `mode` names one. A pipe or a device, which nothing takes the place of, is written
    to. Raises `OSError`, with `path` in it.
    """
    target = Path(path).resolve()  # a link stays one
    try:
        found = target.stat()
    except FileNotFoundError:
        usual = 0o666 & ~_umask()
    else:
        if not stat.S_ISREG(found.st_mode):
            with target.open("wb") as file:
                yield file
            return
        with target.open("r+b"):  # one that we may not write is not to be replaced either
            usual = found.st_mode & 0o7777
    fd, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.chmod(usual if mode is None else mode)
        new.replace(target)
    except BaseException as error:
        with suppress(OSError):
            new.unlink()
        if isinstance(error, OSError) and error.filename is None:  # writing knows a number of a file only
            error.filename = str(path)
        raise


def _umask() -> int:
    """What new files of ours may not be. Asking for it is setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
