"""A snippet whose output is a picture: the bytes that it prints, or writes to the file `$TEACHRUN_IMAGE`.

It lives and ends as every snippet does. What it prints comes through a pipe of its own, apart from warnings,
which stay lines. Nothing here knows pictures: the screen that shows the bytes decodes them.
"""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import suppress
from pathlib import Path

from runtime.classroom.actions import RunState
from runtime.snippets.running_code_block import Snippet

VARIABLE = "TEACHRUN_IMAGE"
MOST_BYTES = 1 << 20  # as of a picture that a screen elsewhere is sent with the deck
TOO_LARGE = f"its picture is larger than {MOST_BYTES >> 20} MiB: give it fewer dots"
_CHUNK = 1 << 16


class Picturing(Snippet):
    """One run of a block that makes a picture."""

    _pipe: int | None = None
    _file: Path | None = None
    _stopping: asyncio.Task[None] | None = None

    async def run(self, folder: Path) -> None:
        """Live as a snippet does, then close the pipe of the picture."""
        self._bytes = bytearray()
        try:
            await super().run(folder)
        finally:
            pipe, self._pipe = self._pipe, None
            if pipe is not None:
                asyncio.get_running_loop().remove_reader(pipe)
                os.close(pipe)

    def program(self, file: Path, folder: Path) -> tuple[str, ...]:
        """Return the command with its output sent to a pipe of its own; the loop reads that from here on."""
        pipe, self._file = file.with_name("printed"), file.with_name("picture")
        os.mkfifo(pipe, 0o600)
        # Open at both ends: it is there before the program, and does not end with the first that closes it.
        self._pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        asyncio.get_running_loop().add_reader(self._pipe, self._take_bytes)
        program = ("env", f"{VARIABLE}={self._file}", *super().program(file, folder))
        return ("sh", "-c", 'exec "$@" >"$0"', str(pipe), *program)

    def _take_bytes(self) -> bool:
        """Read what has arrived; True if there was something and may be more."""
        assert self._pipe is not None
        with suppress(BlockingIOError):
            self._bytes += os.read(self._pipe, _CHUNK)
            if len(self._bytes) <= MOST_BYTES:
                return True
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._pipe)
            self._stopping = self._stopping or loop.create_task(self.stop("failed", TOO_LARGE))
        return False

    def _verdict(self) -> tuple[RunState, str]:
        state, why = super()._verdict()
        while len(self._bytes) <= MOST_BYTES and self._take_bytes():
            pass
        written = _read(self._file) if self._file is not None else None
        if written is not None or state != "done":  # then what it printed is words
            self.printed.feed(bytes(self._bytes), final=True)
        found = bytes(self._bytes) if written is None else written
        if state != "done":
            return state, why
        if not found:
            return "failed", f"it made no picture: print one, or write it to the file ${VARIABLE}"
        if len(found) > MOST_BYTES:
            return "failed", TOO_LARGE
        self.picture = found
        return state, why


def _read(file: Path) -> bytes | None:
    """At most a byte more than is shown; None where there is no file, but a link or a pipe perhaps."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(opened, "rb") as stream:
        return stream.read(MOST_BYTES + 1) if stat.S_ISREG(os.fstat(opened).st_mode) else None
