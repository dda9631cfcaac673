"""Holds one program in a terminal of its own, for a slide: keys in, grids of characters out.

    python -P -m runtime.snippets.terminal_process --keys FIFO --cwd DIR --size COLSxROWS -- COMMAND…

Runs under a guardian and dies with it. What the program writes is read only here: it prints grids of
characters, one JSON line each, at most `FRAMES` a second. A program that prints without end is read slowly,
as by a terminal. JSON lines [keys, pasted, columns, rows] arrive on the FIFO.
"""

from __future__ import annotations

import argparse
import codecs
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from runtime.launch.parent_death import die_with_parent
from runtime.snippets.emulator import Emulator, bounded

FRAMES = 15
IDLE_S = 0.25
REMIND_S = (1.0, 4.0, 10.0)  # after a resize: one that is still starting does not hear of it yet
_CHUNK = 4096
_SHARE = 0.35  # of a core, at most, for a program that prints without end
_MOST_TYPED = 1 << 16  # bytes that a program has not read yet: more are dropped
NOT_STARTED = 127
_OURS = (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP)

_Keys = msgspec.json.Decoder(tuple[str, bool, int, int])


class Held:
    """The program's terminal, from its start to its end."""

    def __init__(self, command: Sequence[str], folder: Path, keys: int, size: tuple[int, int]) -> None:
        me = os.getpid()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            _become(command, folder, me, size)
        os.set_blocking(self.master, False)
        self._keys = keys
        self._emulator = Emulator(*size, self._type)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._typed = b""
        self._rest = b""  # of a line of keys
        self._read_at = self._shown_at = 0.0
        self._dirty = True
        self._open = True
        self._remind_at: list[float] = []  # when the program is told of its size once more

    def run(self) -> int:
        """Serve it until it has ended; returns 0, or `NOT_STARTED`."""
        status = None
        while status is None:
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            status = code if pid else None
            self._turn(last=pid != 0)
        self._show()
        code = os.waitstatus_to_exitcode(status)
        return NOT_STARTED if code == NOT_STARTED else 0

    def _turn(self, last: bool) -> None:
        """Wait for something to do, and do it. `last`: what is there is read, and nothing waited for."""
        now = time.monotonic()
        if last:
            until = now + 1.0
            while self._open and time.monotonic() < until and select.select([self.master], [], [], 0)[0]:
                self._read()
            return
        reads = [self._keys]
        waits = [IDLE_S]
        if self._open and now >= self._read_at:
            reads.append(self.master)
        elif self._open:
            waits.append(self._read_at - now)
        if self._dirty:
            waits.append(max(0.0, self._shown_at + 1 / FRAMES - now))
        writes = [self.master] if self._typed and self._open else []
        readable, writable, _ = select.select(reads, writes, [], min(waits))
        if self._keys in readable:
            self._hear()
        if writable:
            with suppress(OSError):
                self._typed = self._typed[os.write(self.master, self._typed[:_CHUNK]) :]
        if self.master in readable:
            self._read()
        if self._dirty and time.monotonic() >= self._shown_at + 1 / FRAMES:
            self._show()
        if self._remind_at and now >= self._remind_at[0]:
            self._remind_at.pop(0)
            with suppress(OSError):  # nobody has the terminal any more
                os.killpg(os.tcgetpgrp(self.master), signal.SIGWINCH)

    def _read(self) -> None:
        try:
            data = os.read(self.master, _CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""  # so Linux says that nobody has it open any more
        self._open = bool(data)
        began = time.thread_time()
        self._emulator.feed(self._decoder.decode(data))
        self._dirty = True
        if len(data) >= _CHUNK // 4:
            spent = time.thread_time() - began
            self._read_at = time.monotonic() + spent * (1 - _SHARE) / _SHARE

    def _hear(self) -> None:
        *lines, self._rest = (self._rest + os.read(self._keys, 1 << 16)).split(b"\n")
        for line in lines:
            try:
                text, pasted, columns, rows = _Keys.decode(line)
            except msgspec.DecodeError:
                continue
            if columns and rows and bounded(columns, rows) != self._emulator.size:
                self._emulator.resize(columns, rows)
                _set_size(self.master, self._emulator.size)
                self._dirty = True
                self._remind_at = [time.monotonic() + after for after in REMIND_S]
            self._type(self._emulator.pasted(text) if pasted else self._emulator.typed(text))

    def _type(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        if len(self._typed) + len(data) <= _MOST_TYPED:
            self._typed += data

    def _show(self) -> None:
        self._dirty, self._shown_at = False, time.monotonic()
        sys.stdout.buffer.write(msgspec.json.encode(self._emulator.grid()) + b"\n")
        sys.stdout.buffer.flush()


def _become(command: Sequence[str], folder: Path, parent: int, size: tuple[int, int]) -> None:
    """Become the program, in the child. Never returns."""
    try:
        die_with_parent(parent)
        for number in _OURS:  # the guardian ignores ctrl+c, and what is ignored stays so over `exec`
            signal.signal(number, signal.SIG_DFL)
        _set_size(0, size)
        os.chdir(folder)
        looks = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        os.execvpe(command[0], list(command), os.environ | looks)
    except OSError as error:
        what = error.filename or command[0]
        os.write(1, f"{what} cannot be used: {error.strerror}\r\n".encode(errors="replace"))
    os._exit(NOT_STARTED)


def _set_size(fd: int, size: tuple[int, int]) -> None:
    columns, rows = size
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main() -> int:
    """Hold one program's terminal until it ends; returns 0, `NOT_STARTED`, or 1 if nobody reads any more."""
    parser = argparse.ArgumentParser(prog="python -P -m runtime.snippets.terminal_process")
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--cwd", type=Path, required=True, help="folder the command runs in")
    parser.add_argument("--size", required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    columns, _, rows = args.size.partition("x")
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    die_with_parent(os.getppid())
    keys = os.open(args.keys, os.O_RDWR)  # for writing too: it never ends
    try:
        return Held(command, args.cwd, keys, bounded(int(columns), int(rows))).run()
    except BrokenPipeError:
        return 1  # nobody looks any more


if __name__ == "__main__":
    sys.exit(main())
