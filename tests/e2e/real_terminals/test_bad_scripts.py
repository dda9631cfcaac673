"""Scripts that fail, flood, hang or hide, run by the program as people run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bad_input import EVIL
from folders import none_left
from teachrun_process import TEACHRUN, Ended, teachrun

pytestmark = pytest.mark.slow


def run_script(home: Path, source: str | bytes, *words: str, name: str = "theirs.py") -> Ended:
    """What `teachrun run` on a script comes to."""
    file = home / name
    if isinstance(source, str):
        source = source.encode()
    file.write_bytes(source)
    return teachrun("run", f"./{name}", "ranks=2", *words, cwd=home)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("./nothing.py", "there is no script ./nothing.py: write a path as seen from"),
        ("./folder", "./folder is a folder: name a script in it"),
        ("./locked.py", "./locked.py cannot be read: Permission denied"),
        ("./deck.md/x.py", "cannot be read: Not a directory"),
    ],
)
def test_a_script_that_cannot_be_read_is_one_line_and_status_2(home: Path, name: str, says: str) -> None:
    (home / "folder").mkdir()
    (home / "locked.py").write_text("")
    (home / "locked.py").chmod(0)
    if name == "./locked.py" and os.access(home / "locked.py", os.R_OK):
        pytest.skip("root reads everything")
    code, out, err = teachrun("run", name, cwd=home)
    assert (code, out) == (2, "")
    assert says in err and len(err.splitlines()) == 1


def test_words_a_script_does_not_know(home: Path) -> None:
    (home / "a.py").write_text("TEACHRUN_PARAMS = {'lr': 0.1}\n")
    for word, says in (
        ("lrr=1", "a.py declares no parameter lrr: did you mean lr?"),
        ("depth=1", "write the script's own arguments behind --"),
        ("lr=fast", "lr=fast cannot be used: write lr= with a number"),
        ("launcher=stage", "a.py declares no parameter launcher"),
        ("python=/no/where", "python=/no/where is not a program"),
    ):
        code, _, err = teachrun("run", "a.py", word, cwd=home)
        assert code == 2 and says in err, err


@pytest.mark.parametrize(
    ("source", "status", "says"),
    [
        (
            "import sys; print('bye'); sys.exit(3)",
            1,
            ("left with exit code 3 (before its first step)", "bye"),
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 1, ("was killed by SIGSEGV",)),
        (b"\x7fELF\x00\xff\xfe", 1, ("SyntaxError", "null bytes")),
        (f"raise ValueError({EVIL!r})", 1, ("rank ", "ValueError: ", "PWNED")),
    ],
    ids=["exits 3", "crashes", "binary", "evil"],
)
def test_a_script_that_never_trains(
    home: Path, source: str | bytes, status: int, says: tuple[str, ...]
) -> None:
    code, _, said = run_script(home, source)
    assert code == status, said
    assert all(words in said for words in says), said
    assert "\x1b" not in said and not any(c in said for c in "\x9b\x9c\x9d\u202e")
    assert none_left(home)


def test_a_script_that_prints_without_end_and_escape_sequences(home: Path) -> None:
    source = f"""
import os, sys
line = {EVIL!r} + "x" * 1000
for n in range(50_000):
    print(n, line)
print("LAST-WORDS", os.environ["RANK"], file=sys.stderr)
"""
    code, out, said = run_script(home, source)
    assert code == 0, said
    assert "LAST-WORDS" in said and "no training seen" in said
    assert "\x1b" not in out + said and "\x9b" not in out + said
    [run] = (home / "data" / "teachrun" / "runs").iterdir()
    logs = sorted((run / "log").glob("rank-*"))
    assert [log.name for log in logs] == ["rank-0.log", "rank-0.log.1", "rank-1.log", "rank-1.log.1"]
    assert sum(log.stat().st_size for log in logs) <= 33 << 20  # of more than 100 MB
    head, *lines = (run / "log" / "rank-0.log").read_text().splitlines()
    assert head.startswith("teachrun: the 8192 KB before this are in rank-0.log.1, ") and "dropped" in head
    assert lines[-1] == "LAST-WORDS 0" and lines[-2].startswith("49999 ")
    assert none_left(home)


def test_what_a_script_forks_ends_with_it(home: Path) -> None:
    """Deaf grandchildren in sessions of their own; their mark finds them, they are gone at the end."""
    source = """
import os, signal, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)
    os._exit(0)
subprocess.Popen(["sleep", "1000"], start_new_session=True)
"""
    code, _, said = run_script(home, source)
    assert code == 0, said
    assert none_left(home, within_s=5.0)


def test_a_stopped_script_may_tidy_up_and_one_that_is_deaf_is_killed_after_three_seconds(home: Path) -> None:
    """One rank has a handler of its own for TERM, the other ignores it."""
    (home / "stopped.py").write_text(
        "import os, pathlib, signal, sys, time\n"
        "def tidy(*_):\n    pathlib.Path('tidied').touch()\n    sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, tidy if os.environ['RANK'] == '1' else signal.SIG_IGN)\n"
        "print('UP', flush=True)\nwhile True: time.sleep(0.1)\n"
    )
    command = [*TEACHRUN, "run", "stopped.py", "ranks=2", "--jsonl", "-"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home)
    assert run.stdout is not None
    up = (line for line in run.stdout if json.loads(line)["type"] == "log" and "UP" in line)
    next(up), next(up)
    asked = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=90)
    assert run.returncode == 130 and "all 2 ranks are gone" in said
    assert time.monotonic() - asked > 2.9  # it was asked first
    assert (home / "tidied").exists()
    assert none_left(home, within_s=5.0)


def test_a_script_with_modules_named_as_ours_and_an_interpreter_without_msgspec(home: Path) -> None:
    """It finds its own `runtime` and `quiz`; the probe speaks JSON; arguments and folder are its own."""
    for room in ("runtime", "quiz", "slides", "tui"):
        (home / room).mkdir()
        (home / room / "__init__.py").write_text(f"whose = 'their {room}'\n")
    lacking = home / "lacking"
    lacking.mkdir()
    (lacking / "msgspec.py").write_text("raise ImportError('not here')\n")
    python = home / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={lacking} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    source = """
import os, sys
import runtime, quiz, slides, tui
import torch
print([m.whose for m in (runtime, quiz, slides, tui)], sys.argv[1:], os.path.basename(os.getcwd()))
assert sys.path[0] == os.path.dirname(os.path.abspath(__file__))
assert not any("runtime" in name and name.split(".")[0] not in ("runtime", "_teachrun", "torch") and
    "teachrun" in str(getattr(module, "__file__", "")) for name, module in sys.modules.items())
weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.5)
for _ in range(3):  # never calls init_process_group
    optimizer.zero_grad()
    (weight ** 2).sum().backward()
    optimizer.step()
"""
    events = home / "events.jsonl"
    words = (f"python={python}", "--json", "--jsonl", str(events), "--", "--start", "a b", "--ranks=9", "-m")
    code, out, said = run_script(home, source, *words)
    assert code == 0, said
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert {event["codec"] for event in told if event["type"] == "hello"} == {"json"}
    [line] = {event["line"] for event in told if event["type"] == "log"}
    their = "['their runtime', 'their quiz', 'their slides', 'their tui']"
    assert line == f"{their} ['--start', 'a b', '--ranks=9', '-m'] {home.name}"
    found = json.loads(out)
    assert [(row["steps"], row["params_bytes"]) for row in found["ranks"]] == [(3, 12)] * 2
    assert "rendezvous" not in found["launch_s"] and found["collectives"] == 0
    assert none_left(home)


def test_an_interpreter_without_torch_says_so(home: Path) -> None:
    python = home / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    code, _, said = run_script(home, "print('never')", f"python={python}")
    assert code == 1 and "saying: " in said and "torch" in said
    assert none_left(home)
