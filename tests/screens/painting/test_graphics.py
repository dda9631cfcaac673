"""Pictures on a screen whose terminal answers, answers late, or does not answer: by a real pty."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import environ, stop_all
from made_pty import Pty
from PIL import Image
from teachrun_process import TEACHRUN

pytestmark = pytest.mark.slow
KITTY = b"\x1bP>|kitty(0.41.1)\x1b\\\x1b[6;20;10t\x1b[?62;52;c"
XTERM = b"\x1bP>|XTerm(379)\x1b\\\x1b[?1;0;256S\x1b[?63;1;2;4;6c"
PLACEHOLDER = "\U0010eeee".encode()
SIXEL = b"\x1bP0;1;0q"
DECK = "# One\n\nFIRST\n\n![red](a.png)\n\n---\n\n# Two\n\nSECOND\n"


class Terminal(Pty):
    """A terminal that can be asked what it is, around the program with a deck of one picture."""

    def __init__(self, home: Path, config: str = "", around: tuple[str, ...] = ()) -> None:
        """`around` is a command that runs the program."""
        Image.new("RGB", (40, 20), (200, 0, 0)).save(home / "a.png")
        (home / "deck.md").write_text(DECK)
        env = {**os.environ, **environ(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        for name in ("TMUX", "TMUX_PANE", "STY", "SSH_CONNECTION", "SSH_TTY", "TERM_PROGRAM", "NO_COLOR"):
            env.pop(name, None)
        self.env = env
        if config:
            folder = Path(env["XDG_CONFIG_HOME"]) / "teachrun"
            folder.mkdir(parents=True)
            (folder / "config.toml").write_text(config)
        argv = [*TEACHRUN, "present", str(home / "deck.md")]
        super().__init__([*around, *argv], env, (30, 90, 900, 600))


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, getattr(request, "param", ""))
    yield opened
    opened.close()
    stop_all(tmp_path)


def test_a_terminal_that_answers_late_gets_the_picture_then_and_no_key(terminal: Terminal) -> None:
    seen = terminal.has(b"FIRST", b"\x1b[>q", "█".encode())  # half blocks, though nobody answered
    assert seen.index(b"FIRST") < seen.index(b"\x1b[>q")  # the first slide waits for nothing
    terminal.send(b"\x1b[6~")
    terminal.has(b"SECOND")
    assert PLACEHOLDER not in terminal.seen
    terminal.send(KITTY[:9])  # in two pieces, with a key behind
    terminal.send(KITTY[9:] + b"\x1b[5~")
    seen = terminal.has(b"FIRST", b"\x1b_Ga=T,U=1,", PLACEHOLDER)
    match = re.search(rb"\x1b_Ga=T,U=1,q=2,f=100,i=(\d+),c=40,r=10,m=0;", seen)
    assert match and seen.index(match[0]) < seen.index(PLACEHOLDER)
    colour = int(match[1]) & 255
    assert b"\x1b[38;5;%dm" % colour + PLACEHOLDER in seen
    terminal.send(b"\x1b[6~")
    terminal.has(b"SECOND", b"slide 2")
    terminal.send(b"q")
    seen = terminal.has(b"\x1b[?1049l")
    assert seen.index(b"\x1b_Ga=d,d=I,q=2,i=" + match[1]) < seen.index(b"\x1b[?1049l")
    assert b"keys you need" not in seen


def test_a_terminal_with_sixels_gets_them_row_by_row(terminal: Terminal) -> None:
    terminal.has(b"\x1b[>q")
    terminal.send(XTERM)
    seen = terminal.until(lambda seen: seen.count(SIXEL) >= 10)
    assert PLACEHOLDER not in seen
    terminal.send(b"?")
    terminal.has(b"keys you need")
    terminal.send(b"x")  # the help is closed: the picture is whole again
    terminal.until(lambda seen: seen.count(SIXEL) >= 10)


@pytest.mark.parametrize("terminal", ['pictures = "sixel"\n'], indirect=True)
def test_whoever_knows_the_terminal_needs_no_answer_of_it(terminal: Terminal) -> None:
    seen = terminal.until(lambda seen: seen.count(SIXEL) >= 10)
    assert b"\x1b[>q" not in seen


@pytest.mark.parametrize("passes", [True, False])
def test_through_tmux_it_reaches_the_terminal_where_that_is_allowed(tmp_path: Path, passes: bool) -> None:
    (tmp_path / "tmux.conf").write_text(f"set -g allow-passthrough {'on' if passes else 'off'}\n")
    server = f"teachrun-{tmp_path.name}-{os.getpid()}"
    tmux = ("tmux", "-L", server, "-f", str(tmp_path / "tmux.conf"))
    terminal = Terminal(tmp_path, around=(*tmux, "new-session"))
    try:
        terminal.has(b"\x1b[>q")  # asked by tmux itself
        terminal.send(KITTY)
        terminal.has(b"FIRST")
        if passes:
            seen = terminal.has(b"\x1b_Ga=T,U=1,", PLACEHOLDER)
            assert b"Ptmux" not in seen  # unwrapped
        else:
            terminal.has("█".encode())
            terminal.send(b"\x1b[6~")
            terminal.has(b"SECOND")
            terminal.send(b"\x1b[5~")
            assert PLACEHOLDER not in terminal.has(b"FIRST", "█".encode())
    finally:
        subprocess.run([*tmux, "kill-server"], capture_output=True, timeout=60)
        terminal.close()
        stop_all(tmp_path)


@pytest.mark.parametrize("terminal", ['pictures = "blocks"\n'], indirect=True)
def test_whoever_wants_half_blocks_is_asked_nothing(terminal: Terminal) -> None:
    terminal.has(b"FIRST", "█".encode())
    terminal.send(b"\x1b[6~")
    seen = terminal.has(b"SECOND")
    assert b"\x1b[>q" not in seen
    config = Path(terminal.env["XDG_CONFIG_HOME"]) / "teachrun" / "config.toml"
    terminal.send(b"\x1b[5~")
    config.write_text('pictures = "auto"\n')  # taken while the class goes on
    terminal.has(b"\x1b[>q")
    terminal.send(KITTY)
    terminal.has(b"\x1b_Ga=T,U=1,", PLACEHOLDER)
