"""Code blocks that run: what they print, how they end, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from runtime.messages import RunSnippet
from runtime.params import Refusal
from runtime.processes import marked
from runtime.snippets import Ended, Snippet, attempt, command

pytestmark = pytest.mark.slow
CLASS = "test-snippets"


def ended(lang: str, source: str, folder: Path, timeout_s: float = 60.0) -> Ended:
    found = asyncio.run(attempt(lang, source, folder, timeout_s, CLASS))
    assert isinstance(found, Ended)
    return found


def test_a_program_with_the_decks_folder_as_its_own(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("word = 'beside'\n")
    (tmp_path / "runtime").mkdir()  # must not shadow ours
    (tmp_path / "runtime" / "guardian.py").write_text("raise SystemExit(9)\n")
    (tmp_path / "runtime" / "__init__.py").touch()
    source = "import sys, os, beside\nprint(beside.word, os.getcwd(), sys.stdin.read() == '')\nsys.exit(3)"
    found = ended("python", source, tmp_path)
    assert (found.state, found.why, found.code) == ("failed", "exit code 3", 3)
    assert found.printed == (f"beside {tmp_path.resolve()} True",)


def test_a_shell(tmp_path: Path) -> None:
    assert ended("bash", "echo $((6*7)); exit 0", tmp_path).printed == ("42",)


def test_what_cannot_run_here() -> None:
    for lang in ("klingon", "\x1b[2J"):
        refused = command(lang)
        assert isinstance(refused, Refusal) and refused.why.isprintable()


# Deaf to TERM, with a child in a session of its own whose parent is gone, and printing without end.
WORST = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.pause()
    os._exit(0)
line = b"\\x1b[2J\\x1b]0;title\\x07 word" * 1000 + b"\\n"
while True:
    os.write(1, line)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_worst_snippet_is_gone_at_its_limit(tmp_path: Path) -> None:
    async def play() -> Snippet:
        snippet = Snippet(RunSnippet("b", "python", WORST, 1.0), (sys.executable,), CLASS)
        await snippet.run(tmp_path)
        return snippet

    snippet = asyncio.run(play())
    assert (snippet.state, snippet.why, snippet.left) == ("failed", "ended at its limit of 1 s", 0)
    assert not list(marked(CLASS))
    assert snippet.printed.first > 0  # more than is kept, and bounded


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_second_stop_does_not_wait_and_a_killed_guardian_leaves_nothing(tmp_path: Path) -> None:
    async def play(kill_guardian: bool) -> Snippet:
        up = asyncio.Event()
        source = WORST.replace("while True:\n    os.write(1, line)", "print('up')\nsignal.pause()")

        def changed(urgent: bool) -> None:
            if snippet.printed.end:
                up.set()

        snippet = Snippet(RunSnippet("b", "python", source, 600.0), (sys.executable, "-u"), CLASS, changed)
        running = asyncio.create_task(snippet.run(tmp_path))
        await asyncio.wait_for(up.wait(), 60)
        if kill_guardian:
            assert snippet.child is not None
            snippet.child.process.kill()
        else:
            await snippet.stop()
            await snippet.stop()
        await asyncio.wait_for(running, 60)
        return snippet

    for kill_guardian, state in ((False, "stopped"), (True, "lost")):
        snippet = asyncio.run(play(kill_guardian))
        assert (snippet.state, snippet.left) == (state, 0)
        assert not list(marked(CLASS))
