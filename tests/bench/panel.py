"""The panel of 8, 64 and 1024 ranks: what it costs screen and host, and how soon a key is answered beside it.

    python tests/bench/panel.py [--ranks 8 64 1024] [--hz 5] [--seconds 15] [--presses 100]

The ranks are generated (`generated.py`): one process that speaks for all of them, a connection each, through
the rank socket of a real host, which a real screen shows in a pseudo-terminal. Percent are of one core.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from terminal import Terminal, cpu_s, environ, quantile

from runtime import paths

GENERATED = str(Path(__file__).parent / "generated.py")
COLS, ROWS = 160, 45
MARKS = ("one", "two", "three", "four")
STEPS = re.compile(r"steps\s+(\d+)/")
DECK = "# Generated\n\n::: demo generated ranks={ranks} hz={hz:g}\n" + "".join(
    f"\n<!-- pause -->\n\nMark {mark}\n" for mark in MARKS
)


def done(text: str) -> int:
    """Completed steps as the panel says them; 0 when it says none."""
    found = STEPS.search(text)
    return int(found[1]) if found else 0


def measure(ranks: int, hz: float, seconds: float, presses: int, home: Path) -> str:
    """One line of figures."""
    deck = home / "deck.md"
    deck.write_text(DECK.format(ranks=ranks, hz=hz))
    env = environ(home)
    os.environ.update(env)
    class_id = f"panel-{ranks}"
    host = subprocess.Popen([sys.executable, "-P", GENERATED, "host", "--class", class_id])
    screen = None
    try:
        # A screen that finds no host would start one that does not know the demo.
        while not paths.screen_socket(class_id).exists():
            assert host.poll() is None, "the host did not start"
            time.sleep(0.05)
        command = [sys.executable, "-P", GENERATED, "present", str(deck), "--class", class_id]
        screen = Terminal(command, COLS, ROWS, env)
        screen.wait("Generated", screen.started)
        screen.drain(8.0)  # the stage warms up, which is not what is measured
        screen.send("d")
        if screen.wait(lambda text: done(text) > 5, time.perf_counter(), 60).seconds is None:
            raise SystemExit(f"no step was painted; the screen was\n{screen.text}")
        assert "SIMULATED" in screen.text
        screen.drain(3.0)
        steps, began = done(screen.text), time.perf_counter()
        spent, written = (screen.cpu_s(), cpu_s(host.pid)), screen.total
        screen.drain(seconds)
        took = time.perf_counter() - began
        screen_cpu, host_cpu = (
            100 * (now - before) / took
            for now, before in zip((screen.cpu_s(), cpu_s(host.pid)), spent, strict=True)
        )
        rate, written = (done(screen.text) - steps) / took, int((screen.total - written) / took)
        keys = latency(screen, presses)
        return (
            f"{ranks:5} {rate:8.1f} {screen_cpu:9.1f} {host_cpu:7.1f} {quantile(keys, 0.5):8.0f} "
            f"{quantile(keys, 0.99):6.0f} {len(keys):5} {screen.rss_mb():8.0f} {written / 1e3:8.1f}"
        )
    finally:
        if screen is not None:
            screen.close()
        host.terminate()
        host.wait(60)


def latency(screen: Terminal, presses: int) -> list[float]:
    """Milliseconds from a key to the mark it shows on the slide above the panel."""
    keys = []
    shown = 0
    for _ in range(presses):
        screen.drain(0.07)
        if shown == len(MARKS):
            for _ in MARKS:
                screen.send("left")
                screen.drain(0.2)
            shown = 0
        seen = screen.press("right", f"Mark {MARKS[shown]}")
        shown += 1
        if seen.seconds is not None:
            keys.append(seen.seconds * 1e3)
    for _ in range(shown):  # who measures again begins where this did
        screen.send("left")
        screen.drain(0.2)
    return keys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[8, 64, 1024])
    parser.add_argument("--hz", type=float, default=5.0, help="steps a second of every rank")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--presses", type=int, default=100)
    args = parser.parse_args()
    print("ranks  steps/s  screen %  host %  key, ms  (p99)  seen  mem, MB     kB/s")
    for ranks in args.ranks:
        with tempfile.TemporaryDirectory() as folder:
            print(measure(ranks, args.hz, args.seconds, args.presses, Path(folder)), flush=True)
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
