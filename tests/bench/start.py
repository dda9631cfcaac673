"""From the command to the first slide, and to the first key that is answered, beside a bare Textual app.

    python tests/bench/start.py [--pairs 15] [--beside FOLDER]

Both run under this interpreter, in turn, so that a busy machine disturbs both alike; what counts is the
ratio within a pair. The bare app is a label and one key: what Textual itself takes on this machine; with
`--beside`, another revision of ours takes its place (`git worktree add FOLDER REVISION`). Our first
slide is painted before Textual is imported, so the time until a key is answered is measured as well: the key
is sent as soon as the first words are there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from terminal import TEACHRUN, Terminal

HERE = Path(__file__).parent
BARE = """
from textual.app import App
from textual.widgets import Label

class Bare(App):
    def compose(self):
        yield Label("Mark one")
    def key_right(self):
        self.query_one(Label).update("Mark two")

Bare().run()
"""
FIGURES = ("first words, s", "first key answered, s", "processor time until then, s")


def started(command: list[str], home: Path, code: dict[str, str]) -> tuple[float, float, float]:
    """Launch once: seconds to the first words, to the answer of a key, and processor seconds until then."""
    places = {
        name: str(home / name) for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME")
    }
    terminal = Terminal(command, 100, 30, {"LANG": "C.UTF-8", **places, **code})
    first = terminal.wait("Mark one", terminal.started)
    terminal.send("right")
    answered = terminal.wait("Mark two", terminal.started)
    spent = terminal.cpu_s()
    terminal.close("q", "ctrl+c")
    if first.seconds is None or answered.seconds is None:
        raise SystemExit(f"{command}: not seen; the screen was\n{terminal.text}")
    return first.seconds, answered.seconds, spent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout, not the bare app")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else a checkout is compiled anew at each of its starts
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bare = Path(folder, "bare.py")
        bare.write_text(BARE, "utf-8")
        ours = [*TEACHRUN, "present", str(HERE / "deck.md")]
        turns: list[tuple[str, list[str], dict[str, str]]] = [("bare", [sys.executable, str(bare)], {})]
        if given.beside is not None:
            turns = [("beside", ours, {"PYTHONPATH": str(given.beside.resolve())})]
        turns.append(("ours", ours, {"PYTHONPATH": str(HERE.parents[1])}))
        found = []
        for n in range(given.pairs + 1):
            # Each time as if for the first: a class to go on with would be offered.
            both = [started(command, Path(folder, f"{name}{n}"), code) for name, command, code in turns]
            if n:  # the first pair fills the page cache, and compiles what never was
                found.append(both)
            time.sleep(0.2)
    for place, name in enumerate(FIGURES):
        theirs, mine = ([run[who][place] for run in found] for who in (0, 1))
        ratio = statistics.median(b / a for a, b in zip(theirs, mine, strict=True))
        middles = f"{turns[0][0]} {statistics.median(theirs):.2f}  ours {statistics.median(mine):.2f}"
        print(f"{name:30} {middles}  ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
