"""A screen recorded in a real terminal: the recording shows what the terminal showed, to asciinema too."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyte
import pytest
from read_letters import read as read_letters
from terminal import UNKNOWN  # what the screen model does not know
from tmux import Pane, Tmux
from waiting import wait

from tui.recording.cast import read

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

DECK = """---
title: A short class
---
# Opening {#opening}

Words with **weight**, समझो, 数字 and an arrow →.

<!-- notes: Welcome to everybody. -->

---

# Second {#second}

| rank | loss |
|------|------|
| 0    | 2.5  |

---

# Third {#third}

The last words.
"""


def recording(home: Path) -> Path:
    (cast,) = home.glob("data/teachrun/classes/*/recordings/*.cast")
    return cast


def joined(tmux: Tmux, home: Path) -> Pane:
    """A class whose screen has been welcomed by its host."""
    pane = tmux.open("present", str(home / "deck.md"))
    pane.until("Words with weight")
    journals = "data/teachrun/classes/*/journal.jsonl"
    wait(lambda: any('"do":"deck"' in journal.read_text() for journal in home.glob(journals)))
    return pane


def begin(tmux: Tmux, home: Path) -> Pane:
    """One whose screen is being recorded."""
    pane = joined(tmux, home)
    pane.keys("v")
    pane.until("Esc cancels")
    pane.until("● REC 00:")
    return pane


def pictures(cast: Path) -> pyte.Screen:
    """The terminal as the recording leaves it."""
    header, events = read(cast)
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.ByteStream(screen)
    for _, code, data in events:
        if code == "o":
            stream.feed(UNKNOWN.sub(b"", data.encode()))
        elif code == "r":
            cols, rows = map(int, data.split("x"))
            screen.resize(rows, cols)
    return screen


def lines(text: str) -> list[str]:
    return [row.rstrip() for row in text.split("\n")]


def shown(screen: pyte.Screen) -> list[str]:
    # A wide character's second cell is empty in the model and not there in tmux's text.
    return [
        "".join(screen.buffer[y][x].data for x in range(screen.columns)).rstrip() for y in range(screen.lines)
    ]


def test_what_was_recorded_is_what_was_on_the_terminal(deck_home: Path) -> None:
    with Tmux(deck_home, 90, 26) as tmux:
        pane = begin(tmux, deck_home)
        pane.keys("Right")
        pane.until("rank")
        pane.keys("?")
        pane.until("closes")
        pane.keys("x")
        pane.resize(100, 30)
        pane.until(r"slide 2/3")
        pane.keys("Right")
        pane.until("last words")
        cast = recording(deck_home)

        # The clocks go on; everything else of the picture stands still.
        def same() -> bool:
            now = [re.sub(r"\d:\d\d", "0:00", row) for row in lines(pane.text().rstrip("\n"))]
            told = [re.sub(r"\d:\d\d", "0:00", row) for row in shown(pictures(cast))]
            return now == told[: len(now)] and not any(told[len(now) :])

        wait(same)
        marks = [(event.code, event.data) for event in read(cast)[1] if event.code != "o"]
        assert marks == [("m", "1 · Opening"), ("m", "2 · Second"), ("r", "100x30"), ("m", "3 · Third")]
        pane.keys("v")
        pane.until("recorded: ")
        pane.keys("q")
        said = pane.until("EXIT=0")
        assert re.sub(r"\s", "", str(cast.with_suffix(".html"))) in re.sub(r"\s", "", said)

    assert cast.with_suffix(".vtt").read_text().startswith("WEBVTT")
    assert "1 · Opening" in cast.with_suffix(".chapters.vtt").read_text()

    asciinema = shutil.which("asciinema") or str(Path(sys.executable).with_name("asciinema"))
    if Path(asciinema).exists():
        played = subprocess.run([asciinema, "cat", cast], capture_output=True, check=True).stdout
        whole = "".join(event.data for event in read(cast)[1] if event.code == "o")
        assert played.decode() == whole

    if chromium := shutil.which("chromium") or shutil.which("google-chrome"):
        page = [*("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={deck_home / 'chromium'}")]
        page += ["--virtual-time-budget=3000", "--dump-dom", f"{cast.with_suffix('.html').as_uri()}#t=0"]
        dom = subprocess.run([chromium, *page], capture_output=True, text=True, check=True, timeout=60).stdout
        body = dom.partition('<script type="application/json"')[0]
        assert "ap-term" in body and 'aria-current="true"' in body  # the player plays, the page goes with it


def test_a_killed_screen_leaves_a_recording_up_to_the_last_second(deck_home: Path) -> None:
    with Tmux(deck_home) as tmux:
        pane = begin(tmux, deck_home)
        pane.keys("Right")
        pane.until("rank")
        pane.keys("Right")
        pane.until("last words")
        clock = max(re.findall(r"REC (\d\d:\d\d)", pane.text()))
        for pid in screens(deck_home):
            os.kill(pid, signal.SIGKILL)
        cast = recording(deck_home)
        rows = cast.read_bytes().split(b"\n")
        assert all(json.loads(row) for row in rows[:-1])
        screen = pictures(cast)
        assert "last words" in read_letters("\n".join(shown(screen)))
        told = max(re.findall(r"REC (\d\d:\d\d)", "\n".join(shown(screen))))
        assert int(told[-2:]) >= int(clock[-2:]) - 1
        # The next console finishes it.
        tmux.open("attach").until("last words")
        wait(cast.with_suffix(".html").exists)


def screens(home: Path) -> list[int]:
    """The processes of the screen, the one that would bring it back first."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            mine = str(home).encode() in environ.read_bytes()
            command = environ.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if mine and b"tui.cli" in command:
            found.append(int(environ.parent.name))
    return sorted(found)


def test_on_a_full_disk_the_class_goes_on(deck_home: Path) -> None:
    """A file may grow to 12 kB here: two pictures, and no third."""
    with Tmux(deck_home) as tmux:
        pane = joined(tmux, deck_home)
        for pid in screens(deck_home):
            subprocess.run(["prlimit", "--pid", str(pid), "--fsize=12000:12000"], check=True)
        pane.keys("v")
        pane.until("● REC")
        said = "the recording stopped: File too large; the class goes on"
        for _ in range(20):  # another theme is another picture of everything; what is said goes with a key
            pane.keys("T")
            end = time.monotonic() + 2
            while time.monotonic() < end and said not in pane.text():
                time.sleep(0.05)
            if said in pane.text():
                break
        assert said in pane.text()
        pane.keys("Right")
        pane.until("rank")
        cast = recording(deck_home)
        assert 0 < cast.stat().st_size <= 12000
        assert cast.read_bytes().endswith(b"]\n")
        assert "Words with" in "".join(event.data for event in read(cast)[1])
