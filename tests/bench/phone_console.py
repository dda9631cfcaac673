"""What a hall of phones adds to a key of the teacher's console: seconds to the repainted slide.

    python tests/bench/phone_console.py [--phones 1000] [--presses 60] [--rounds 3]

One console in a real terminal of 160x45, in turn with nobody there, with a hall that only looks on (every key
brings a question, which all phones are told), and with a hall that answers meanwhile. Host, gate, console and
phones share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from terminal import Teachrun, Terminal, quantile

from runtime.phones.seats import Seats

HERE = Path(__file__).parent
NAMES = ("one", "two", "three", "four", "five", "six")
DECK = "\n---\n".join(
    f"\n# Mark {name}\n\n::: quiz {{#{name}}}\nWhich collective gives every rank the sum?\n\n"
    "- [ ] broadcast\n- [x] all_reduce\n- [ ] gather\n:::\n"
    for name in NAMES
)


class Hall:
    """The phones, as a process of their own."""

    def __init__(self, seats: Path, phones: int) -> None:
        """Have them all join the class whose seats are kept in this file."""
        known = Seats(seats)
        where = f"http://127.0.0.1:{known.port}"
        self._child = subprocess.Popen(
            [sys.executable, str(HERE / "phone_crowd.py"), where, known.code, str(phones), "0", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.begin("join")
        self.end()

    def begin(self, do: str, **more: Any) -> None:
        """Give an order, and do not wait for it."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._child.stdin.flush()

    def end(self) -> None:
        """Wait until the order is carried out."""
        assert self._child.stdout is not None
        self._child.stdout.readline()

    def close(self) -> None:
        """They all leave."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait()


def first(console: Terminal) -> None:
    """Go to the first slide, by the dialog that `g` opens."""
    for _ in range(2):
        console.send("g")
        console.drain(0.7)


def walk(console: Terminal, presses: int) -> list[float]:
    """Seconds a key, to and fro through the questions."""
    found, at, way = [], 0, 1
    first(console)
    for _ in range(presses):
        if not 0 <= at + way < len(NAMES):
            way = -way
        at += way
        took = console.press("right" if way > 0 else "left", f"{at + 1}/{len(NAMES)}").seconds
        found.append(5.0 if took is None else took)
        console.drain(0.15)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phones", type=int, default=1000)
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    times: dict[str, list[float]] = {"nobody": [], "a hall looks on": [], "a hall answers": []}
    with tempfile.TemporaryDirectory(prefix="tr", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        (home / "deck.md").write_text(DECK)
        words = ("present", str(home / "deck.md"), "--phones", "--phones-at", "127.0.0.1")
        console = Teachrun(home, *words, cols=160, rows=45)
        try:
            console.drain(5.0)
            while not (found := list(home.glob("data/teachrun/classes/*/phones.jsonl"))):
                console.drain(1.0)  # the gate begins
            console.press("esc", f"1/{len(NAMES)}")  # the card with the code is away
            (seats,) = found
            for _ in range(args.rounds):
                times["nobody"] += walk(console, args.presses)
                hall = Hall(seats, args.phones)
                times["a hall looks on"] += walk(console, args.presses)
                first(console)
                hall.begin("answer", question=NAMES[0], over_s=0.3 * args.presses)
                times["a hall answers"] += walk(console, args.presses)
                hall.end()
                hall.close()
        finally:
            console.end("q", "y")
    for name, found in times.items():
        half, most = 1e3 * quantile(found, 0.5), 1e3 * quantile(found, 0.95)
        print(f"{name:16} median {half:6.1f} ms   p95 {most:6.1f} ms")
    print(f"{args.phones} phones, {time.strftime('%H:%M')} {date.today()}, {platform.platform()}, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
