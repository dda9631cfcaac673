"""Counts the bytes of a step in three different figures: payload, on the wire, in theory.

    payload   what a rank hands to its library: whole buffers, as nccl-tests count them
    wire      what left the rank for the others, as the kernel counts it
              (`runtime.metrics.collectives.kernel_byte_counts`)
    theory    what has to leave a rank on average, by kind and size of group
              (`runtime.metrics.collectives.theory`)

An all-reduce of S on 4 ranks is S, 1.5 S and 1.5 S.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from runtime.metrics.collectives.bandwidth import Made, Members
from runtime.metrics.collectives.kernel_byte_counts import WireBytes
from runtime.metrics.collectives.theory import UNEQUAL, costs, least
from runtime.protocol.figures import RankRow

_PARTS = 1024  # of a byte
MOST = 16  # ranks for which the bytes of every link are reported


class Bytes(NamedTuple):
    """Bytes a step of one rank, means of the window; None: not known. `links` is `wire` by receiving rank."""

    payload: int | None = None
    wire: int | None = None
    theory: int | None = None
    links: Mapping[int, int] = {}


_Step = tuple[int, int | None]  # payload, and theory in parts of a byte; None: of one it is not known


class _Sum:
    """Payload and theory of the steps in a window of one rank, kept as they come and go.

    Theory is in whole parts of a byte, so that what is added and taken off again leaves nothing."""

    __slots__ = ("holding", "payload", "theory", "unknown")

    def __init__(self) -> None:
        self.holding = deque[_Step]()
        self.payload = self.theory = self.unknown = 0

    def add(self, step: _Step, window: int) -> None:
        self.holding.append(step)
        if len(self.holding) > window:
            oldest = self.holding.popleft()
            if oldest == step:  # as one step is, so are most
                return
            self._take(*oldest, -1)
        self._take(*step, 1)

    def _take(self, payload: int, theory: int | None, sign: int) -> None:
        self.payload += sign * payload
        self.theory += sign * (theory or 0)
        self.unknown += sign * (theory is None)

    def mean(self) -> tuple[float, float]:
        """Payload and theory of a step; theory NaN: of one of them it is not known."""
        steps = len(self.holding)
        return self.payload / steps, math.nan if self.unknown else self.theory / _PARTS / steps


class Volume:
    """The last `window` settled steps of every rank."""

    def __init__(self, world: int, window: int) -> None:
        self.on_wire = WireBytes(world, window)
        self._world = world
        self._window = window
        self._steps = [_Sum() for _ in range(world)]
        self._least: dict[tuple[str, str, int], float] = {}  # by kind, group, size
        self._found: dict[int, Bytes] = {}

    def of_step(self, issued: Made, groups: Mapping[str, Members]) -> tuple[int, float]:
        """Return payload and theory of one rank's collectives; NaN: one of them has no known theory."""
        payload, theory, known = 0, 0.0, self._least
        for key in issued:
            op, group, size = key
            payload += size
            share = known.get(key)
            if share is None:
                share = least(op, size, self.members(group, groups))
                share = known[key] = math.nan if share is None else share
            theory += share
        return payload, theory

    def settle(self, step: int, of_ranks: Iterable[tuple[int, Made]], groups: Mapping[str, Members]) -> None:
        """Add a settled step of all ranks that report their collectives."""
        self._least.clear()  # a group may have become known since
        before: Made | None = None
        counted: _Step = (0, 0)
        for rank, issued in of_ranks:
            if issued != before:  # as a rule a rank did what the one before it did
                before = issued
                payload, theory = self.of_step(issued, groups)
                counted = payload, None if math.isnan(theory) else round(theory * _PARTS)
            self._steps[rank].add(counted, self._window)
        self.on_wire.settle(step)
        self._found.clear()

    def leave(self, rank: int) -> None:
        """Forget the steps of a rank that the others went on without."""
        self._steps[rank] = _Sum()
        self.on_wire.leave(rank)
        self._found.pop(rank, None)

    def of(self, rank: int, least: float | None = None, counted: bool = True) -> Bytes:
        """Return the bytes of a step of this rank. `least` is the theory of its method, if not that of its
        collectives; `counted`: they use sockets that the kernel counts."""
        found = self._found.get(rank)
        if found is None:
            found = self._found[rank] = self._mean(rank, least, counted)
        return found

    def _mean(self, rank: int, least: float | None, counted: bool) -> Bytes:
        steps, links = self._steps[rank], self.on_wire.links(rank) if counted else None
        if not steps.holding:
            return Bytes()
        payload, theory = steps.mean()
        theory = theory if least is None else least
        return Bytes(
            round(payload),
            None if links is None else round(sum(links.values())),
            None if math.isnan(theory) else round(theory),
            {peer: round(size) for peer, size in links.items()} if links and self._world <= MOST else {},
        )

    def members(self, group: str, groups: Mapping[str, Members]) -> int:
        """Count the ranks of a group; all, if torch does not list its members."""
        known = groups.get(group)
        return len(known.ranks) if known is not None and known.ranks else self._world


class Whole(NamedTuple):
    """A rank's mean of each figure. `no_wire` says why `wire` is not known, `costs` why it is more than
    `theory`."""

    payload: int | None
    wire: int | None
    theory: int | None
    no_wire: str
    costs: tuple[str, ...]


def whole(
    rows: Sequence[RankRow],
    ops: Iterable[str],
    backend: str,
    on_wire: WireBytes,
    least: tuple[float, str] | None,
) -> Whole:
    """Return the ranks' means. `least`: bytes of the method as published, and what its library calls."""
    kinds = set(ops)
    why = ((least[1],) if least is not None else ()) + costs(backend, kinds)
    payload, wire, theory = (
        _mean([getattr(row, count) for row in rows]) for count in ("payload", "wire", "theory")
    )
    if "all-to-all" in kinds and wire is not None and theory is not None and wire < theory:
        why += (UNEQUAL,)
    return Whole(payload, wire, theory, _unknown(rows, backend, on_wire), why)


def _unknown(rows: Sequence[RankRow], backend: str, on_wire: WireBytes) -> str:
    """Return why the bytes on the wire are not known; "" if they are, or if there are none."""
    if not any(row.payload for row in rows) or all(row.wire is not None for row in rows):
        return ""
    if on_wire.why:
        return on_wire.why
    if backend != "gloo":
        return f"no socket counts what {backend} moves"
    if not on_wire.heard:
        return "nobody counted it in this run"
    return "not every rank has a TCP connection to another one"


def _mean(figures: Sequence[int | None]) -> int | None:
    """Return the mean over all ranks; None while one is not known."""
    known = [figure for figure in figures if figure is not None]
    return round(sum(known) / len(known)) if known and len(known) == len(figures) else None
