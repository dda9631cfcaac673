"""teachrun in a process of its own, as tests and benches start it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, NamedTuple

TEACHRUN = (sys.executable, "-P", "-m", "tui.cli")


class Ended(NamedTuple):
    """Exit status of a process, and what it wrote."""

    code: int
    out: str
    err: str


def teachrun(*words: str, typed: str = "", timeout_s: float = 170.0, **options: Any) -> Ended:
    """Run `teachrun WORDS` to its end. `typed`: its stdin; `options`: those of `subprocess.run`."""
    done = subprocess.run(
        [*TEACHRUN, *words],
        input=typed, capture_output=True, text=True, timeout=timeout_s, check=False, **options,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)
