"""A room that moves, in cells or pixels: processor time and bytes of a frame, and what a rest costs.

    python tests/bench/scenes.py [--scene room] [--size 160x45] [--surface halves] [--steps 10]

The bounds at 160x45: 15 frames a second under a third of a core in cells, 30 under two thirds in pixels
(`--surface pixels`: the terminal says it is kitty, 9 x 18 pixels a cell); no byte when nothing moves.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from datetime import date
from pathlib import Path

from terminal import Teachrun, Terminal

MOVE_S, REST_S = 0.6, 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scene", default="room")
    parser.add_argument("--size", default="160x45")
    parser.add_argument("--surface", default="halves")
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    columns, rows = map(int, args.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        home = Path(folder)
        (home / "config" / "teachrun").mkdir(parents=True)
        pixels = args.surface == "pixels"
        surface = "auto" if pixels else args.surface
        (home / "config" / "teachrun" / "config.toml").write_text(f'motion = "on"\nscenes = "{surface}"\n')
        deck = home / "deck.md"
        deck.write_text(f"---\ntitle: Bench\n---\n# Mark\n\n::: scene {args.scene}\n")
        terminal = Teachrun(home, "present", str(deck), cols=columns, rows=rows, pixels=pixels)
        try:
            measure(terminal, args.steps, 30 if pixels else 15)
        finally:
            terminal.end("q", "y")
    load = os.getloadavg()[0]
    print(
        f"{args.scene}, {args.size}, {args.surface}, {date.today()}, {os.cpu_count()} cores, load {load:.1f}"
    )


def measure(terminal: Terminal, steps: int, rate: int) -> None:
    terminal.wait("step", terminal.started)
    terminal.drain(8.0)  # pages near by are drawn ahead
    before, written = terminal.cpu_s(), terminal.total
    terminal.drain(REST_S)
    rest_cpu, rest_bytes = terminal.cpu_s() - before, terminal.total - written
    spent = moved_s = 0.0
    frames = sent = 0
    for _ in range(steps):
        before, written, painted = terminal.cpu_s(), terminal.total, terminal.frames
        terminal.send("right")
        terminal.drain(MOVE_S + 0.4)
        frames += terminal.frames - painted
        moved_s += MOVE_S
        spent += terminal.cpu_s() - before
        sent += terminal.total - written
    print(f"frames a second                {frames / moved_s:8.1f}")
    print(f"processor time of a frame, ms  {1e3 * spent / max(1, frames):8.1f}")
    print(f"of a core while it moves       {100 * spent / moved_s:8.0f} %")
    print(f"of a core at {rate} frames         {100 * rate * spent / max(1, frames):8.0f} %")
    print(f"bytes of a frame               {sent / max(1, frames):8.0f}")
    print(f"at rest, bytes a second        {rest_bytes / REST_S:8.1f}")
    print(f"at rest, of a core             {100 * rest_cpu / REST_S:8.1f} %")


if __name__ == "__main__":
    main()
