"""From saving a deck to the repainted slide, for a deck of 10 and of 300 slides, and what watching costs.

    python tests/bench/reload.py [--saves 30] [--json FILE]

Each save replaces the file, as editors do, with another word on the slide shown; the time ends with the chunk
of output that brings the word. Needs pyte.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from terminal import Teachrun, quantile

SLIDE = """\
## {word} on slide {n}

Some words

- a list
- with `code` and $\\theta$

```python {{1|2}}
x = {n}
y = x + 1
```

<!-- notes: said on slide {n} -->
"""


def deck(slides: int, word: str) -> str:
    return "\n---\n\n".join(SLIDE.format(n=n, word=word if n == 1 else "same") for n in range(1, slides + 1))


def measured(slides: int, saves: int, home: Path) -> dict[str, float]:
    """Seconds of the median and of the 90th percentile, and the share of a core that standing by costs."""
    file, new = home / "deck.md", home / "new"
    file.write_text(deck(slides, "word-begin"))
    terminal = Teachrun(home, "present", str(file))
    try:
        terminal.wait("word-begin", terminal.started)
        terminal.drain(4.0 if slides < 100 else 12.0)  # every page is drawn ahead
        before, at = terminal.cpu_s(), time.perf_counter()
        written = terminal.drain(5.0)
        idle = (terminal.cpu_s() - before) / (time.perf_counter() - at)
        took = []
        for n in range(saves):
            new.write_text(deck(slides, f"word-{n}"))
            new.replace(file)
            seconds = terminal.wait(f"word-{n} ", time.perf_counter(), quiet=0.02).seconds
            if seconds is None:
                raise SystemExit(f"save {n} was never shown:\n{terminal.text}")
            took.append(seconds)
            terminal.drain(0.3)
    finally:
        terminal.close("q")
    return {
        "median_s": statistics.median(took),
        "p90_s": quantile(took, 0.9),
        "idle_core": idle,
        "idle_bytes": written,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--saves", type=int, default=30)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = {}
    for slides in (10, 300):
        with tempfile.TemporaryDirectory(prefix="tr") as folder:
            figures = found[str(slides)] = measured(slides, args.saves, Path(folder))
        print(
            f"{slides:>4} slides: {1000 * figures['median_s']:.0f} ms, p90 {1000 * figures['p90_s']:.0f} ms; "
            f"idle {100 * figures['idle_core']:.1f} % of a core, {figures['idle_bytes']:.0f} bytes"
        )
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
