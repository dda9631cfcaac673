"""Counts the bytes that left every rank for the others in a step, from the kernel's counters.

A rank knows its own sockets but not who is at the other end. Here the ends of all ranks are matched: what one
calls (own, other) another has as (other, own). A connection without a match leads elsewhere, to a tracker or
a data set, and does not count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from runtime.protocol.events import Links, Wire

MOST_ENDS = 100_000  # remembered of connections that may be closed by now
Ends = tuple[tuple[str, str], ...]


class _Left(NamedTuple):
    """What left by each of `ends` in so many steps; None where a counter was not known."""

    steps: int
    ends: Ends
    bytes: Sequence[int | None]


class _Read(NamedTuple):
    """The same by the rank it went to; `to` None: a connection was closed in it, what that had carried is not
    known."""

    steps: int
    to: dict[int, int] | None


class _Sum:
    """Of the steps in a window of one rank, kept as they come and go: a snapshot goes over none of them."""

    __slots__ = ("bytes", "holding", "steps", "times")

    def __init__(self, steps: Sequence[_Read]) -> None:
        self.steps = 0
        self.bytes: dict[int, int] = {}
        self.times: dict[int, int] = {}  # steps in which it was connected with that rank
        self.holding = deque[_Read]()
        for step in steps:
            self.add(step)

    def add(self, step: _Read) -> None:
        self.holding.append(step)
        if step.to is not None:
            self.steps += step.steps
            for rank, size in step.to.items():
                self.bytes[rank] = self.bytes.get(rank, 0) + size
                self.times[rank] = self.times.get(rank, 0) + 1

    def drop(self) -> None:
        """Remove the oldest step from the window."""
        step = self.holding.popleft()
        if step.to is not None:
            self.steps -= step.steps
            for rank, size in step.to.items():
                self.bytes[rank] -= size
                self.times[rank] -= 1
                if not self.times[rank]:
                    del self.bytes[rank], self.times[rank]

    def links(self) -> dict[int, float] | None:
        return {to: size / self.steps for to, size in sorted(self.bytes.items())} if self.bytes else None


class WireBytes:
    """The last `window` steps of every rank."""

    def __init__(self, world: int, window: int) -> None:
        self.why = ""  # a rank said that it cannot count
        self._world = world
        self._ends: dict[int, Ends] = {}
        self._at: dict[tuple[str, str], int] = {}  # the rank that has this end, or had it
        self._last: dict[int, tuple[int, Ends, Sequence[int]]] = {}
        self._pending: dict[int, dict[int, _Left]] = {}  # by rank and step, not settled yet
        self._settled = [deque[_Left](maxlen=window) for _ in range(world)]
        self._sums: dict[int, _Sum] = {}  # of `_settled`, until somebody has other connections
        self._peers: dict[int, tuple[int, ...]] = {}  # by rank: who is at its `_ends`; itself: nobody is

    def know(self, event: Links) -> None:
        """Set the connections that a rank has from now on."""
        self.why = self.why or event.why
        ends = tuple((own, other) for own, other in event.ends)
        if ends != self._ends.get(event.rank):
            self._ends[event.rank] = ends
            if len(self._at) > MOST_ENDS:
                self._at = {end: rank for rank, known in self._ends.items() for end in known}
            self._at.update(dict.fromkeys(ends, event.rank))
            self._sums.clear()
            self._peers.clear()

    def add(self, event: Wire) -> None:
        """Add the counters of a rank at the end of a step."""
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
        """Settle all steps up to this one."""
        for rank, pending in self._pending.items():
            kept, summed = self._settled[rank], self._sums.get(rank)
            for over in [s for s in pending if s <= step]:
                left = pending.pop(over)
                if summed is not None:
                    if len(kept) == kept.maxlen:
                        summed.drop()
                    summed.add(self._read(rank, left))
                kept.append(left)

    def leave(self, rank: int) -> None:
        """Forget the steps of a rank that the others went on without."""
        self._settled[rank].clear()
        self._sums.pop(rank, None)

    def of_step(self, rank: int, step: int) -> int | None:
        """Return the bytes that left a rank for others in a step not settled yet; None: not known."""
        left = self._pending.get(rank, {}).get(step)
        to = None if left is None else self._read(rank, left).to
        return round(sum(to.values()) / left.steps) if left is not None and to else None

    def links(self, rank: int) -> dict[int, float] | None:
        """Return the bytes a step to each connected rank, mean of the window; None: not known."""
        summed = self._sums.get(rank)
        if summed is None:
            summed = self._sums[rank] = _Sum([self._read(rank, left) for left in self._settled[rank]])
        return summed.links()

    def crossing(self, rank: int, nodes: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the ports, own and other, of a rank's connections with other nodes; `nodes` by rank."""
        ends = self._ends.get(rank, ())
        peers = self._at_ends(rank, ends)
        return tuple(
            (_port(own), _port(other))
            for (own, other), peer in zip(ends, peers, strict=True)
            if nodes[peer] != nodes[rank]
        )

    def _read(self, rank: int, left: _Left) -> _Read:
        if left.ends == self._ends.get(rank):
            peers = self._peers.get(rank)
            if peers is None:
                peers = self._peers[rank] = self._at_ends(rank, left.ends)
        else:
            peers = self._at_ends(rank, left.ends)
        to: dict[int, int] = {}
        for peer, size in zip(peers, left.bytes, strict=True):
            if peer != rank:
                if size is None:
                    return _Read(left.steps, None)
                to[peer] = to.get(peer, 0) + size
        return _Read(left.steps, to)

    def _at_ends(self, rank: int, ends: Ends) -> tuple[int, ...]:
        return tuple(self._at.get((other, own), rank) for own, other in ends)

    @property
    def heard(self) -> bool:
        """Whether any rank has reported its connections."""
        return bool(self._ends)


def _port(end: str) -> int:
    return int(end.rpartition(":")[2])
