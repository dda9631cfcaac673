"""A device with two streams: what it computes, in a fixed order, and what it sends, in an order to be found.

The stream of collectives does one after the other, in the order of the answer: `g4 g3 g2`. One begins when
the one before is done, the work whose numbers it sends is done, and, if it gathers weights, one of the few
slots for them is free; the slot is free again when the work that needed these weights is done. A piece of
work begins when the one before is done and all it needs has arrived. So an order can be slow, or stand still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from runtime.puzzles.verdict import Fault, Judged, Unreadable


class Work(NamedTuple):
    """A piece of work that takes `steps`, once the collectives `needs` have arrived."""

    name: str
    steps: int
    needs: tuple[str, ...] = ()
    kind: str = "forward"  # or backward: its colour


class Collective(NamedTuple):
    """What is sent for `steps`, once the work `after` is done; a gather holds a slot till `until` is."""

    name: str
    steps: int
    after: str = ""
    until: str = ""


class Timed(NamedTuple):
    """When something is done: from step `start` up to `end`, which it has not."""

    name: str
    start: int
    end: int


class Played(NamedTuple):
    """What both streams do by an order; `stuck` says why they stand still, "" if they do not."""

    work: tuple[Timed, ...]
    sent: tuple[Timed, ...]
    stuck: str = ""

    @property
    def steps(self) -> int:
        """Steps until everything is done."""
        return max((one.end for one in (*self.work, *self.sent)), default=0)


@dataclass(frozen=True)
class Streams:
    """Work in its order, the collectives in the order they have at first, and slots for gathered weights."""

    work: tuple[Work, ...]
    collectives: tuple[Collective, ...]
    slots: int = 0

    def read(self, text: str) -> tuple[str, ...]:
        """Read an order: the names of all collectives. Raises `Unreadable`."""
        names = text.replace(",", " ").replace("\n", " ").split()
        known = [one.name for one in self.collectives]
        for name in names:
            if name not in known:
                raise Unreadable(f"there is no collective {name[:20]!r}; there are {' '.join(known)}")
            if names.count(name) > 1:
                raise Unreadable(f"{name} is there twice: name each once")
        missing = [name for name in known if name not in names]
        if missing:
            raise Unreadable(f"{' '.join(missing)} missing: name each once")
        return tuple(names)

    def first(self) -> tuple[str, ...]:
        """Return the order that a puzzle begins with."""
        return tuple(one.name for one in self.collectives)

    def play(self, order: Sequence[str]) -> Played:
        """Do the work and send in this order, as far as both streams get."""
        return _Run(self, tuple(order)).play()

    def judge(self, text: str) -> Judged:
        """Score an order by its steps; one that stands still has no score. Raises `Unreadable`."""
        order = self.read(text)
        played = self.play(order)
        if played.stuck:
            return Judged(None, (Fault(played.stuck, 1, len(played.sent)),))
        return Judged(played.steps)


class _Run:
    """Both streams, advanced in turn; each only ever waits for what is already placed."""

    def __init__(self, streams: Streams, order: tuple[str, ...]) -> None:
        self.streams, self.order = streams, order
        self.by_name = {one.name: one for one in streams.collectives}
        self.work: list[Timed] = []
        self.sent: list[Timed] = []
        self.done: dict[str, int] = {}
        self.free = [0] * streams.slots  # from when each slot is free; those taken are not in here
        self.taken: dict[str, str] = {}  # gather -> the work that frees its slot

    def play(self) -> Played:
        while self._compute() or self._send():
            pass
        return Played(tuple(self.work), tuple(self.sent), self._why())

    def _compute(self) -> bool:
        if len(self.work) == len(self.streams.work):
            return False
        one = self.streams.work[len(self.work)]
        if any(name not in self.done for name in one.needs):
            return False
        start = max([self.work[-1].end if self.work else 0, *(self.done[name] for name in one.needs)])
        self.work.append(Timed(one.name, start, start + one.steps))
        self.done[one.name] = start + one.steps
        for gather, until in list(self.taken.items()):
            if until == one.name:
                del self.taken[gather]
                self.free.append(start + one.steps)
        return True

    def _send(self) -> bool:
        if len(self.sent) == len(self.order):
            return False
        one = self.by_name[self.order[len(self.sent)]]
        if (one.after and one.after not in self.done) or (one.until and not self.free):
            return False
        start = max(self.sent[-1].end if self.sent else 0, self.done.get(one.after, 0))
        if one.until:
            slot = min(self.free)
            self.free.remove(slot)
            start = max(start, slot)
            self.taken[one.name] = one.until
        self.sent.append(Timed(one.name, start, start + one.steps))
        self.done[one.name] = start + one.steps
        return True

    def _why(self) -> str:
        if len(self.sent) == len(self.order):
            return ""
        one = self.by_name[self.order[len(self.sent)]]
        work = self.streams.work[len(self.work)] if len(self.work) < len(self.streams.work) else None
        if work is None:
            return ""
        missing = [name for name in work.needs if name not in self.done]
        waits = f"{work.name} waits for {' and '.join(missing)}, which comes later in the queue"
        if one.until and not self.free and not (one.after and one.after not in self.done):
            return f"deadlock: {one.name} waits for a free slot, {waits}"
        return f"deadlock: {one.name} waits for {one.after}, {waits}"


@lru_cache(32)
def best(streams: Streams) -> tuple[int, str]:
    """Return the fewest steps, and an order that takes them: every order is tried that can still be better.

    A prefix is left as soon as the work still to be done, one piece after the other from where it has come
    to, or what is still to be sent, takes as long as the best known.
    """
    names = streams.first()
    length = {one.name: one.steps for one in streams.collectives}
    after = {one.name: one.after for one in streams.collectives}
    fewest = sum(length.values()) + sum(one.steps for one in streams.work) + 1
    found: tuple[str, ...] = ()
    seen: dict[frozenset[str], list[tuple[int, ...]]] = {}

    def look(prefix: tuple[str, ...]) -> None:
        nonlocal fewest, found
        run = _Run(streams, prefix)
        played = run.play()
        if len(played.sent) < len(prefix):
            return  # it stands still, and more in the queue changes nothing
        if len(prefix) == len(names):
            if not played.stuck and played.steps < fewest:
                fewest, found = played.steps, prefix
            return
        left = [name for name in names if name not in prefix]
        sent_end = played.sent[-1].end if played.sent else 0
        work_end = played.work[-1].end if played.work else 0
        rest = sum(one.steps for one in streams.work[len(played.work) :])
        if max(work_end + rest, sent_end + sum(length[name] for name in left)) >= fewest:
            return
        # The same collectives in another order: worse in every respect is worse whatever follows.
        ends = {one.name: one.end for one in (*played.work, *played.sent)}
        open_ = [ends[name] for name in (*(w.name for w in streams.work), *names) if name in ends]
        state = (sent_end, *open_, *sorted(run.free))
        key = frozenset(prefix)
        known = seen.setdefault(key, [])
        if any(len(k) == len(state) and all(a <= b for a, b in zip(k, state, strict=True)) for k in known):
            return
        known.append(state)
        for name in sorted(left, key=lambda n: (after[n] not in ends, names.index(n))):
            look((*prefix, name))

    look(())
    return fewest, " ".join(found)
