"""A real terminal around the program: it starts, steps, and leaves no trace whichever way it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import at_slide, environ
from waiting import wait

pytestmark = pytest.mark.slow
DECK = "# One {#one}\n\nFIRST-WORDS\n\n---\n\n# Two {#two}\n\nSECOND-WORDS\n"


class Terminal:
    """A child in a pseudo terminal; `wait_for` reads until some bytes were written."""

    def __init__(self, argv: list[str], env: dict[str, str], ignore_hup: bool = False) -> None:
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if ignore_hup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.execvpe(argv[0], argv, {**os.environ, **env, "TERM": "xterm-256color"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def wait_for(self, what: bytes, seconds: float = 40.0) -> bytes:
        until = time.monotonic() + seconds
        while what not in self.seen and time.monotonic() < until:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        assert what in self.seen, self.seen[-2000:]
        return self.seen

    def send(self, keys: bytes) -> None:
        self.seen = b""
        os.write(self.fd, keys)

    def ended(self, seconds: float = 15.0) -> int | None:
        """The exit status, None when it still runs after `seconds`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._drain()  # its last words may still lie in the terminal
                return status
            if self.fd >= 0 and select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    time.sleep(0.05)
            elif self.fd < 0:
                time.sleep(0.05)
        return None

    def _drain(self) -> None:
        while self.fd >= 0 and select.select([self.fd], [], [], 0)[0]:
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                return

    def hang_up(self) -> None:
        os.close(self.fd)
        self.fd = -1


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Terminals to fill; what is left of them and of their classes is ended afterwards."""
    (tmp_path / "deck.md").write_text(DECK)
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        try:
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        if terminal.fd >= 0:
            os.close(terminal.fd)
    import subprocess

    stop = [sys.executable, "-m", "tui.cli", "stop", "--all"]
    subprocess.run(stop, env={**os.environ, **environ(tmp_path)}, capture_output=True, timeout=60)


def open_deck(tmp_path: Path, shown: list[Terminal], ignore_hup: bool = False) -> Terminal:
    argv = [sys.executable, "-m", "tui.cli", "present", str(tmp_path / "deck.md")]
    terminal = Terminal(argv, environ(tmp_path), ignore_hup)
    shown.append(terminal)
    terminal.wait_for(b"FIRST-WORDS")
    return terminal


def test_it_steps_and_quits_and_says_what_was_ended(tmp_path: Path, shown: list[Terminal]) -> None:
    terminal = open_deck(tmp_path, shown)
    terminal.send(b"\x1b[6~")
    terminal.wait_for(b"SECOND-WORDS")
    wait(lambda: at_slide(tmp_path, "two"))
    terminal.send(b"q")
    status = terminal.ended(20)
    assert status is not None and os.waitstatus_to_exitcode(status) == 0
    assert b"\x1b[?1049l" in terminal.seen and b"nothing left" in terminal.seen


def test_a_termination_signal_restores_the_terminal(tmp_path: Path, shown: list[Terminal]) -> None:
    terminal = open_deck(tmp_path, shown)
    terminal.send(b"\x1b[6~")
    terminal.wait_for(b"SECOND-WORDS")
    wait(lambda: at_slide(tmp_path, "two"))
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.ended() is not None
    assert b"\x1b[?1049l" in terminal.seen and b"the class goes on" in terminal.seen


@pytest.mark.parametrize("ignore_hup", [False, True])
def test_a_terminal_that_goes_away_ends_the_screen(
    tmp_path: Path, shown: list[Terminal], ignore_hup: bool
) -> None:
    terminal = open_deck(tmp_path, shown, ignore_hup)
    terminal.hang_up()
    assert terminal.ended() is not None
