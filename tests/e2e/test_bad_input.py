"""What users get wrong and machines refuse, done to the running program in real terminals and pipes."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tmux import Tmux

from runtime.processes import marked

pytestmark = pytest.mark.slow
EVIL = "\x1b]0;PWNED\x07\x1b[2JPWNED\x9b31m\x9dPWNED\x9c\u202e"
DECK = "# One\n\nFIRST-WORDS\n\n---\n\n# Two\n\nSECOND-WORDS\n"
PROGRAM = [sys.executable, "-P", "-m", "tui.cli"]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders of our own, and at the end nothing that runs in them."""
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        for name in ("STATE", "DATA", "CONFIG"):
            monkeypatch.setenv(f"XDG_{name}_HOME", f"{folder}/{name.lower()}")
        (Path(folder) / "deck.md").write_text(DECK)
        yield Path(folder)
        subprocess.run([*PROGRAM, "stop", "--all"], capture_output=True, timeout=30)


def ours(home: Path) -> list[int]:
    return [m.own.pid for m in marked() if m.environ.get("XDG_STATE_HOME") == str(home / "state")]


def none_left(home: Path, within_s: float = 3.0) -> bool:
    end = time.monotonic() + within_s
    while ours(home) and time.monotonic() < end:
        time.sleep(0.05)
    return not ours(home)


def test_every_byte_of_an_evil_deck_is_tamed(home: Path) -> None:
    """The bytes that reach the terminal: slides, notes, the list, a demo that cannot start, a question."""
    (home / "deck.md").write_text(
        f"---\ntitle: T{EVIL}\n---\n# Head {EVIL}\n\ntext {EVIL} **b{EVIL}** `c{EVIL}` $x{EVIL}$\n\n"
        f"<!-- notes: note {EVIL} -->\n\n| a{EVIL} | b |\n|---|---|\n| c | d |\n\n"
        f'```python\nprint("{EVIL}")\n```\n\n::: demo ddp ranks={EVIL}\n\n::: {EVIL} a={EVIL}\n\n---\n\n'
        f"<!-- slide: {{section: S{EVIL}}} -->\n# Q {EVIL}\n\n::: quiz {{#q kind=single}}\nStem {EVIL}\n\n"
        f"- [x] one {EVIL}\n  > why {EVIL}\n- [ ] two\n:::\n\nLAST-WORDS\n",
        encoding="utf-8",
    )
    screen, program = pty.openpty()
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    process = subprocess.Popen(
        [*PROGRAM, "present", "--console", str(home / "deck.md")],
        stdin=program,
        stdout=program,
        stderr=program,
        env=env,
        start_new_session=True,
    )
    os.close(program)
    seen = b""

    def read(until: bytes, seconds: float = 30.0) -> None:
        nonlocal seen
        begin, end = len(seen), time.monotonic() + seconds
        while until not in seen[begin:] and time.monotonic() < end:
            if select.select([screen], [], [], 0.2)[0]:
                try:
                    seen += os.read(screen, 65536)
                except OSError:
                    return
        assert until in seen[begin:], seen[-500:]

    read(b"PWNED")
    for keys, answer in ((b"d", b"PWNED"), (b"g", b"go to"), (b"\x1b", b""), (b"\x1b[6~", b"LAST-WORDS")):
        os.write(screen, keys)
        read(answer)
    for keys in (b"2", b"\r", b"e"):
        os.write(screen, keys)
        read(b"\x1b[")
    os.write(screen, b"q")
    read(b"nothing left")
    assert process.wait(10) == 0
    os.close(screen)
    text = seen.decode()
    assert "\x1b]0;" not in text and "\x1b[2JPWNED" not in text
    assert not any(c in text for c in "\x9b\x9c\x9d\u202e")
    assert none_left(home)


def test_a_screen_without_usable_folders_shows_slides_and_says_what_to_do(home: Path) -> None:
    (home / "file").write_text("")
    with Tmux(home) as tmux:
        tmux.env["XDG_DATA_HOME"] = str(home / "file")  # the host finds out, not the screen
        teacher = tmux.open("present", str(home / "deck.md"))
        teacher.until("FIRST-WORDS")
        teacher.until("not connected")
        teacher.until("the host cannot run: cannot use")
        teacher.keys("Right")
        teacher.until("SECOND-WORDS")
        teacher.keys("q")
        teacher.until("this screen had no class")
        teacher.until("EXIT=0")
    assert none_left(home)


def test_a_screen_survives_its_deck_its_environment_and_a_flood_of_keys(home: Path) -> None:
    deck = home / "deck.md"
    for room in ("runtime", "slides", "tui", "quiz"):  # a folder of the user's with our names in it
        (home / room).mkdir()
        (home / room / "__init__.py").write_text("raise SystemExit('the wrong package')")
    with Tmux(home, 80, 24) as tmux:
        tmux.env |= {"COLUMNS": "30", "LINES": "5", "NO_COLOR": "1"}
        teacher = tmux.open("present", "--class", "one", "deck.md", cwd=home)
        teacher.until("FIRST-WORDS")
        assert "slide 1/2" in teacher.text()  # the terminal's size, not the environment's
        deck.unlink()
        teacher.keys("C-r")
        teacher.until("the deck shown stays")
        deck.write_text("# One\n\n" + "x" * 10_000_000)
        teacher.keys("C-r")
        teacher.until("at most 20000 are read")
        deck.write_text("# One\n\n::: wibble\n\n::: demo dpd\n\n::: demo ddp ranks=999\n")
        teacher.keys("C-r")
        text = teacher.until("from 1 to 64")
        assert "did you mean ddp?" in text and "from 1 to 64" in text
        other = tmux.open("present", "--class", "one", "deck.md", cwd=home)
        other.until("unknown directive")
        tmux._tmux("send-keys", "-t", teacher.id, *(["Right", "Left", "d", "T", "c"] * 40))
        for size in ((20, 5), (3, 2), (160, 45), (80, 24)):
            teacher.resize(*size)
            time.sleep(0.2)
        teacher.until("unknown directive")
        teacher.keys("q")
        teacher.until("the class goes on at 1 other")
        other.keys("q")
        other.until("nothing left")
    assert none_left(home)


def test_a_torn_journal_resumes_from_what_is_whole(home: Path) -> None:
    folder = home / "data" / "teachrun" / "classes" / "torn"
    folder.mkdir(parents=True)
    move = {"do": "move", "slide": "two", "step": 0}
    whole = {"seq": 1, "t": 1.0, "screen": "a", "visible": "all", "action": move}
    lines = [
        os.urandom(300),
        json.dumps(whole).encode(),
        b"[]",
        b'{"seq": 2, "action": {"do": "nope"}}',
        b'{"se',
    ]
    (folder / "journal.jsonl").write_bytes(b"\n".join(lines))
    with Tmux(home) as tmux:
        teacher = tmux.open("attach", "--class", "torn")
        teacher.until("Class torn")
        presenter = tmux.open("present", "--class", "torn", str(home / "deck.md"))
        presenter.until("SECOND-WORDS")
        teacher.until("SECOND-WORDS")
    assert b'{"se\n' in (folder / "journal.jsonl").read_bytes()  # nothing was rewritten


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_and_its_ranks(home: Path, how: signal.Signals) -> None:
    """Two runs at once: only the one that is told to ends."""
    command = [*PROGRAM, "run", "ddp", "ranks=2", "steps=100000", "--jsonl", "-"]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home)
        for _ in range(2)
    ]
    for run in runs:
        assert run.stdout is not None
        next(line for line in run.stdout if json.loads(line)["type"] == "step")
    runs[0].send_signal(how)
    _, said = runs[0].communicate(timeout=30)
    assert runs[0].returncode == 130
    assert f"ended by {how.name}" in said and "all 2 ranks are gone" in said
    assert runs[1].poll() is None and runs[1].stdout is not None
    next(line for line in runs[1].stdout if json.loads(line)["type"] == "step")
    runs[1].kill()
    runs[1].communicate()
    assert none_left(home)


def test_a_full_disk_ends_a_run_only_if_somebody_wanted_the_events(home: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "run", "ddp", "ranks=2", "steps=100000", "--jsonl", "/dev/full"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.count("No space left on device") == 1 and "all 2 ranks are gone" in done.stderr
    assert none_left(home)
