"""What ranks print, for who reads along: of a rank that only lost another one a line, not its traceback.

Where one rank fails all others fail of it, each with a traceback; the one that says why would be lost in
them. A script's own connections fail with the same words: where no rank says anything else, the first of the
tracebacks is shown after all. All of them stay in the logs of the run.
"""

from __future__ import annotations

import re

# What gloo, NCCL, the store and sockets say when the other end is gone.
_COMPLAINT = re.compile(
    r"connection (was )?(closed|reset|refused|aborted)|broken pipe|remote process exited|by peer|"
    r"NCCL communicator was aborted|failed to (recv|send), got 0 bytes|connectFullMesh",
    re.IGNORECASE,
)
_BEGINS = "Traceback (most recent call last)"
_MOST = 400  # lines of a traceback


def is_complaint(error: str) -> bool:
    """Whether an error, the last line of a traceback, only says that another rank is gone."""
    return _COMPLAINT.search(error) is not None


class RankOutput:
    """Tracebacks are held back until their last line, which says of what they are."""

    def __init__(self, world: int) -> None:
        self._alone = world == 1  # nobody else can have been lost
        self._held: dict[int, list[str]] = {}
        self._replaced: tuple[int, list[str]] | None = None  # the first one
        self._own = False  # whether another one was shown

    def take(self, rank: int, line: str) -> list[str]:
        """Take in a line of a rank; returns those that are to be shown now."""
        held = self._held.get(rank)
        if held is None:
            if self._alone or not line.startswith(_BEGINS):
                return [line]
            self._held[rank] = [line]
            return []
        held.append(line)
        if line[:1].isspace() and len(held) < _MOST:
            return []
        del self._held[rank]
        if not is_complaint(line):
            self._own = True
            return held
        self._replaced = self._replaced or (rank, held)
        return [f"a connection failed: {line}"]

    def rest(self, *, explained: bool) -> list[tuple[int, str]]:
        """Return what is still to be shown at the end, each line with its rank: what is held of ranks that
        were killed meanwhile, and where nothing else `explained` it the first traceback that was replaced."""
        whole = [] if self._replaced is None or self._own or explained else [self._replaced]
        return [(rank, line) for rank, lines in (*whole, *self._held.items()) for line in lines]
