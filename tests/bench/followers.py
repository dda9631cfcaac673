"""What two followers add to a key, in processor time: at the console and its host, and of their own.

    python tests/bench/followers.py [--presses 150] [--rounds 3] [--console]

A class with 0 and with 2 audience screens in turn, in one run: medians of the rounds. The screens are real
terminals, all of 100x30. `--console`: with notes and what is next beside the slide.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

from terminal import Teachrun, cpu_s

HERE = Path(__file__).parent
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


def host_of(console: Teachrun) -> int:
    """The pid of the class's host, once it is there."""
    until = time.monotonic() + 30.0
    while time.monotonic() < until:
        out = console.said("ps")
        if found := [int(row.split()[1]) for row in out.splitlines() if " host " in row]:
            return found[0]
    raise SystemExit("no host came up")


class Class:
    """A console that walks, its host, and those who follow."""

    def __init__(self, home: Path, console: bool) -> None:
        self.home = home
        deck = home / "deck.md"
        deck.write_text((HERE / "deck.md").read_text())
        self.console = Teachrun(home, "present", str(deck), *(["--console"] if console else []))
        self.console.wait("Mark one", self.console.started)
        self.console.drain(3.0)  # slides are drawn ahead, the host comes up
        self.host = host_of(self.console)
        self.followers: list[Teachrun] = []
        self._at, self._way = 0, 1

    def follow(self, count: int) -> None:
        while len(self.followers) < count:
            screen = Teachrun(self.home, "audience")
            screen.wait("Mark", screen.started)
            screen.drain(2.0)
            self.followers.append(screen)
        while len(self.followers) > count:
            self.followers.pop().close("q")

    def walk(self, presses: int) -> tuple[float, float]:
        """cpu-ms a key: of console and host, and of the followers."""
        before = self.console.cpu_s() + cpu_s(self.host), sum(f.cpu_s() for f in self.followers)
        for _ in range(presses):
            if not 0 <= self._at + self._way < len(WORDS):
                self._way = -self._way
            self._at += self._way
            want = f"Mark {WORDS[self._at]}"
            self.console.press("right" if self._way > 0 else "left", want)
            for follower in self.followers:
                follower.wait(want, follower.started + 1e9, quiet=0.02)
        after = self.console.cpu_s() + cpu_s(self.host), sum(f.cpu_s() for f in self.followers)
        return 1e3 * (after[0] - before[0]) / presses, 1e3 * (after[1] - before[1]) / presses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--presses", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--console", action="store_true")
    args = parser.parse_args()
    alone: list[float] = []
    followed: list[float] = []
    own: list[float] = []
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        held = Class(Path(folder), args.console)
        try:
            held.walk(20)
            for _ in range(args.rounds):
                held.follow(0)
                alone.append(held.walk(args.presses)[0])
                held.follow(2)
                here, there = held.walk(args.presses)
                followed.append(here)
                own.append(there)
            held.follow(0)
        finally:
            held.console.end("q")
    a, b, c = (statistics.median(figures) for figures in (alone, followed, own))
    print(
        f"cpu-ms a key at console and host: alone {a:.2f}, with two followers {b:.2f}: they add {b - a:.2f}"
    )
    print(f"cpu-ms a key of the two followers themselves: {c:.2f}; all that they add: {b - a + c:.2f}")
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
