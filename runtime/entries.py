"""When each rank entered each collective, and what only all of them tell: who was last, who is missing.

Only the groups that torch listed are known by their members; any other is taken for all ranks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from runtime.bandwidth import Members
from runtime.events import Collective

# One collective on all of its members: (group, seq, -1, -1), or a transfer: (group, seq, sender, receiver).
Key = tuple[str, int, int, int]


class Compared(NamedTuple):
    """The collectives of one step. `last`: when the last member entered, None where an entry never came;
    `lost`: the ranks whose entries those are; `late`: seconds of a rank behind the median of the others, once
    for each group, in its last collective."""

    last: dict[Key, float | None]
    lost: set[int]
    late: list[tuple[int, float]]


class Entries:
    """Entries that wait for those of the other ranks."""

    def __init__(self, world: int) -> None:
        self.world = world
        self.groups: dict[str, Members] = {}
        self._entered: dict[Key, dict[int, float]] = {}
        self._half: Counter[Key] = Counter()  # how many members have compared it, where not all at once

    def add(self, c: Collective) -> None:
        self._entered.setdefault(self.key(c), {})[c.rank] = c.t_issue

    def key(self, c: Collective) -> Key:
        """What the entries of all members have in common. Ranks of a transfer are counted in its group."""
        if c.peer < 0:
            return c.group, c.seq, -1, -1
        ranks = self._ranks(c.group, ())
        own = ranks.index(c.rank) if c.rank in ranks else c.rank
        return (c.group, c.seq, own, c.peer) if c.op == "send" else (c.group, c.seq, c.peer, own)

    def compare(self, issued: Iterable[Collective]) -> Compared:
        """Compare the entries of these collectives of one step, and take them out when all members have.

        A server counts its steps otherwise than who it serves: a transfer is the last of one's step and the
        first of the other's next.
        """
        keys = Counter(map(self.key, issued))
        entries = {key: self._entered.get(key, {}) for key in keys}
        members = {key: self._members(key) for key in keys}
        again = keys.keys() & self._half.keys()
        for key in keys.keys() & self._entered.keys():
            self._half[key] += keys[key]
            if self._half[key] >= len(members[key]):
                del self._entered[key], self._half[key]
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
        late: list[tuple[int, float]] = []
        for key in sorted(keys):
            group, seq, sender, _ = key
            if (
                sender < 0
                and key not in again
                and last[key] is not None
                and (group, seq + 1, -1, -1) not in keys
            ):
                late += lateness(entries[key])
        return Compared(last, lost, late)

    def forget(self) -> None:
        """What came too late for its step must not pile up."""
        limit = 64 * self.world + 1024
        while len(self._entered) > limit:
            oldest = next(iter(self._entered))
            del self._entered[oldest]
            self._half.pop(oldest, None)

    def _ranks(self, group: str, otherwise: Sequence[int]) -> Sequence[int]:
        known = self.groups.get(group)
        return otherwise if known is None else known.ranks

    def _members(self, key: Key) -> Sequence[int]:
        """The ranks that enter it; all of them where torch did not list those of the group."""
        group, _, sender, receiver = key
        ranks = self._ranks(group, range(self.world))
        if sender < 0:
            return ranks
        return [ranks[end] for end in (sender, receiver) if end < len(ranks)]


def lateness(entered: dict[int, float]) -> Iterator[tuple[int, float]]:
    """(rank, its entry minus the median entry of the other members); nothing for a member alone."""
    order = sorted(entered.values())
    others = len(order) - 1
    if others < 1:
        return
    for number, entry in entered.items():
        own = bisect_left(order, entry)
        half = others // 2
        middle = order[half + (half >= own)]
        if others % 2 == 0:
            middle = (middle + order[half - 1 + (half - 1 >= own)]) / 2
        yield number, entry - middle
