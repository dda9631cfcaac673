"""A room that moves, in cells or pixels: processor time and bytes of a frame, and what a rest costs.

A key costs more than its frames: the page that comes next is drawn ahead, the host hears of it. The same keys
with motion off say how much; a frame is measured with it and without.

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
    alone = run(args, "off")
    run(args, "on", alone)
    load = os.getloadavg()[0]
    print(
        f"{args.scene}, {args.size}, {args.surface}, {date.today()}, {os.cpu_count()} cores, load {load:.1f}"
    )


def run(args: argparse.Namespace, motion: str, alone: float = 0.0) -> float:
    """Present the scene and measure it; returns the processor seconds of all steps."""
    columns, rows = map(int, args.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        home = Path(folder)
        (home / "config" / "teachrun").mkdir(parents=True)
        pixels = args.surface == "pixels"
        surface = "auto" if pixels else args.surface
        (home / "config" / "teachrun" / "config.toml").write_text(
            f'motion = "{motion}"\nscenes = "{surface}"\n'
        )
        deck = home / "deck.md"
        deck.write_text(f"---\ntitle: Bench\n---\n# Mark\n\n::: scene {args.scene}\n")
        terminal = Teachrun(home, "present", str(deck), cols=columns, rows=rows, pixels=pixels)
        try:
            return measure(terminal, args.steps, 30 if pixels else 15, alone, told=motion == "on")
        finally:
            terminal.end("q", "y")


def measure(terminal: Terminal, steps: int, rate: int, alone: float, *, told: bool) -> float:
    """`alone`: the processor seconds of the same keys where nothing moves; `told`: say what was found."""
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
    if not told:
        return spent
    each = 1e3 * (spent - alone) / max(1, frames)
    print(f"frames a second                {frames / moved_s:8.1f}")
    whole = 1e3 * spent / max(1, frames)
    print(f"processor time of a frame, ms  {each:8.1f}, with its part of the key {whole:.1f}")
    print(f"of a core while it moves       {100 * spent / moved_s:8.0f} %, the keys included")
    print(f"of a core at {rate} frames         {rate * each / 10:8.0f} %")
    print(f"bytes of a frame               {sent / max(1, frames):8.0f}")
    print(f"at rest, bytes a second        {rest_bytes / REST_S:8.1f}")
    print(f"at rest, of a core             {100 * rest_cpu / REST_S:8.1f} %")
    return spent


if __name__ == "__main__":
    main()
