"""Undo: what can be taken back, and a journal without what was. The state is folded again from the rest."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.classroom.actions import Again, Answer, Entry, Hands, Hint, Lock, Reveal, Timer, Undo

UNDOABLE = (Answer, Hands, Hint, Lock, Again, Reveal, Timer)


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that were not undone."""
    lines = list(entries)
    undone = {entry.action.seq for entry in lines if isinstance(entry.action, Undo)}
    return [line for line in lines if line.seq not in undone or not isinstance(line.action, UNDOABLE)]


class OwnUndo:
    """What one screen did that it can still take back, by the host's numbers."""

    def __init__(self) -> None:
        self._seqs: list[int] = []

    def ordered(self, entry: Entry) -> None:
        """Keep an entry of this screen that the host has ordered; of a clock only a reset counts."""
        action = entry.action
        if isinstance(action, UNDOABLE) and (not isinstance(action, Timer) or action.op == "reset"):
            self._seqs.append(entry.seq)

    def newest(self) -> Undo | None:
        """What takes back the newest of them, which is gone with that; None: there is none."""
        return Undo(self._seqs.pop()) if self._seqs else None
