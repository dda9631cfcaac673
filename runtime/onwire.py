"""What left every rank by its connections to the others, a step, from the counters of their kernel.

A rank knows its own sockets but not who is at the other end. Here the ends of all ranks come together: what
one calls (own, other) another has as (other, own). What nobody has so is no link between ranks but one to a
tracker or a data set, and does not count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from runtime.events import Links, Wire

MOST_ENDS = 100_000  # remembered of connections that may be closed by now
Ends = tuple[tuple[str, str], ...]


class _Left(NamedTuple):
    """What left by each of `ends` in so many steps; None where a counter was not known."""

    steps: int
    ends: Ends
    bytes: Sequence[int | None]


class OnWire:
    """The last `window` steps of every rank."""

    def __init__(self, world: int, window: int) -> None:
        self.why = ""  # a rank said that it cannot count
        self._world = world
        self._ends: dict[int, Ends] = {}
        self._at: dict[tuple[str, str], int] = {}  # the rank that has this end, or had it
        self._last: dict[int, tuple[int, Ends, Sequence[int]]] = {}
        self._pending: dict[int, dict[int, _Left]] = {}  # by rank and step, not settled yet
        self._settled = [deque[_Left](maxlen=window) for _ in range(world)]
        self._links: dict[int, dict[int, float] | None] = {}  # what `links` found, until the next step

    def know(self, event: Links) -> None:
        """The connections of a rank from now on."""
        self.why = self.why or event.why
        ends = tuple((own, other) for own, other in event.ends)
        if ends != self._ends.get(event.rank):
            self._ends[event.rank] = ends
            if len(self._at) > MOST_ENDS:
                self._at = {end: rank for rank, known in self._ends.items() for end in known}
            self._at.update(dict.fromkeys(ends, event.rank))
            self._links.clear()

    def add(self, event: Wire) -> None:
        """The counters of a rank at the end of a step."""
        ends = self._ends.get(event.rank, ())
        if not ends or len(event.sent) != len(ends):
            return  # what they are of got lost
        before = self._last.get(event.rank)
        self._last[event.rank] = event.step, ends, event.sent
        if before is None or event.step <= before[0]:
            return
        was: Sequence[int] = before[2]
        if before[1] != ends:
            known = dict(zip(before[1], was, strict=True))
            was = [known.pop(end, 0) for end in ends]  # a new connection had sent nothing
            closed = tuple(known)  # of which nobody knows what they carried at last
        else:
            closed = ()
        left: list[int | None] = [
            b - a if 0 <= a <= b else None for a, b in zip(was, event.sent, strict=True)
        ]
        self._pending.setdefault(event.rank, {})[event.step] = _Left(
            event.step - before[0], (*ends, *closed), [*left, *([None] * len(closed))]
        )

    def settle(self, step: int) -> None:
        """All steps up to this one are over."""
        for rank, pending in self._pending.items():
            for over in [s for s in pending if s <= step]:
                self._settled[rank].append(pending.pop(over))
        self._links.clear()

    def leave(self, rank: int) -> None:
        """The others went on without it: its steps of long ago are forgotten."""
        self._settled[rank].clear()
        self._links.pop(rank, None)

    def of_step(self, rank: int, step: int) -> int | None:
        """Bytes that left a rank for others in a step that is not settled yet; None: not known."""
        left = self._pending.get(rank, {}).get(step)
        links = None if left is None else self._by_peer(rank, (left,))
        return None if links is None else round(sum(links.values()))

    def links(self, rank: int) -> dict[int, float] | None:
        """Bytes a step to each rank it is connected with, mean of the window; None: not known."""
        if rank not in self._links:
            self._links[rank] = self._by_peer(rank, self._settled[rank])
        return self._links[rank]

    def _by_peer(self, rank: int, steps: Sequence[_Left]) -> dict[int, float] | None:
        total, count = dict[int, float](), 0
        for left in steps:
            peers = [self._at.get((other, own), rank) for own, other in left.ends]
            ours = [(to, size) for to, size in zip(peers, left.bytes, strict=True) if to != rank]
            if any(size is None for _, size in ours):
                continue  # a connection was closed in it: what it had carried is not known
            count += left.steps
            for to, size in ours:
                total[to] = total.get(to, 0.0) + (size or 0)
        return {to: size / count for to, size in sorted(total.items())} if total else None

    @property
    def heard(self) -> bool:
        """Has any rank said what its connections are?"""
        return bool(self._ends)
