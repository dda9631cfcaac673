"""Why ranks have failed or stand still, as it is shown: words, who does what, who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RankRow:
    """What one rank does: `doing` (`send 1.0 MB`), with whom, at which line, for how many seconds.

    `waits_at` is the line where it waits for what was begun at `line`, 0 where that is the same. What it was
    to get at a place and what it got, or its bytes and their bound, where a check has compared them.
    """

    rank: int
    line: int
    doing: str
    partner: str
    since_s: float | None
    bad: bool
    waits_at: int = 0
    place: str = ""
    expected: str = ""
    got: str = ""
    measured: float = 0.0
    bound: float = 0.0


@dataclass(frozen=True)
class Diagnosis:
    """Why a run has failed.

    `kind` is deadlock, mismatch, slow, crash, unfinished, wrong, bytes, shortcut or changed;
    `line` is the student's line to look at, 0 if none; `edges` are who waits for whom.
    """

    kind: str
    headline: str
    details: tuple[str, ...] = ()
    meaning: str = ""
    line: int = 0
    rows: tuple[RankRow, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    file: str = ""  # whose line it is, where that is not known anyway

    @property
    def text(self) -> str:
        """All of it in lines."""
        return "\n".join([self.headline, *self.details, *([self.meaning] if self.meaning else [])])
