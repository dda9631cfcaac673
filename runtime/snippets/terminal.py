"""A program in a terminal on a slide: a snippet that is typed into, and shows a screen instead of lines.

It lives and ends as every snippet does. The terminal itself is held by a process of its own below the
guardian (`runtime.snippets.terminal_process`): what the program writes is read there, at a bounded share of a
core, and comes here as grids of characters.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import msgspec

from runtime.catalog.params import Refusal, printable
from runtime.classroom.actions import RunState
from runtime.launch import guardian
from runtime.protocol.messages import Grid, Keys, Output
from runtime.snippets.language_commands import Executor
from runtime.snippets.running_code_block import Snippet
from teachrun import as_user, install_extra

SHELL = "$SHELL"  # in a deck: the shell of the user who shows it
COLUMNS, ROWS = 80, 20  # until the screen that types says how large its pane is
_TYPED = 512  # characters a line on the way to the terminal: what a FIFO takes at once, whatever they are
_LONGEST = 1 << 22  # bytes of a grid

_GRID = msgspec.json.Decoder(Grid)


def command(source: str) -> Executor | Refusal:
    """Return the words of the command, or why it cannot run here."""
    if find_spec("pyte") is None:
        return Refusal("terminals on slides need pyte", install_extra("terminal"))
    try:
        words = shlex.split(os.environ.get("SHELL", "sh") if source.strip() == SHELL else source)
    except ValueError as error:
        return Refusal(f"this command cannot be read: {error}", "quote it as a shell would have it")
    if not words:
        return Refusal("the terminal has no command", f"write it, or {SHELL}")
    if shutil.which(words[0]) is None:
        return Refusal(f"{printable(words[0])} is not installed", "install it, or name another program")
    return Executor(tuple(words))


class Terminal(Snippet):
    """One program in its terminal."""

    in_folder = False  # modules of ours are not looked for there; the program itself goes there
    _keys: int | None = None
    _rest = b""
    _grid: Grid | None = None

    async def run(self, folder: Path) -> None:
        """Live as a snippet does, then close the pipe of the keys."""
        try:
            await super().run(folder)
        finally:
            keys, self._keys = self._keys, None
            if keys is not None:
                os.close(keys)

    def program(self, file: Path, folder: Path) -> tuple[str, ...]:
        """Make the FIFO for keys beside `file`; returns the command of the process with the terminal."""
        pipe = file.with_name("keys")
        os.mkfifo(pipe, 0o600)
        self._keys = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        holder = (sys.executable, "-P", "-m", "runtime.snippets.terminal_process")
        size = f"{COLUMNS}x{ROWS}"
        return (
            *holder,
            "--keys",
            str(pipe),
            "--cwd",
            str(folder),
            "--size",
            size,
            "--",
            *as_user(*self._runs.words),
        )

    def type(self, keys: Keys) -> None:
        """Pass keys on to the program, with the size of the screen they come from; never blocks."""
        if self._keys is None:
            return
        for at in range(0, len(keys.text) or 1, _TYPED):
            text = keys.text[at : at + _TYPED]
            line = msgspec.json.encode((text, keys.pasted, keys.columns, keys.rows))
            with suppress(BlockingIOError):  # it reads no keys any more
                os.write(self._keys, line + b"\n")

    def take(self, data: bytes) -> None:
        """Keep the newest grid of what the terminal process wrote."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            self._rest = b""
        for line in reversed(lines):  # the newest that is whole
            with suppress(msgspec.DecodeError):
                self._grid = _GRID.decode(line)
                return

    def output(self, start: int, *, picture: bool = True) -> Output:
        """Return how it stands, with the newest grid for a screen."""
        return msgspec.structs.replace(super().output(start, picture=picture), screen=self._grid)

    def _environment(self) -> dict[str, str]:
        ours = super()._environment()
        del ours["PYTHONUNBUFFERED"]  # what is typed there is a terminal's own
        return ours

    def _verdict(self) -> tuple[RunState, str]:
        if self.code == guardian.NOT_STARTED:
            return "failed", "it could not be started"
        return super()._verdict()
