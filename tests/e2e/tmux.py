"""A real terminal for end-to-end tests: tmux, its keys and its screen."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from folders import environ
from read_letters import read
from teachrun_process import TEACHRUN


class Tmux:
    """A private tmux server with one window per `open`; everything in it dies with the `with` block."""

    def __init__(self, home: Path, cols: int = 100, rows: int = 30) -> None:
        self.name = f"teachrun-{uuid.uuid4().hex[:8]}"
        self.cols, self.rows = cols, rows
        self.env = {
            "LANG": "C.UTF-8",
            "COLORTERM": "truecolor",
            **environ(home),
        }

    def __enter__(self) -> Tmux:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.call("kill-server", check=False)

    def call(self, *args: str, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.name, "-f", "/dev/null", *args], capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise RuntimeError(f"tmux {args}: {done.stderr}")
        return done.stdout

    def open(
        self, *args: str, cwd: Path | None = None, errors: Path | None = None, script: Path | None = None
    ) -> Pane:
        """Run `teachrun ARGS` in a new window; the shell after it shows the exit code.

        `errors`: where its stderr goes instead of the terminal. `script`: runs in place of teachrun.
        """
        what = TEACHRUN if script is None else (sys.executable, "-P", str(script))
        program = shlex.join([*what, *args])
        program += f" 2>{shlex.quote(str(errors))}" if errors is not None else ""
        exports = " ".join(f"{key}={shlex.quote(value)}" for key, value in self.env.items())
        where = shlex.quote(str(cwd or Path.cwd()))
        # The size is the terminal's: test runners export their own.
        command = f"cd {where}; unset COLUMNS LINES; {exports} {program}; echo EXIT=$?; exec cat"
        first = not self.call("list-windows", check=False)
        if first:
            size = ("-x", str(self.cols), "-y", str(self.rows))
            self.call("new-session", "-d", *size, "-P", "-F", "#{pane_id}", command)
            self.call("set-option", "-g", "default-terminal", "tmux-256color")
            pane = self.call("list-panes", "-F", "#{pane_id}").strip()
        else:
            pane = self.call("new-window", "-d", "-P", "-F", "#{pane_id}", command).strip()
        opened = Pane(self, pane)
        opened.resize(self.cols, self.rows)  # else tmux makes every window of a detached session 80x24
        return opened


class Pane:
    def __init__(self, tmux: Tmux, id: str) -> None:
        self.tmux, self.id = tmux, id

    def text(self) -> str:
        return self.tmux.call("capture-pane", "-p", "-t", self.id)

    def keys(self, *keys: str) -> None:
        """tmux key names: Right, PageDown, Enter, Escape, or the character itself."""
        for key in keys:
            self.tmux.call("send-keys", "-t", self.id, key)
            time.sleep(0.05)  # two keys in one read are not two presses

    def until(self, want: str | Callable[[str], object], timeout: float = 120.0) -> str:
        """The screen once it matches (a regular expression, or a predicate)."""
        fits = want if callable(want) else (lambda text: re.search(want, read(text)))
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            text = self.text()
            if fits(text):
                return text
            time.sleep(0.03)
        raise AssertionError(f"never on screen: {want}\n{self.text()}")

    def resize(self, cols: int, rows: int) -> None:
        self.tmux.call("resize-window", "-t", self.id, "-x", str(cols), "-y", str(rows))

    @property
    def pid(self) -> int:
        """The Python process in the pane (the shell's child)."""
        shell = int(self.tmux.call("display-message", "-p", "-t", self.id, "#{pane_pid}"))
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(children[0]) if children else shell


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
