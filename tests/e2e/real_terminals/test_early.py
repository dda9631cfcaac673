"""Between the first slide and the screen: what is typed then, and every way out of it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pyte
import pytest
from folders import environ, own_folders, stop_all

COLUMNS, ROWS = 80, 24
DECK = "\n\n---\n\n".join(f"# Mark {word}\n\nwords" for word in ("one", "two", "three"))
# The import of the screen waits until it is told to go on: the moment in which the slide stands alone.
HELD = """
import sys
from tui import cli
from tui.start import terminal_screen
prepare = terminal_screen.prepare
def held(theme):
    with open(sys.argv[2]) as gate:
        word = gate.read()
    if word == "fail":
        raise RuntimeError("it cannot be imported")
    return prepare(theme)
terminal_screen.prepare = held
sys.exit(cli.main(["present", sys.argv[1]]))
"""


class Early:
    """A program in a terminal, held where its first slide is painted and Textual not imported."""

    def __init__(
        self,
        folder: Path,
        log: Path | None = None,
        deck: str = DECK,
        size: tuple[int, int] = (COLUMNS, ROWS),
        typed: bytes = b"",
    ) -> None:
        file, self.gate = folder / "deck.md", folder / "gate"
        file.write_text(deck)
        os.mkfifo(self.gate)
        self.master, self.slave = pty.openpty()
        self.size(*size)
        self.before = termios.tcgetattr(self.slave)
        self.written = b""
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)

        os.write(self.master, typed)  # while the terminal is still the shell's

        def own_terminal() -> None:
            # As from a shell that is typed into: what runs the tests may be in the background, and ignore it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

        with (log or Path(os.devnull)).open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", HELD, str(file), str(self.gate)],
                stdin=self.slave,
                stdout=self.slave,
                stderr=errors if log else self.slave,
                env=os.environ | environ(folder) | {"TERM": "xterm-256color"},
                preexec_fn=own_terminal,
            )
        self.until(lambda: self.shows("Mark one"))

    def size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def go_on(self, word: str = "") -> None:
        with self.gate.open("w") as gate:
            gate.write(word)

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.screen.display)

    def read(self, wait_s: float, is_so: Callable[[], bool] = lambda: True) -> None:
        """What is written within `wait_s`; `is_so` after every few bytes of it."""
        if select.select([self.master], [], [], wait_s)[0]:
            more = os.read(self.master, 1 << 16)
            self.written += more
            for at in range(0, len(more), 64):
                self.stream.feed(more[at : at + 64])
                assert is_so(), more[: at + 64]

    def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self.read(0.05)

    def ended(self) -> int:
        self.until(lambda: self.process.poll() is not None)
        self.read(0.1)
        return self.process.returncode

    def is_as_before(self) -> bool:
        """The terminal is out of the alternate screen, with its cursor and its modes."""
        out = self.written
        return (
            out.rfind(b"\x1b[?1049l") > out.rfind(b"\x1b[?1049h")
            and out.rfind(b"\x1b[?25h") > out.rfind(b"\x1b[?25l")
            and termios.tcgetattr(self.slave) == self.before
        )

    def close(self) -> None:
        if self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def early() -> Iterator[Early]:
    with own_folders() as home:
        early = Early(home)
        try:
            yield early
        finally:
            early.close()
            stop_all(home)


DECKS = {
    "words and code": "# Mark one\n\nwords\n\n```python\nx = 1\n```\n",
    "demo": "# Mark one\n\n::: demo ddp ranks=2 steps=3\n",
}


@pytest.mark.parametrize(("kind", "size"), [("words and code", (160, 45)), ("demo", (80, 24))])
def test_the_slide_stands_while_the_screen_takes_over(kind: str, size: tuple[int, int]) -> None:
    """Byte for byte: none of its rows is blank, or another, at any moment."""
    with own_folders() as home:
        early = Early(home, deck=DECKS[kind], size=size)
        try:
            early.until(lambda: early.shows("slide 1/"))
            slide = early.screen.display[: size[1] - 4]
            early.go_on()
            while "\x1b]22;" not in early.written.decode(errors="replace"):  # the screen is there
                early.read(0.05, lambda: early.screen.display[: size[1] - 4] == slide)
            for _ in range(20):
                early.read(0.05, lambda: early.screen.display[: size[1] - 4] == slide)
        finally:
            early.close()
            stop_all(home)


def test_what_is_typed_before_the_screen_is_there_is_done_by_it(early: Early) -> None:
    shown = list(early.screen.display)
    os.write(early.master, b"\x1b[C\x1b[C")
    early.read(0.2)
    assert list(early.screen.display) == shown  # no echo of it on the slide
    early.go_on()
    early.until(lambda: early.shows("slide 3/3"))


def test_a_window_made_smaller_meanwhile_is_filled_as_it_is_then(early: Early) -> None:
    early.size(60, 20)
    early.screen.resize(20, 60)
    early.go_on()
    early.until(lambda: "slide 1/3" in early.screen.display[19])
    assert early.shows("Mark one")


@pytest.mark.parametrize("key", [b"\x03", b""])
def test_who_leaves_at_once_has_a_terminal_as_before(early: Early, key: bytes) -> None:
    if key:
        os.write(early.master, key)
    else:
        early.process.send_signal(signal.SIGTERM)
    assert early.ended() == (130 if key else 128 + signal.SIGTERM)
    assert early.is_as_before()


def test_what_fails_is_told_on_a_terminal_as_before(early: Early) -> None:
    early.go_on("fail")
    assert early.ended() == 1
    assert early.is_as_before()
    assert early.written.index(b"it cannot be imported") > early.written.index(b"\x1b[?1049l")


def test_errors_sent_to_a_file_leave_the_slide_where_it_is() -> None:
    with own_folders() as home:
        early = Early(home, log=home / "log")
        try:
            os.write(early.master, b"\x1b[C")
            early.go_on()
            early.until(lambda: early.shows("Mark two"))
            assert early.written.count(b"\x1b[?1049h") == 1
        finally:
            early.close()
            stop_all(home)


def test_enter_typed_before_the_program_began_is_enter() -> None:
    """Until then the terminal makes a line feed of it."""
    with own_folders() as home:
        early = Early(home, typed=b"g3\r")
        try:
            early.go_on()
            early.until(lambda: early.shows("slide 3/3"))
        finally:
            early.close()
            stop_all(home)
