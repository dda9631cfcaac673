"""A program in a terminal on a slide: typed into, resized, stopped, and nothing of it left."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.launch.processes import marked
from runtime.protocol.messages import Keys, RunSnippet
from runtime.snippets.language_commands import Executor
from runtime.snippets.terminal import Terminal, command

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]
CLASS = "test-terminals"
PATIENCE_S = 60.0


class Held:
    """A terminal that runs, and waits for what it shows."""

    def __init__(self, folder: Path, *words: str, timeout_s: float = 300.0) -> None:
        self.changed = asyncio.Event()
        wish = RunSnippet("b", "terminal", " ".join(words), timeout_s, True)
        self.terminal = Terminal(wish, Executor(words), CLASS, lambda urgent: self.changed.set())
        self.task = asyncio.create_task(self.terminal.run(folder))

    @property
    def text(self) -> str:
        grid = self.terminal.output(0).screen
        return "" if grid is None else "\n".join("".join(run[0] for run in row) for row in grid.rows)

    async def until(self, seen: Callable[[str], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not seen(self.text):
                assert not self.task.done(), (self.terminal.state, self.terminal.why, self.text)
                await self.changed.wait()
                self.changed.clear()

    def type(self, text: str, columns: int = 0, rows: int = 0) -> None:
        self.terminal.type(Keys("b", text, False, columns, rows))

    async def over(self) -> Terminal:
        async with asyncio.timeout(PATIENCE_S):
            await self.task
        assert not list(marked(CLASS))
        return self.terminal


SH = ("sh", "-c", "PS1='$ ' exec sh -i")


def test_a_shell_is_typed_into_and_knows_the_size_of_its_pane(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()  # must not shadow ours
    (tmp_path / "runtime" / "__init__.py").write_text("raise SystemExit(9)\n")

    async def play() -> None:
        held = Held(tmp_path, *SH)
        await held.until(lambda text: "$" in text)
        held.type("", 50, 9)
        held.type("echo $((6*7)) in `pwd`; stty size; echo \x1b[31m\n")
        await held.until(lambda text: "42 in" in text and "9 50" in text)
        held.type("exit 3\n")
        terminal = await held.over()
        assert (terminal.state, terminal.why, terminal.left) == ("done", "", 0)

    asyncio.run(play())


def test_who_prints_without_end_hears_ctrl_c(tmp_path: Path) -> None:
    async def play() -> None:
        held = Held(tmp_path, *SH)
        await held.until(lambda text: "$" in text)
        held.type("yes flood; echo the end of it\n")
        await held.until(lambda text: text.count("\nflood") > 15)
        held.type("\x03")
        await held.until(lambda text: "$" in text.rstrip().split("\n")[-1])
        await held.terminal.stop()
        await held.terminal.stop()
        terminal = await held.over()
        assert (terminal.state, terminal.left) == ("stopped", 0)

    asyncio.run(play())


# Deaf to every signal that can be ignored, with a child in a session of its own.
DEAF = """
import os, signal
for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(one, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
print("ready", flush=True)
while True:
    signal.pause()
"""


@pytest.mark.parametrize("harm", ["limit", "guardian", "holder"])
def test_nothing_of_it_is_left(tmp_path: Path, harm: str) -> None:
    async def play() -> None:
        held = Held(tmp_path, sys.executable, "-c", DEAF, timeout_s=300.0)
        await held.until(lambda text: text.count("ready") == 2)
        if harm == "limit":
            held.terminal.timeout_s = 0.1
        elif harm == "guardian":
            assert held.terminal.child is not None
            os.kill(held.terminal.child.pid, signal.SIGKILL)
        else:
            holder = next(
                m.own.pid for m in marked(CLASS) if b"runtime.snippets.terminal_process" in _line(m.own.pid)
            )
            os.kill(holder, signal.SIGKILL)
        terminal = await held.over()
        assert terminal.left == 0
        assert terminal.state == {"limit": "failed", "guardian": "lost", "holder": "failed"}[harm]

    asyncio.run(play())


def _line(pid: int) -> bytes:
    """The command line of a process, of its own interpreter: a guardian names it too."""
    line = Path(f"/proc/{pid}/cmdline").read_bytes()
    return b"" if b"runtime.launch.guardian" in line else line


def test_what_cannot_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in ("", "no-such-program-here", "'open", "\x1b[2J"):
        refused = command(source)
        assert isinstance(refused, Refusal) and refused.why.isprintable()
    monkeypatch.setenv("SHELL", "/bin/sh")
    assert command("$SHELL") == Executor(("/bin/sh",))
    assert command("sh -c 'a b'") == Executor(("sh", "-c", "a b"))
    monkeypatch.setattr("runtime.snippets.terminal.find_spec", lambda name: None)
    refused = command("sh")
    assert isinstance(refused, Refusal) and "'pyte<1,>=0.8.2'" in refused.mend


async def test_a_program_that_is_still_starting_is_told_of_its_size_again(tmp_path: Path) -> None:
    counts = "n=0; trap 'n=$((n+1)); echo told $n' WINCH; echo up; while :; do sleep 0.05; done"
    held = Held(tmp_path, "sh", "-c", counts)
    await held.until(lambda text: "up" in text)
    held.type("", 70, 15)
    await held.until(lambda text: "told 2" in text)  # it did not change in between
    await held.terminal.stop()
    await held.over()
