"""What users get wrong and machines refuse, done to the running program in real terminals and pipes."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest
from bad_input import EVIL
from folders import none_left
from teachrun_process import TEACHRUN, teachrun
from tmux import Tmux

pytestmark = pytest.mark.slow


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
        [*TEACHRUN, "present", "--console", str(home / "deck.md")],
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
                    break
        assert until in seen[begin:], seen[-500:]

    read(b"PWNED")
    read(b"torch")  # a console says how it is: there is a class to end
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
        teacher.until("the old deck stays")
        deck.write_text("# One\n\n" + "x" * 10_000_000)
        teacher.keys("C-r")
        teacher.until("at most 20000 are read")
        deck.write_text("# One\n\n::: wibble\n\n::: demo ddpd\n\n::: demo ddp ranks=999\n")
        teacher.keys("C-r")
        text = teacher.until("from 1 to 64")
        assert "did you mean ddp?" in text and "from 1 to 64" in text
        other = tmux.open("present", "--class", "one", "deck.md", cwd=home)
        other.until("unknown directive")
        tmux.call("send-keys", "-t", teacher.id, *(["Right", "Left", "d", "T", "c"] * 40))
        for size in ((20, 5), (3, 2), (160, 45), (80, 24)):
            teacher.resize(*size)
            time.sleep(0.2)
        teacher.until("unknown directive|no demo named")  # whichever part the layout that `c` left shows
        teacher.keys("q")
        teacher.until("other consoles still open: 1")
        other.keys("q")
        other.until("nothing left")
    assert none_left(home)


def test_a_screen_is_painted_on_the_terminal_wherever_its_errors_go(home: Path) -> None:
    with Tmux(home) as tmux:
        pane = tmux.open("present", "deck.md", cwd=home, errors=home / "errors")
        pane.until("FIRST-WORDS")
        pane.keys("Right")
        pane.until("SECOND-WORDS")
        pane.keys("q")
        pane.until("EXIT=0")
    assert "\x1b" not in (home / "errors").read_text()


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


def test_a_signal_ends_a_run_and_its_ranks(home: Path) -> None:
    """Three runs at once: only those that are told to end; of one that is killed nothing is left."""
    command = [*TEACHRUN, "run", "ddp", "ranks=2", "steps=100000", "--jsonl", "-"]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home)
        for _ in range(3)
    ]
    for run in runs:
        assert run.stdout is not None
        next(line for line in run.stdout if json.loads(line)["type"] == "step")
    *told, other = runs
    for run, how in zip(told, (signal.SIGTERM, signal.SIGHUP), strict=True):
        run.send_signal(how)
        _, said = run.communicate(timeout=90)
        assert run.returncode == 130
        assert f"ended by {how.name}" in said and "all 2 ranks are gone" in said
    assert other.poll() is None and other.stdout is not None
    next(line for line in other.stdout if json.loads(line)["type"] == "step")
    other.kill()
    other.communicate()
    assert none_left(home, within_s=10.0)


def test_a_full_disk_ends_a_run_only_if_somebody_wanted_the_events(home: Path) -> None:
    code, _, err = teachrun("run", "ddp", "ranks=2", "steps=100000", "--jsonl", "/dev/full")
    assert code == 1
    assert err.count("No space left on device") == 1 and "all 2 ranks are gone" in err
    assert none_left(home)


# --- scripts ----------------------------------------------------------------------------------------------
