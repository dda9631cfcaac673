"""Compares when each rank entered each collective: who was last, who is missing.

The members of a group are known only if torch listed them; any other group is taken for all ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from runtime.metrics.collectives.bandwidth import Members
from runtime.protocol.events import Collective

# One collective on all of its members: (group, seq, -1, -1), or a transfer: (group, seq, sender, receiver).
Key = tuple[str, int, int, int]


class Compared(NamedTuple):
    """The collectives of one step. `last`: when the last member entered, None where an entry never came;
    `lost`: the ranks whose entries those are; `over`: the earliest end of a transfer that one of two saw."""

    last: dict[Key, float | None]
    lost: set[int]
    over: dict[Key, float]


class Entries:
    """Keeps entries until those of the other ranks have come."""

    def __init__(self, world: int) -> None:
        self.world = world
        self.groups: dict[str, Members] = {}
        self._entered: dict[Key, dict[int, float]] = {}
        self._over: dict[Key, float] = {}
        self._half: Counter[Key] = Counter()  # how many members have compared it, where not all at once

    def add(self, c: Collective) -> None:
        """Note when a rank entered a collective (seconds), and of a transfer also when it ended."""
        key = (c.group, c.seq, -1, -1) if c.peer < 0 else self.key(c)
        entered = self._entered.get(key)
        if entered is None:
            entered = self._entered[key] = {}
        entered[c.rank] = c.t_issue
        if c.peer >= 0 and c.t_done is not None:
            self._over[key] = min(c.t_done, self._over.get(key, c.t_done))

    def key(self, c: Collective) -> Key:
        """Return what identifies a collective on all members, a transfer by its ranks' places there."""
        if c.peer < 0:
            return c.group, c.seq, -1, -1
        ranks = self._ranks(c.group, ())
        own = ranks.index(c.rank) if c.rank in ranks else c.rank
        return (c.group, c.seq, own, c.peer) if c.op == "send" else (c.group, c.seq, c.peer, own)

    def keys(self, issued: Iterable[Collective]) -> list[Key]:
        """Return the key of each."""
        key = self.key
        return [(c.group, c.seq, -1, -1) if c.peer < 0 else key(c) for c in issued]

    def compare(self, issued: Iterable[Key]) -> Compared:
        """Compare the entries of these collectives of one step, a key for each rank that issued it, and take
        them out when all members have.

        Ranks may count steps differently: a transfer can be the last of one rank's step and the first of
        another's next.
        """
        keys = Counter(issued)
        entries = {key: self._entered.get(key, {}) for key in keys}
        members = {key: self._members(key) for key in keys}
        over = {key: self._over[key] for key in keys.keys() & self._over.keys()}
        for key in keys.keys() & self._entered.keys():
            self._half[key] += keys[key]
            if self._half[key] >= len(members[key]):
                del self._entered[key], self._half[key]
                self._over.pop(key, None)
        last = {
            key: max(entered.values()) if len(entered) == len(members[key]) else None
            for key, entered in entries.items()
        }
        lost = {
            member
            for key, entered in entries.items()
            if last[key] is None
            for member in members[key]
            if member not in entered
        }
        return Compared(last, lost, over)

    def forget(self) -> None:
        """Drop entries that came too late for their step."""
        limit = 64 * self.world + 1024
        while len(self._entered) > limit:
            oldest = next(iter(self._entered))
            del self._entered[oldest]
            self._half.pop(oldest, None)
            self._over.pop(oldest, None)

    def _ranks(self, group: str, otherwise: Sequence[int]) -> Sequence[int]:
        known = self.groups.get(group)
        return otherwise if known is None else known.ranks

    def _members(self, key: Key) -> Sequence[int]:
        """Return the ranks that enter it; all, if torch did not list those of the group."""
        group, _, sender, receiver = key
        ranks = self._ranks(group, range(self.world))
        if sender < 0:
            return ranks
        return [ranks[end] for end in (sender, receiver) if end < len(ranks)]
