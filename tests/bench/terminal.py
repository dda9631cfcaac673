"""A program in a real pseudo-terminal, watched from the outside: what is painted, when, at what cost.

The timing path only reads and time-stamps; the screen model is fed afterwards, so that looking does not
disturb what is looked at.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte

sys.path.append(str(Path(__file__).parents[1]))  # what benches share with tests

import read_letters
from folders import environ, stop_all
from teachrun_process import TEACHRUN, teachrun

KEYS = {
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "pgdn": b"\x1b[6~",
    "pgup": b"\x1b[5~",
    "enter": b"\r",
    "esc": b"\x1b",
    "ctrl+c": b"\x03",
}
# Sequences the screen model does not know or misreads.
UNKNOWN = re.compile(
    rb"\x1b\[[<>=][0-9;:]*[a-zA-Z~]|\x1b\[\?[0-9;]*\$?[a-gi-km-zA-Z]|\x1b\[[0-9;]*\$[a-z]"
    rb"|\x1b[P_^X][^\x1b]*\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;]*t|\x1b\[[0-9]* q"
)
_OF_SCHEDULER = 2  # CPUCLOCK_SCHED of the number that `clock_getcpuclockid` makes of a process
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<>=$ ]*|[P_^X\]][^\x07\x1b]*\x1b?)?$")


@dataclass(frozen=True)
class Repaint:
    """One answer to a key: seconds until the awaited text was there, and the bytes it took."""

    seconds: float | None
    bytes: int


class Terminal:
    """Starts `command` at `cols` x `rows` and answers the queries a real terminal would answer."""

    def __init__(
        self,
        command: Sequence[str],
        cols: int,
        rows: int,
        env: dict[str, str],
        cwd: str | None = None,
        *,
        pixels: bool = False,
    ) -> None:
        """`pixels`: it says that it is kitty, whose cells have 9 x 18 pixels."""
        self._pixels = pixels
        self.screen = pyte.Screen(cols, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._tail = b""
        self.eof = False
        self.total = 0
        self.frames = 0  # repaints, as far as they say where they begin
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", **env})
            if cwd:
                os.chdir(cwd)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
            os.execvp(command[0], list(command))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def _read(self, timeout: float) -> tuple[float, bytes] | None:
        if not select.select([self.fd], [], [], max(0.0, timeout))[0]:
            return None
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        now = time.perf_counter()
        if not data:
            self.eof = True
            return None
        self.total += len(data)
        self.frames += data.count(b"\x1b[?2026h") + data.count(b"\x1b_Ga=T")  # one or the other
        reply = b"".join(
            b"\x1b[?%s;%d$y" % (mode, 2 if mode == b"2026" else 0)
            for mode in re.findall(rb"\x1b\[\?(\d+)\$p", data)
        )
        if re.search(rb"\x1b\[0?c", data):
            reply += b"\x1b[?62;22c"
        if self._pixels and b"\x1b[>q" in data:
            reply = b"\x1bP>|kitty(0.41.1)\x1b\\\x1b[6;18;9t" + reply
        if reply:
            os.write(self.fd, reply)
        return now, data

    def _feed(self, data: bytes) -> None:
        data = self._tail + data
        cut = _UNFINISHED.search(data)
        self._tail = b""
        if cut:
            data, self._tail = data[: cut.start()], data[cut.start() :]
        self._stream.feed(UNKNOWN.sub(b"", data))

    @property
    def text(self) -> str:
        """What is to be read on the screen, in letters made of blocks as well."""
        return read_letters.read("\n".join(self.screen.display))

    def wait(
        self, want: str | Callable[[str], bool], since: float, timeout: float = 20.0, quiet: float = 0.05
    ) -> Repaint:
        """Read until the awaited text is on the screen; the time is that of the chunk that brought it."""
        seen_it = want if callable(want) else (lambda text: want in text)
        start = self.total
        deadline = since + timeout
        while time.perf_counter() < deadline and not self.eof:
            chunks = []
            got = self._read(deadline - time.perf_counter())
            while got is not None:
                chunks.append(got)
                got = self._read(quiet)
                if len(chunks) > 200:
                    break
            for at, data in chunks:
                self._feed(data)
                if seen_it(self.text):
                    for _, rest in chunks[chunks.index((at, data)) + 1 :]:
                        self._feed(rest)
                    return Repaint(at - since, self.total - start)
        return Repaint(None, self.total - start)

    def drain(self, seconds: float) -> int:
        """Read for so long; returns the number of bytes the program wrote."""
        start, end = self.total, time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0 and not self.eof:
            got = self._read(left)
            if got:
                self._feed(got[1])
        return self.total - start

    def press(self, key: str, want: str | Callable[[str], bool], timeout: float = 5.0) -> Repaint:
        sent = time.perf_counter()
        os.write(self.fd, KEYS.get(key, key.encode()))
        return self.wait(want, sent, timeout, quiet=0.02)

    def send(self, key: str) -> None:
        os.write(self.fd, KEYS.get(key, key.encode()))

    @property
    def pids(self) -> list[int]:
        """The processes of the program itself: it and its forks that run the same command, the drawing one
        last. What it started besides is not it."""
        found = [self.pid]
        while found:
            children = Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text().split()
            forks = [int(child) for child in children if _command(child) == _command(self.pid)]
            if not forks:
                break
            found.append(forks[-1])
        return found

    def rss_mb(self) -> float:
        """Memory of the program itself, in MB of 1e6 bytes: all that is resident of the process that draws,
        and what its parents have besides what they share with it."""
        *parents, drawing = self.pids
        private = sum(_kib(pid, "smaps_rollup", "Private_Clean:", "Private_Dirty:") for pid in parents)
        return (_kib(drawing, "status", "VmRSS:") + private) * 1024 / 1e6

    def cpu_s(self) -> float:
        return sum(cpu_s(pid) for pid in self.pids)

    def close(self, *keys: str) -> None:
        """Ask the program to quit by `keys`, then insist."""
        with contextlib.suppress(OSError):
            for key in keys:
                self.send(key)
                self.drain(0.7)
        for sig in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ChildProcessError, ProcessLookupError):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    break
                os.kill(self.pid, sig)
                self.drain(0.5)
        with contextlib.suppress(OSError, ChildProcessError):
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Teachrun(Terminal):
    """`teachrun WORDS` in a terminal, which keeps everything in `home`."""

    def __init__(
        self, home: Path, *words: str, cols: int = 100, rows: int = 30, pixels: bool = False
    ) -> None:
        self.home = home
        env = {"LANG": "C.UTF-8", **environ(home)}
        super().__init__([*TEACHRUN, *words], cols, rows, env, pixels=pixels)

    def said(self, *words: str) -> str:
        """What another command says of the same home."""
        return teachrun(*words, env=os.environ | environ(self.home)).out

    def end(self, *keys: str) -> None:
        """Ask it to quit by `keys`, and end what is left of its class."""
        self.close(*keys)
        stop_all(self.home)


def _command(pid: int | str) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _kib(pid: int, file: str, *names: str) -> int:
    rows = (line.split() for line in Path(f"/proc/{pid}/{file}").read_text().splitlines())
    return sum(int(row[1]) for row in rows if row and row[0] in names)


def cpu_s(pid: int) -> float:
    """Seconds of processor time of a process, in itself and in the kernel, by its own clock of Linux: threads
    that have ended are in it, which a sum over those that run would lose."""
    return time.clock_gettime(~pid << 3 | _OF_SCHEDULER)


def quantile(values: Sequence[float], q: float) -> float:
    """The nearest-rank quantile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-int(q * len(ordered) * 1000) // 1000) - 1))]
