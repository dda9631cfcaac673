"""What a recording costs: key to repaint with it on and off, in turn on one screen, and what it writes.

    python tests/bench/recording.py [--rounds 4] [--presses 40] [--demo]

`--demo`: while `ddp` trains on the slide (needs torch); its panel is what is then recorded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

from terminal import Teachrun, Terminal, quantile

COLS, ROWS = 100, 30
DECK = "\n\n---\n\n".join(
    f"# Slide {n}\n\nMark {n}: some words to be painted.\n\n- one\n- two" for n in range(8)
)
DEMO = "\n\n---\n\n".join(
    f"# Slide {n}\n\nMark {n}\n\n::: demo ddp ranks=4 steps=100000 keep=yes" for n in range(2)
)


def walk(terminal: Terminal, presses: int, slides: int, at: int) -> tuple[list[float], int]:
    """Right to the last slide, left to the first, and so on: milliseconds a press, and where it ends."""
    times, way = [], 1 if at < slides - 1 else -1
    for _ in range(presses):
        if not 0 <= at + way < slides:
            way = -way
        at += way
        terminal.drain(0.08)
        seen = terminal.press("right" if way > 0 else "left", f"Mark {at}")
        if seen.seconds is not None:
            times.append(seen.seconds * 1e3)
    return times, at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--presses", type=int, default=40)
    parser.add_argument("--demo", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        home = Path(folder)
        deck = home / "deck.md"
        deck.write_text(DEMO if args.demo else DECK)
        terminal = Teachrun(home, "present", str(deck), cols=COLS, rows=ROWS)
        try:
            measure(terminal, args.rounds, args.presses, args.demo, home)
        finally:
            terminal.end("q", "y")


def measure(terminal: Terminal, rounds: int, presses: int, demo: bool, home: Path) -> None:
    terminal.wait("Mark 0", terminal.started)
    terminal.drain(3.0)
    slides = 8
    if demo:
        slides = 2
        terminal.press("d", "loss", timeout=90.0)
        terminal.drain(3.0)
    off: list[float] = []
    on: list[float] = []
    cpu = {"off": 0.0, "on": 0.0}
    recorded_s, at = 0.0, 0
    for _ in range(rounds):
        before = terminal.cpu_s()
        times, at = walk(terminal, presses, slides, at)
        off += times
        cpu["off"] += terminal.cpu_s() - before
        terminal.press("v", "cancels")
        terminal.wait("REC 00:0", time.perf_counter())
        began, before = time.perf_counter(), terminal.cpu_s()
        times, at = walk(terminal, presses, slides, at)
        on += times
        cpu["on"] += terminal.cpu_s() - before
        recorded_s += time.perf_counter() - began
        terminal.send("v")
        terminal.drain(6.0)  # it is processed meanwhile
    size = sum(cast.stat().st_size for cast in home.rglob("*.cast"))
    pages = [page.stat().st_size for page in home.rglob("*.html")]
    print(f"{'':32}{'off':>9}{'recorded':>9}{'ratio':>8}")
    for what, q in (("median", 0.5), ("p90", 0.9), ("p99", 0.99)):
        a, b = quantile(off, q), quantile(on, q)
        print(f"key to repaint, ms, {what:12}{a:9.1f}{b:9.1f}{b / a:8.2f}")
    each = [cpu[when] / (rounds * presses) * 1e3 for when in ("off", "on")]
    print(f"{'processor time of a key, ms':32}{each[0]:9.1f}{each[1]:9.1f}{each[1] / each[0]:8.2f}")
    print(
        f"written {size / max(recorded_s, 1e-9) / 1e3:.1f} kB a second of recording; pages of "
        f"{statistics.mean(pages) / 1e3:.0f} kB"
        if pages
        else "no page"
    )
    load = os.getloadavg()[0]
    print(f"{len(off)} + {len(on)} presses, {date.today()}, {os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    main()
