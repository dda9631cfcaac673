"""Start, key to repaint, memory and silence of the screen, beside prezo on the same deck in the same run.

    python tests/bench/screen.py [--launches 7] [--presses 70] [--json FILE]

prezo needs Python 3.12 or newer: both programs get an environment of their own under the newest interpreter
found; without one, termdeck is the peer. "While ddp trains" runs `teachrun run ddp` (4 ranks) beside both
programs in turn, with `--load-python` (an interpreter that has torch and this project; default: this one).
Launches and presses of the two programs alternate, so that a noisy machine disturbs both alike.

"full" is the same with all that a teacher may have on at once: the console (notes, what is next, clocks), a
recording, the overview's thumbnails drawn; and, in it, a key in that overview.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from terminal import TEACHRUN, Terminal, quantile

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
COLS, ROWS = 100, 30
ON = ("full", "overview")


def newest_python() -> tuple[str, str]:
    """The interpreter for both programs and the peer it can run."""
    for minor in (13, 12):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found, "prezo"
    print("no Python 3.12 or newer: the peer is termdeck", file=sys.stderr)
    return sys.executable, "termdeck"


def environment(python: str, folder: Path, *what: str) -> Path:
    """A virtual environment with `what` installed; returns its bin folder."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "-q", *what], check=True)
    return folder / "bin"


class Program:
    """One presenter under test."""

    def __init__(self, name: str, command: list[str], home: Path) -> None:
        self.name, self.command = name, command
        self.env = {
            "LANG": "C.UTF-8",
            "XDG_STATE_HOME": str(home / "s"),
            "XDG_DATA_HOME": str(home / "d"),
            "XDG_CONFIG_HOME": str(home / "c"),
            "HOME": str(home),
        }
        self.launches = 0
        self.first_paint: list[float] = []
        self.keys: dict[str, list[float]] = defaultdict(list)
        self.bytes: list[int] = []
        self.rss = 0.0
        self.idle_bytes = 0
        self.key_cpu_ms = 0.0
        self.missed = 0

    def launch(self) -> Terminal:
        # Each time as if for the first: a class to go on with would be offered, and begin with the first key.
        self.launches += 1
        self.env["XDG_DATA_HOME"] = f"{self.env['HOME']}/d{self.launches}"
        terminal = Terminal(self.command, COLS, ROWS, self.env)
        seen = terminal.wait("Mark one", terminal.started)
        if seen.seconds is None:
            raise SystemExit(f"{self.name}: first slide not seen; the screen was\n{terminal.text}")
        self.first_paint.append(seen.seconds)
        return terminal

    def walk(self, terminal: Terminal, presses: int, when: str, seen: Seen | None = None) -> None:
        """1 -> 8 -> 1 -> … with the right and left keys; a press ends when the slide's title is there."""
        at, way = 0, 1
        before = terminal.cpu_s()
        for _ in range(presses):
            if not 0 <= at + way < len(WORDS):
                way = -way
            at += way
            terminal.drain(0.1)
            want: str | Callable[[str], bool] = seen(at) if seen is not None else f"Mark {WORDS[at]}"
            repaint = terminal.press("right" if way > 0 else "left", want)
            if repaint.seconds is None:
                self.missed += 1
            else:
                self.keys[when].append(repaint.seconds * 1e3)
                self.bytes.append(repaint.bytes)
        if when == "quiet":
            self.key_cpu_ms = (terminal.cpu_s() - before) / presses * 1e3

    def all_on(self, terminal: Terminal) -> None:
        """Thumbnails drawn, then a recording that goes on."""
        terminal.drain(3.0)  # the host comes up: without a class nothing is recorded
        terminal.press("o", "▸1")
        terminal.drain(1.0)
        terminal.press("esc", console(0))
        terminal.press("v", "cancels")
        terminal.wait("REC 00:0", time.perf_counter())

    def walk_all_on(self, terminal: Terminal, presses: int, when: str) -> None:
        """The console, then its overview."""
        self.walk(terminal, presses, f"full, {when}", console)
        terminal.send("g")
        terminal.press("g", console(0))
        terminal.press("o", "▸1")
        self.walk(terminal, presses, f"overview, {when}", lambda at: f"▸{at + 1}")
        terminal.send("esc")
        terminal.drain(0.2)


Seen = Callable[[int], "str | Callable[[str], bool]"]
_TITLE = re.compile(r"^ {0,4}Mark (\w+) *(?:│|$)", re.MULTILINE)


def console(at: int) -> Callable[[str], bool]:
    """The title of the slide itself, which stands above that of the next."""
    return lambda text: (found := _TITLE.search(text)) is not None and found[1] == WORDS[at]


def noted(deck: str) -> str:
    """With notes on every slide."""
    note = "<!-- notes: What the teacher **says** here, in a sentence or two.\n\n- a point\n- another -->"
    return "\n\n---\n\n".join(f"{slide.strip()}\n\n{note}" for slide in deck.split("\n---\n"))


@contextmanager
def training(python: str, home: Path) -> Iterator[None]:
    """Four ranks of ddp on this machine, until the block ends."""
    env = os.environ | {"XDG_STATE_HOME": str(home / "s"), "XDG_DATA_HOME": str(home / "d")}
    ranks = subprocess.Popen(
        [python, *TEACHRUN[1:], "run", "ddp", "ranks=4", "steps=100000", "--jsonl", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )
    assert ranks.stdout is not None
    for line in ranks.stdout:
        if '"type":"step"' in line.replace(" ", ""):
            break
    else:
        raise SystemExit("the load did not start: is torch installed for --load-python?")
    drain = subprocess.Popen(["cat"], stdin=ranks.stdout, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        ranks.terminate()
        ranks.wait(20)
        drain.wait(5)


def measure(
    ours: Program, full: Program, peer: Program, launches: int, presses: int, load: str, home: Path
) -> None:
    for _ in range(launches):
        for program in (ours, peer, full):
            program.launch().close("q", "ctrl+c")
    for program in (ours, peer, full):
        terminal = program.launch()
        terminal.drain(2.0)
        if program is full:
            full.all_on(terminal)
            full.walk_all_on(terminal, presses, "quiet")
            program.rss = terminal.rss_mb()
            terminal.close("v", "q", "y")
            continue
        program.walk(terminal, presses, "quiet")
        terminal.drain(1.0)
        program.idle_bytes = terminal.drain(5.0)
        program.rss = terminal.rss_mb()
        terminal.close("q", "ctrl+c")
    with training(load, home):
        for _ in range(3):
            for program in (ours, peer, full):
                terminal = program.launch()
                program.first_paint.pop()
                terminal.drain(3.0)
                if program is full:
                    full.all_on(terminal)
                    full.walk_all_on(terminal, -(-presses // 3), "training")
                    terminal.close("v", "q", "y")
                else:
                    program.walk(terminal, -(-presses // 3), "training")
                    terminal.close("q", "ctrl+c")


def report(ours: Program, full: Program, peer: Program) -> dict[str, object]:
    first = statistics.median(peer.first_paint)
    rows: list[tuple[str, float, float, float | None]] = [
        ("first painted slide, s (median)", statistics.median(ours.first_paint), first, 0.6),
        ("first slide of the console, s (median)", statistics.median(full.first_paint), first, 0.6),
    ]
    for when, targets in (("quiet", (0.2, 0.4)), ("training", (0.3, 0.8))):
        for kind, keys in (("", ours.keys[when]), *((f"{k}, ", full.keys[f"{k}, {when}"]) for k in ON)):
            for what, q, target in (("median", 0.5, targets[0]), ("p99", 0.99, targets[1])):
                theirs = quantile(peer.keys[when], q)
                rows.append((f"key, ms ({kind}{what}, {when})", quantile(keys, q), theirs, target))
    rows += [
        ("cpu-ms a key", ours.key_cpu_ms, peer.key_cpu_ms, None),
        ("bytes a repaint (median)", statistics.median(ours.bytes), statistics.median(peer.bytes), None),
        ("memory, MB", ours.rss, peer.rss, None),
        ("memory with all on, MB", full.rss, peer.rss, None),
    ]
    print(f"{'':38} {ours.name:>10} {peer.name:>10} {'ratio':>7} {'target':>7}")
    for name, a, b, target in rows:
        goal = "" if target is None else f"{target:7.2f}"
        print(f"{name:38} {a:10.2f} {b:10.2f} {a / b:7.2f} {goal}")
    print(f"bytes in 5 s of silence: {ours.name} {ours.idle_bytes}, {peer.name} {peer.idle_bytes}")
    print(f"presses not answered: {ours.name} {ours.missed}, full {full.missed}, {peer.name} {peer.missed}")
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return {name: {"ours": a, "peer": b, "ratio": a / b, "target": t} for name, a, b, t in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--presses", type=int, default=70)
    parser.add_argument("--load-python", default=sys.executable)
    parser.add_argument("--ours", help="bin folder that has teachrun already")
    parser.add_argument("--peer", help="bin folder that has the peer already")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    python, name = newest_python()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        ours_bin = Path(args.ours) if args.ours else environment(python, home / "ours", str(ROOT))
        peer_bin = Path(args.peer) if args.peer else environment(python, home / "peer", name)
        deck = home / "deck.md"
        deck.write_text((HERE / "deck.md").read_text())
        ours = Program("teachrun", [str(ours_bin / "teachrun"), "present", str(deck)], home / "ours-home")
        peer = Program(name, [str(peer_bin / name), str(deck)], home / "peer-home")
        deck_noted = home / "noted.md"
        deck_noted.write_text(noted(deck.read_text()))
        command = [str(ours_bin / "teachrun"), "present", str(deck_noted), "--console"]
        full = Program("full", command, home / "full-home")
        for program in (ours, peer, full):
            Path(program.env["HOME"]).mkdir()
        begun = time.monotonic()
        try:
            measure(ours, full, peer, args.launches, args.presses, args.load_python, home)
        finally:  # a screen that is killed leaves its class behind, as it should
            stop = [str(ours_bin / "teachrun"), "stop", "--all"]
            for program in (ours, full):
                subprocess.run(stop, env=os.environ | program.env, stdout=subprocess.DEVNULL)
        result = report(ours, full, peer)
        print(f"took {time.monotonic() - begun:.0f} s")
        if args.json:
            args.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
