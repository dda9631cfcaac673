"""The first painted slide of a long deck beside that of a short one, and a slide of 10,000 lines.

    python tests/bench/decks.py [--launches 9]

Launches of the decks take turns, so that a noisy machine disturbs all alike. The decks repeat the same ten
slides, of prose, lists, tables, code, formulas, columns, a question and a demo.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from terminal import Teachrun, quantile

SLIDES = (
    "words in a paragraph that goes on for a while, **bold** and `code`\n\n- one\n- two\n  - three",
    "| strategy | bytes |\n|---|---:|\n| DDP | 2(n-1)/n |\n| FSDP | 3(n-1)/n |",
    "```python {1|2-3|all}\nmodel = DDP(TinyLM())\nfor x, y in loader:\n    model(x, y).backward()\n```",
    "$$\n\\bar g = \\frac{1}{n} \\sum_i g_i\n$$\n\nand so on",
    "::: columns 1,1\nleft\n\n+++\n\nright\n:::\n\n<!-- pause -->\n\nlater",
    "::: quiz {kind=single}\nWhich?\n\n- [ ] this\n- [x] that\n  > why\n:::",
    "::: demo ddp ranks=4 steps=50",
    "> a quote\n\n1. first\n2. second\n\n<!-- notes: what is said -->",
    "::: animate ring ranks=4 chunks=4",
    "a last paragraph, and nothing besides",
)


def deck(folder: Path, slides: int) -> Path:
    parts = [f"# Slide {n + 1} of {slides}\n\n{SLIDES[n % len(SLIDES)]}" for n in range(slides)]
    path = folder / f"deck{slides}.md"
    path.write_text("\n\n---\n\n".join(parts) + "\n")
    return path


def long_slide(folder: Path) -> Path:
    path = folder / "long.md"
    rows = "\n".join(f"entry {n}" for n in range(10_000))
    path.write_text(f"# Before\n\nwords\n\n---\n\n# The log\n\n```\n{rows}\n```\n")
    return path


def painted(path: Path, text: str, home: Path) -> float:
    terminal = Teachrun(home, "present", str(path))
    seen = terminal.wait(text, terminal.started)
    terminal.close("q", "ctrl+c")
    if seen.seconds is None:
        raise SystemExit(f"{path.name}: the first slide was not seen; the screen was\n{terminal.text}")
    return seen.seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--launches", type=int, default=9)
    launches = parser.parse_args().launches
    with tempfile.TemporaryDirectory(prefix="tr") as name:
        home = Path(name)
        paths = {slides: deck(home, slides) for slides in (10, 300)}
        found: dict[int, list[float]] = {slides: [] for slides in paths}
        for n in range(launches + 1):
            for slides, path in paths.items():
                seconds = painted(path, f"Slide 1 of {slides}", home)
                if n:  # the first of each only warms the machine's caches
                    found[slides].append(seconds)
        for slides, times in found.items():
            low, mid, high = quantile(times, 0.25), statistics.median(times), quantile(times, 0.75)
            print(f"{slides:4} slides: first paint {mid:.3f} s (quartiles {low:.3f} to {high:.3f})")
        pairs = [b - a for a, b in zip(found[10], found[300], strict=True)]
        ratio = statistics.median(found[300]) / statistics.median(found[10])
        print(f"300 beside 10: {1e3 * statistics.median(pairs):+.0f} ms, ratio {ratio:.2f} (goal: +120 ms)")

        terminal = Teachrun(home, "present", str(long_slide(home)))
        terminal.wait("Before", terminal.started)
        terminal.drain(2.0)
        times = []
        for key, text in (("right", "entry 0"), ("left", "words"), ("right", "entry 0")):
            terminal.drain(0.3)
            times.append(terminal.press(key, text).seconds or 0.0)
        scrolls = []
        for _ in range(150):
            before = terminal.text
            terminal.drain(0.02)
            scrolls.append(terminal.press("j", lambda text, was=before: text != was).seconds or 0.0)
        terminal.close("q", "ctrl+c")
        print(
            f"10,000 lines: a key to the slide {1e3 * max(times):.0f} ms at worst; scrolling, 150 keys: ",
            end="",
        )
        print(f"median {1e3 * statistics.median(scrolls):.1f} ms, worst {1e3 * max(scrolls):.0f} ms")
        print(time.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
