"""What ranks print, for who reads along: of a rank that only lost another one a line, not its traceback.

Where one rank fails all others fail of it, each with a traceback; the one that says why would be lost in
them. All of them stay in the logs of the run.
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

    def __init__(self) -> None:
        self._held: dict[int, list[str]] = {}

    def take(self, rank: int, line: str) -> list[str]:
        """Take in a line of a rank; returns those that are to be shown now."""
        held = self._held.get(rank)
        if held is None:
            if not line.startswith(_BEGINS):
                return [line]
            self._held[rank] = [line]
            return []
        held.append(line)
        if line[:1].isspace() and len(held) < _MOST:
            return []
        del self._held[rank]
        return ["ended, since it had lost another rank"] if is_complaint(line) else held
