"""What letters made of blocks cost a slide on a room's screen: the same slide with them and without.

    python tests/bench/letters.py [--launches 9] [--size 160x45]

A fresh interpreter for each slide, with and without in turn: the processor time of drawing it, of which
making the letters is a part, and of the whole process up to then. The least of all launches.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

COURSE = Path(__file__).parents[2] / "slides/courses/distributed"
SLIDES = (
    ("a title", "05-ddp.md", "ddp"),
    ("a table of words", "05-ddp.md", "facts"),
    ("three points and a demo", "05-ddp.md", "four-copies"),
    ("a listing of 12 lines", "07-fsdp.md", "unit"),
    ("a question of four options", "01-one-step.md", "first-update"),
    ("a step of a scene", "01-one-step.md", "mountain"),
)


def draw(deck: str, slide: str, columns: int, rows: int, letters: bool) -> None:
    """Draw one slide in this process, and print the processor seconds of that, and of all until then."""
    from slides.drawing.large import letters as module
    from slides.screen_size import Size
    from tui.deck.contents import Contents, open_deck
    from tui.rendering.pages.offscreen import Offscreen

    if not letters:
        module.drawable = lambda text, size: False
    contents = Contents(open_deck(COURSE / deck))
    index = contents.find(slide)
    if index is None:
        raise SystemExit(f"{deck} has no slide {slide}")
    contents.slide(index)
    screen, began = Offscreen(contents, role="audience"), time.process_time()
    screen.screen(index, Size(columns, rows))
    print(time.process_time() - began, time.process_time())


def measured(deck: str, slide: str, size: str, which: str) -> tuple[float, float]:
    asked = [sys.executable, __file__, "--draw", deck, slide, which, "--size", size]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), float(said[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--launches", type=int, default=9)
    parser.add_argument("--size", default="160x45", metavar="WxH")
    parser.add_argument("--draw", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    columns, rows = map(int, asked.size.split("x"))
    if asked.draw:
        draw(asked.draw[0], asked.draw[1], columns, rows, asked.draw[2] == "letters")
        return
    print(f"{'slide':28}{'drawn, ms':>11}{'without':>9}{'ratio':>7}   of the whole start")
    for name, deck, slide in SLIDES:
        taken: dict[str, list[tuple[float, float]]] = {"letters": [], "plain": []}
        for n in range(2 * asked.launches):
            which = ("letters", "plain")[n % 2]
            taken[which].append(measured(deck, slide, asked.size, which))
        (one, all_one), (other, all_other) = (
            (min(own for own, _ in found), min(whole for _, whole in found)) for found in taken.values()
        )
        ratio = f"{1000 * one:>11.1f}{1000 * other:>9.1f}{one / other:>7.1f}"
        print(f"{name:28}{ratio}   {all_one / all_other:.2f} ({1000 * (all_one - all_other):+.0f} ms)")


if __name__ == "__main__":
    main()
