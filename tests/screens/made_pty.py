"""A program in a real pseudo terminal: what it has written since the last key, and keys typed into it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence


class Pty:
    """A child at the other end. `size`: rows, columns, and their pixels."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        size: tuple[int, int, int, int] = (24, 80, 0, 0),
        ignore_hup: bool = False,
    ) -> None:
        self.seen, self.gone = b"", False
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if ignore_hup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.execvpe(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size))

    def read(self, seconds: float) -> bool:
        """Read once; whether there was anything within so long, and somebody who might write."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.fd, 65536)
        except OSError:
            self.gone = True
        return not self.gone

    def until(self, met: Callable[[bytes], object], seconds: float = 120.0) -> bytes:
        until = time.monotonic() + seconds
        while not (met(self.seen) or self.gone) and time.monotonic() < until:
            self.read(0.2)
        assert met(self.seen), self.seen[-3000:]
        return self.seen

    def has(self, *parts: bytes) -> bytes:
        return self.until(lambda seen: all(part in seen for part in parts))

    def send(self, keys: bytes) -> None:
        self.seen = b""
        os.write(self.fd, keys)

    def ended(self, seconds: float = 15.0) -> int | None:
        """The exit status, None when it still runs after `seconds`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.fd >= 0 and self.read(0):  # its last words may still lie in the terminal
                    pass
                return status
            if self.fd < 0 or not self.read(0.1):
                time.sleep(0.05)
        return None

    def hang_up(self) -> None:
        os.close(self.fd)
        self.fd = -1

    def close(self) -> None:
        """End it, if it has not ended."""
        for end in (lambda: os.kill(self.pid, signal.SIGKILL), lambda: os.waitpid(self.pid, 0)):
            try:
                end()
            except (ProcessLookupError, ChildProcessError):
                pass
        if self.fd >= 0:
            self.hang_up()
