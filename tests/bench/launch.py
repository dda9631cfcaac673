"""From the key `d` to the first painted step of four ranks, beside torchrun doing the same.

    python tests/bench/launch.py [--times 9]

Runs under an interpreter that has torch. "Painted" is the moment the bytes that show step 1 left the screen's
process; for torchrun, the moment the script's first line of output arrived in the same kind of terminal.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import statistics
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from terminal import Teachrun, Terminal

ROOT = Path(__file__).parents[2]
DECK = "# Launch\n\n::: demo ddp ranks=4 steps=4000\n"
STEPS = re.compile(r"steps\s+(\d+)/4000")


def done(text: str) -> int:
    """Completed steps as the panel says them; 0 when it says none."""
    found = STEPS.search(text)
    return int(found[1]) if found else 0


class Panel:
    """The screen's side: a class with one demo slide, in a pseudo-terminal."""

    def __init__(self, home: Path, times: int) -> None:
        deck = home / "deck.md"
        deck.write_text(DECK)
        self.home = home
        self.launches: list[float] = []
        self.screen = self.open("present", str(deck))
        self.screen.wait("Launch", self.screen.started)
        self.screen.send("c")  # the console says whether torch is loaded
        self.screen.wait(lambda text: re.search(r"torch\s+loaded", text) is not None, time.perf_counter(), 60)
        for n in range(times):
            self.launch()
            if n < times - 1:
                self.screen.press("d", "stopped", timeout=10)

    def open(self, *args: str) -> Teachrun:
        return Teachrun(self.home, *args, cols=120, rows=36)

    def launch(self) -> None:
        """One press of `d`, and its seconds to the first painted step."""
        self.screen.drain(1.0)
        before = done(self.screen.text) or 4000  # the panel still shows where the last run was stopped
        seen = self.screen.press("d", lambda text: 0 < done(text) < before, timeout=30)
        if seen.seconds is None:
            raise SystemExit(f"no step was painted; the screen was\n{self.screen.text}")
        self.launches.append(seen.seconds)
        self.screen.wait(lambda text: done(text) >= 20, time.perf_counter(), 60)

    def cost(self) -> tuple[float, float]:
        """The screen's memory in MB and processor time in percent of a core while the panel runs."""
        cpu, began = self.screen.cpu_s(), time.perf_counter()
        self.screen.drain(5.0)
        return self.screen.rss_mb(), 100 * (self.screen.cpu_s() - cpu) / (time.perf_counter() - began)

    def come_back(self) -> float:
        """The process that draws is killed with -9; seconds until the panel moves again, by itself."""
        self.screen.drain(1.0)
        before = done(self.screen.text)
        killed = time.perf_counter()
        os.kill(self.screen.pids[-1], signal.SIGKILL)
        seen = self.screen.wait(lambda text: done(text) > before, killed)
        if seen.seconds is None:
            raise SystemExit(f"the screen did not come back:\n{self.screen.text}")
        return seen.seconds

    def reattach(self) -> float:
        """The screen is killed with -9; seconds from `teachrun attach` to its painted, moving panel."""
        before = done(self.screen.text)
        for pid in self.screen.pids:
            os.kill(pid, signal.SIGKILL)
        self.screen.close()
        self.screen = self.open("attach")
        seen = self.screen.wait(lambda text: done(text) > before, self.screen.started)
        if seen.seconds is None:
            raise SystemExit(f"attach did not bring the panel back:\n{self.screen.text}")
        return seen.seconds

    def close(self) -> None:
        self.screen.press("q", "y", timeout=5)
        self.screen.send("y")
        self.screen.drain(5.0)
        self.screen.close()


def torchrun(times: int) -> list[float]:
    """Seconds from starting torchrun to the first line of the same script."""
    script = str(ROOT / "runtime/demos/ddp.py")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "4", script, "--steps", "3"]
    env = {"OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    seconds = []
    for _ in range(times):
        terminal = Terminal(command, 120, 36, env)
        seen = terminal.wait("loss", terminal.started, 120)
        if seen.seconds is None:
            raise SystemExit(f"torchrun did not get to a step:\n{terminal.text}")
        seconds.append(seen.seconds)
        terminal.drain(10.0)
        terminal.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=9)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as home:
        panel = Panel(Path(home), times)
        memory, busy = panel.cost()
        returns = [panel.come_back() for _ in range(2)]
        back = panel.reattach()
        panel.close()
    ours = panel.launches
    peer = torchrun(max(3, times // 3))
    a, b = statistics.median(ours), statistics.median(peer)
    print(f"d to the first painted step, stage warm: median {a:.3f} s, {min(ours):.3f} to {max(ours):.3f} s")
    print(f"torchrun to its first printed step:      median {b:.3f} s, {min(peer):.3f} to {max(peer):.3f} s")
    print(f"kill -9 of the screen to its moving panel, by itself: {', '.join(f'{s:.2f}' for s in returns)} s")
    print(f"attach after kill -9 of the screen, to its moving panel: {back:.2f} s")
    print(f"screen with the panel of 4 running ranks: {memory:.0f} MB, {busy:.1f} % of a core")
    print(f"ratio {a / b:.3f}; {date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
