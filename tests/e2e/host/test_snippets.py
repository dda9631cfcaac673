"""Code blocks that run: what they print, how they end, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.launch.processes import marked
from runtime.protocol.messages import RunSnippet
from runtime.snippets.language_commands import Executor, executor
from runtime.snippets.running_code_block import Ended, Snippet, attempt

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
        refused = executor(lang)
        assert isinstance(refused, Refusal) and refused.why.isprintable() and refused.mend.isprintable()


HELLO = {
    "c": '#include <stdio.h>\nint main(void) { puts("42"); }',
    "c++": "#include <iostream>\nint main() { std::cout << 42 << std::endl; }",
    "rust": 'fn main() { println!("42"); }',
    "go": 'package main\nimport "fmt"\nfunc main() { fmt.Println(42) }',
    "ts": "const answer: number = 42;\nconsole.log(answer)",
    "sql": "create table t(a); insert into t values (42); select a as '42' from t limit 0; select 42;",
    "cu": '#include <cstdio>\nint main() { puts("42"); }',
}


@pytest.mark.parametrize("lang", HELLO)
def test_a_language_runs_where_its_program_is(lang: str, tmp_path: Path) -> None:
    if isinstance(executor(lang), Refusal):
        pytest.skip(f"nothing here runs {lang}")
    found = ended(lang, HELLO[lang], tmp_path)
    assert (found.state, found.printed[-1:]) == ("done", ("42",)), found
    assert list(tmp_path.iterdir()) == []  # what was built is not left beside the deck


def test_what_does_not_compile_fails_with_the_compilers_words(tmp_path: Path) -> None:
    if isinstance(executor("c"), Refusal):
        pytest.skip("no C compiler here")
    found = ended("c", "int main(void) { return unknown; }", tmp_path)
    assert found.state == "failed" and any("unknown" in line for line in found.printed)


def test_languages_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = tmp_path / "teachrun" / "config.toml"
    config.parent.mkdir()
    config.write_text('[run.words]\ncommand = "wc -w"\nsuffix = ".txt"\n[run.broken]\nsuffix = 3\n'
                      '[run.gone]\ncommand = "no-such-program {file}"\n')  # fmt: skip
    found = ended("words", "three words here", tmp_path)
    assert found.state == "done" and found.printed[0].split()[0] == "3"
    assert found.printed[0].endswith("snippet.txt")
    broken, gone = executor("broken"), executor("gone")
    assert isinstance(broken, Refusal) and "[run.broken]" in broken.mend
    assert isinstance(gone, Refusal) and gone.why == "no-such-program is not installed"
    for broken_file in ("[run\n", "x = " + "[" * 3000):
        config.write_text(broken_file)
        assert isinstance(executor("words"), Refusal)


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
        snippet = Snippet(RunSnippet("b", "python", WORST, 1.0), Executor((sys.executable,), ".py"), CLASS)
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

        snippet = Snippet(
            RunSnippet("b", "python", source, 600.0), Executor((sys.executable, "-u"), ".py"), CLASS, changed
        )
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
