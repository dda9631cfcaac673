"""The note of a badge that says how many ranks share the cores of this machine: `4 ranks on 2 cores`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOTE = re.compile(r"\d+ ranks on \d+ cores?\b")


def note(ranks: int, cores: int) -> str:
    """Return the note; "" where each rank has a core of its own."""
    return f"{ranks} ranks on {cores} core{'s' * (cores > 1)}" if ranks > cores else ""


def found(bent: Iterable[str]) -> str:
    """Return that note among what is told beside a badge, and what was added to it; "" if it is not there."""
    return next((word for word in bent if _NOTE.match(word)), "")
