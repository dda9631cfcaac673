"""A file that somebody asked for, written as a whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def put(path: Path | str, content: str | bytes) -> None:
    """Write `content` (text as UTF-8) to `path`, over a file that may be there.

    What is there stays as it is until all of the new one is on the disk, whatever ends us in between: no
    room, a signal, the power. A pipe or a device, which nothing takes the place of, is written to. Raises
    `OSError`.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(path).resolve()  # a link stays one
    try:
        found = target.stat()
    except FileNotFoundError:
        mode = 0o666 & ~_umask()
    else:
        if not stat.S_ISREG(found.st_mode):
            with target.open("wb") as file:
                file.write(data)
            return
        with target.open("r+b"):  # one that we may not write is not to be replaced either
            mode = found.st_mode & 0o7777
    fd, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(target)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _umask() -> int:
    """What new files of ours may not be. Asking for it is setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
