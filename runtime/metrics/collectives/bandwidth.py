"""Calls, bytes and bandwidth of each kind of collective, from settled steps.

Two figures, as NVIDIA's nccl-tests give them (doc/PERFORMANCE.md, and the `GetBw` functions of its sources):

    algbw   bytes / seconds, with the bytes of the whole buffer (for an all-gather what is gathered)
    busbw   algbw x what a link carries per byte of it, so that it can be held against the hardware's figure

`seconds` is transfer alone, from the entry of the last rank to the end: waiting for a late rank is not a
property of the links. `busbw` is the algorithm's: with gloo a reduce-scatter runs as all-reduces inside
(pytorch PR 149869), which puts more on the wire than the factor of a reduce-scatter says.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from runtime.catalog.params import printable
from runtime.metrics.collectives.theory import least
from runtime.metrics.collectives.waiting_time import Entered
from runtime.protocol.figures import OpRow

WORLD = "world"  # what the group of all ranks is called
MOST_GROUPS = 8  # alike in place, whose members are listed


def bus_factor(op: str, members: int) -> float:
    """Return bytes over the busiest link per byte of the buffer, for the best algorithm on so many ranks."""
    n = members
    if op == "all-reduce":
        return 2 * (n - 1) / n
    if op in ("all-gather", "reduce-scatter", "all-to-all", "gather", "scatter"):
        return (n - 1) / n
    return 1.0  # broadcast, reduce, send, receive: all of it goes over a link once


class Members(NamedTuple):
    """A process group: what torch calls it, and its ranks (none: torch does not list them)."""

    name: str
    ranks: tuple[int, ...]

    def label(self, world: int) -> str:
        """Return its name on a screen; groups along the same dimension of a mesh share one."""
        if len(self.ranks) == world:
            return WORLD
        if self.name.startswith("mesh_"):
            return printable(self.name.removeprefix("mesh_"))
        if self.name in ("", "undefined"):
            return "ranks " + listed(self.ranks) if self.ranks else "a group"
        return printable(self.name)


Kind = tuple[str, str]  # op, group
Made = tuple[tuple[str, str, int], ...]  # the collectives of a rank's step: op, group, bytes
# Of each kind in a rank's step: its calls and bytes; and seconds of transfer, None: not known.
Timed = tuple[Sequence[tuple[Kind, int, int]], Sequence[float | None]]


class Kinds(NamedTuple):
    """The kinds of collective in a rank's step, in the order of their first: the number of each collective's,
    and of each kind its calls and bytes."""

    of: tuple[int, ...]
    sums: tuple[tuple[Kind, int, int], ...]


@lru_cache(maxsize=4096)  # of thousands of ranks most do the same, step by step
def kinds_of(made: Made) -> Kinds:
    """Sort a step's collectives by kind."""
    numbers: dict[Kind, int] = {}
    of = tuple(numbers.setdefault((op, group), len(numbers)) for op, group, _ in made)
    calls = Counter(of)
    size: Counter[int] = Counter()
    for number, (_, _, its) in zip(of, made, strict=True):
        size[number] += its
    return Kinds(of, tuple((kind, calls[number], size[number]) for kind, number in numbers.items()))


def calls_of(entered: Iterable[Entered]) -> Timed:
    """Return the same of one step whose collectives are looked at one by one, with the time they took."""
    kinds: dict[Kind, list[Entered]] = {}
    for one in entered:
        kinds.setdefault((one.collective.op, one.collective.group), []).append(one)
    sums = [(kind, len(calls), sum([one.collective.bytes for one in calls])) for kind, calls in kinds.items()]
    return sums, list(map(transfer_s, kinds.values()))


class _Sum:
    """One kind of collective in one group in a step, over all of its ranks; `known`: of those timed."""

    __slots__ = ("bytes", "calls", "known", "known_bytes", "ranks", "seconds")

    def __init__(self) -> None:
        self.ranks = self.calls = self.bytes = self.known = self.known_bytes = 0
        self.seconds = 0.0

    def add(self, calls: int, size: int, seconds: float | None) -> None:
        """Add the collectives of one more rank."""
        self.ranks += 1
        self.calls += calls
        self.bytes += size
        if seconds is not None:
            self.known += 1
            self.known_bytes += size
            self.seconds += seconds

    def merge(self, other: _Sum) -> None:
        self.ranks += other.ranks
        self.calls += other.calls
        self.bytes += other.bytes
        self.known += other.known
        self.known_bytes += other.known_bytes
        self.seconds += other.seconds


class _Alike(NamedTuple):
    """One kind of collective in the groups of the same place in a mesh, in a step; and who is in
    them, where these are not too many."""

    sum: _Sum
    groups: set[tuple[int, ...]]


Row = tuple[str, str, int]  # kind, what the group is called, its ranks


class Traffic:
    """The last `window` settled steps of a run."""

    def __init__(self, window: int) -> None:
        self._steps: deque[dict[Kind, _Sum]] = deque(maxlen=window)
        self._merged: deque[dict[Row, _Alike]] = deque(maxlen=window)  # the same by row, as far as asked for
        self._fresh = 0  # of `_steps`, so many that are not in `_merged` yet
        self._groups: dict[str, Members] = {}  # by which they were merged
        self._rows: tuple[OpRow, ...] = ()

    def settled(self, of_ranks: Iterable[Timed]) -> None:
        """Add a settled step: the collectives of each rank, by kind."""
        sums: defaultdict[Kind, _Sum] = defaultdict(_Sum)
        for kinds, seconds in of_ranks:
            for (kind, calls, size), took in zip(kinds, seconds, strict=True):
                sums[kind].add(calls, size, took)
        self._steps.append(sums)
        self._fresh = min(self._fresh + 1, len(self._steps))

    def rows(self, groups: Mapping[str, Members], world: int) -> tuple[OpRow, ...]:
        """Return means per step and participating rank, the most bytes first. `groups` are by id."""
        if self._groups != groups:
            self._groups, self._fresh = dict(groups), len(self._steps)
        if self._fresh:
            for sums in list(self._steps)[-self._fresh :]:
                self._merged.append(self._merge(sums, world))
            self._fresh = 0
            self._rows = self._found()
        return self._rows

    def _merge(self, sums: Mapping[Kind, _Sum], world: int) -> dict[Row, _Alike]:
        unknown = Members("", ())
        merged: dict[Row, _Alike] = {}
        for (op, group), part in sums.items():
            members = self._groups.get(group, unknown)
            kind = (op, members.label(world), len(members.ranks))
            alike = merged.get(kind)
            if alike is None:
                alike = merged[kind] = _Alike(_Sum(), set())
            alike.sum.merge(part)
            if len(alike.groups) <= MOST_GROUPS:
                alike.groups.add(members.ranks)
        return merged

    def _found(self) -> tuple[OpRow, ...]:
        steps: dict[Row, list[_Alike]] = {}
        for merged in self._merged:
            for row, alike in merged.items():
                steps.setdefault(row, []).append(alike)
        found = [
            self._row(*row, sorted(set().union(*(each.groups for each in alike))), [a.sum for a in alike])
            for row, alike in steps.items()
        ]
        return tuple(sorted(found, key=lambda row: (-row.bytes, row.op, row.group)))

    def _row(
        self, op: str, group: str, members: int, alike: Sequence[tuple[int, ...]], parts: Sequence[_Sum]
    ) -> OpRow:
        total = _Sum()
        for part in parts:
            total.merge(part)
        # Of a kind that is not in every step the others have none: they count, but not as untimed.
        rank_steps = max(part.ranks for part in parts) * len(self._steps)
        timed = rank_steps - (total.ranks - total.known)
        seconds = total.seconds / timed if total.known else None
        algbw = total.known_bytes / total.seconds if total.seconds > 0 and total.known_bytes else None
        return OpRow(
            op=op,
            group=group,
            members=members,
            ranks=" ".join(map(listed, alike)) if group != WORLD and 0 < len(alike) <= MOST_GROUPS else "",
            calls=total.calls / rank_steps,
            bytes=round(total.bytes / rank_steps),
            seconds=seconds,
            algbw=algbw,
            busbw=algbw * bus_factor(op, members) if algbw is not None and members else None,
            theory=_theory(op, total.bytes / rank_steps, members),
        )


def _theory(op: str, size: float, members: int) -> int | None:
    share = least(op, round(size), members) if members else None
    return None if share is None else round(share)


def transfer_s(entered: Sequence[Entered]) -> float | None:
    """Return the seconds in which at least one of them was under way with all ranks entered; None: an entry
    or end is not known."""
    intervals = []
    for one in entered:
        end = one.end
        if one.last is None or end is None:
            return None
        intervals.append((one.last, end))
    seconds, until = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        if end > begin and end > until:
            seconds += end - (begin if begin > until else until)
            until = end
    return seconds


def listed(ranks: Sequence[int]) -> str:
    """`0,2`, or `0-3` for neighbours."""
    if len(ranks) > 2 and list(ranks) == list(range(ranks[0], ranks[0] + len(ranks))):
        return f"{ranks[0]}-{ranks[-1]}"
    shown = ",".join(str(rank) for rank in ranks[:6])
    return shown + (",…" if len(ranks) > 6 else "")
