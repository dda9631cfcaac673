"""Follows the collectives of a rank, and how long training stood still for each.

The end of a collective is known from its future; for those without one (a reduce-scatter over gloo,
send and receive) from the return of a wait for it, which is never early but can be late: if that returns at
once, the end was some time before, and is not known.

**Exposed time.** Communication is exposed while the training thread can do nothing else. A caller that waits
in Python stands in `Work.wait` or `wait_tensor`, or in the whole call where that is not asynchronous. DDP's
reducer waits in C++, at the end of backward: from the moment its last bucket is under way all gradients are
there, so the rest of backward is nothing but waiting (`exposure`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from runtime.ranks.fail_safe import silent

now = time.monotonic
# A wait that returns sooner had nothing to wait for: of what has no future, when it ended was not seen.
AT_ONCE_S = 200e-6


def exposure(last_issue: float, done: Sequence[float], returned: float) -> list[float]:
    """Return the exposed seconds of each collective of one backward; they end at `done` (ascending).

    Collective k is exposed in `[max(last_issue, done of k-1), min(done of k, returned)]`: one after the
    other, so that the sum is the time between the issue of the last bucket and the end of the last transfer.
    """
    parts, reached = [], last_issue
    for t in done:
        end = min(t, returned)
        parts.append(max(0.0, end - reached))
        reached = max(reached, end)
    return parts


class Flight:
    """One collective between its issue and its end."""

    def __init__(self, op: str, group: str, peer: int, seq: int, size: int, step: int, reducer: bool) -> None:
        self.op, self.group, self.peer, self.seq, self.bytes, self.step = op, group, peer, seq, size, step
        self.reducer = reducer  # asked for from C++, which also does the waiting
        self.in_backward = self.sent = False
        self.t_issue = now()
        self.t_done: float | None = None
        self.wait_from: float | None = None
        self.work: Any = None
        self.told = False  # its future tells its end
        self.storages: Sequence[int] = ()  # what will be waited for instead, of a functional collective


class Collectives:
    """Follows the collectives of this process, as `CollectiveHooks` reports them.

    `emit` gets the fields of `events.Collective`, on whichever thread saw the end; `announce` those of
    `events.Group` at the first use of a group; `step` tells the present step, `link` the bytes a second of a
    simulated link (0: any), its latency and the ranks of each node.
    """

    def __init__(
        self,
        emit: Callable[..., None],
        announce: Callable[..., None],
        step: Callable[[], int],
        link: Callable[[], tuple[int, float, int]] = lambda: (0, 0.0, 1),
    ) -> None:
        self._emit, self._announce, self._present_step, self._link = emit, announce, step, link
        self._lock = threading.Lock()
        self._issued = self._done = 0
        self._last = ""
        self._to_skip = 0
        self._next_seq: dict[tuple[str, ...], int] = {}
        self._stands: Flight | None = None  # the training thread does, until this one is done
        self._waiting: dict[int, Flight] = {}  # by id() of the Work, which the flight keeps alive
        self._expected: dict[int, Flight] = {}  # by address of a tensor's memory
        self._backward: list[Flight] | None = None  # flights of the backward in progress
        self._reducer_free = 0.0  # when the last collective that C++ stood waiting for was done
        # Held as long as this process lives: DDP's reducer, where it is the last to let go of a group, joins
        # gloo's threads with the interpreter's lock in hand (torch 2.13), and they want it for our callbacks.
        self._groups: dict[int, Any] = {}  # by id()
        # This torch lacks what is needed to see collectives: fewer events, counts that say so, nothing else.
        self.blind = False

    def counts(self) -> tuple[int, int]:
        """Collectives issued and done by this rank so far, over all groups; (-1, -1): it has no hooks."""
        return (-1, -1) if self.blind else (self._issued, self._done)

    @property
    def last(self) -> str:
        """Return the collective entered last and its number in its group: `all-reduce #41`; "": none yet."""
        return self._last

    def standing(self) -> Flight | None:
        """Return the collective that the training thread waits for, as far as that can be seen.

        C++ does not say that it waits for the buckets of a backward: then it is the oldest under way, for
        which nobody waits yet where all is well.
        """
        stands, backward = self._stands, self._backward
        if stands is not None or backward is None:
            return stands
        return next((f for f in list(backward) if f.reducer and f.t_done is None), None)

    def entered(self) -> dict[str, int]:
        """Return how many collectives of each group this rank has entered, transfers not counted."""
        with self._lock:
            return {key[0]: seq for key, seq in self._next_seq.items() if len(key) == 1}

    def skip_next(self) -> bool:
        """Skip the next collective, as if a branch had gone round it; False: the hooks are missing."""
        self._to_skip += not self.blind
        return not self.blind

    def skips(self) -> bool:
        """Whether to skip this collective; takes one off those that are to be skipped."""
        with self._lock:
            skip = self._to_skip > 0
            self._to_skip -= skip
        return skip

    # --- one collective ---------------------------------------------------------------------------------

    def take_off(
        self, word: str, group: Any, peer: int, size: int, *, reducer: bool, root: int = -1
    ) -> Flight:
        """Begin to follow a collective that is entered now.

        `reducer`: C++ called it and will wait for it; `root` is a rank of the group, -1 where there is none.
        """
        name = str(group.group_name)
        if id(group) not in self._groups:
            self._groups[id(group)] = group
            self._announce(id=name, name=str(group.group_desc), ranks=_members(group))
        # Every rank of a group counts its collectives alike; a transfer only its two ends do.
        key = (name,) if word not in ("send", "receive") else (name, word, str(peer))
        with self._lock:
            self._issued += 1
            seq = self._next_seq.get(key, 0)
            self._next_seq[key] = seq + 1
            self._last = f"{word} #{seq}"
        flight = Flight(word, name, peer, seq, size, self._present_step(), reducer)
        if self._backward is not None:
            flight.in_backward = True
            self._backward.append(flight)
        return flight

    def held_back_s(self, flight: Flight, group: Any) -> float:
        """Return for how long a simulated link holds back this one, before it is passed on: its bytes at that
        speed, where its ranks are on several nodes. The caller stands meanwhile, which is told as exposed."""
        bytes_s, latency_s, each = self._link()
        seconds = latency_s + (flight.bytes / bytes_s if bytes_s else 0.0)
        if seconds == 0 or flight.op == "receive":  # who sends is held back
            return 0.0
        members = _members(group)
        if flight.peer >= 0:
            members = [members[flight.peer], torch.distributed.get_rank()]
        if len({rank // each for rank in members}) < 2:
            return 0.0
        flight.wait_from = flight.t_issue
        return seconds

    def expect(self, flight: Flight, storages: Sequence[int]) -> None:
        """Remember that a wait for this one will name its result, by storage addresses."""
        flight.storages = storages
        self._expected.update(dict.fromkeys(storages, flight))

    def expected(self, storage: int) -> Flight | None:
        """Return the collective with its result at these addresses; None: none, or its end was reported."""
        return self._expected.get(storage)

    def of_work(self, work: Any) -> Flight | None:
        """Return the collective that a `Work` stands for, None if it is not waited for (any more)."""
        return self._waiting.get(id(work))

    def waits(self, flight: Flight) -> None:
        """Note that the training thread waits for it from now on, if it did not before."""
        if flight.wait_from is None:
            flight.wait_from = now()
        self._stands = flight

    def waited(self, flight: Flight) -> None:
        """Note the end of a wait for it: that time, and nothing else of it, was exposed."""
        assert flight.wait_from is not None
        t, self._stands = now(), None
        unseen = flight.t_done is None and not flight.told and t - flight.wait_from < AT_ONCE_S
        self._settle(flight, t)
        if unseen and flight.wait_from > flight.t_issue:
            flight.t_done = None  # before somebody asked: a receive that was posted is no transfer yet
            self._report(flight, 0.0)
        else:
            self._report(flight, max(0.0, _end(flight) - flight.wait_from))

    def follow(self, flight: Flight, work: Any) -> None:
        """Follow a collective that is under way; `work` is torch's handle of it."""
        flight.work = work
        self._waiting[id(work)] = flight
        try:
            future = work.get_future()
        except RuntimeError:
            return  # no future for this one: its end is seen when somebody waits for it
        flight.told = True
        future.add_done_callback(lambda _: self._arrived(flight))

    @silent("see a collective end")
    def _arrived(self, flight: Flight) -> None:
        """Report its end; called on a thread of the backend."""
        self.landed(flight, now())

    def landed(self, flight: Flight, t: float) -> None:
        """Note that a transfer is done at `t`, seconds; the first to say so counts."""
        with self._lock:
            if flight.t_done is not None:
                return
            flight.t_done = t
            self._done += 1
        # What nobody in Python waits for, inside a backward, is judged when that backward returns.
        if flight.wait_from is not None or not flight.in_backward:
            self._report(flight, self._stood_still(flight, t))

    def _stood_still(self, flight: Flight, t: float) -> float:
        if flight.wait_from is not None:
            return max(0.0, t - flight.wait_from)
        if not flight.reducer:
            return 0.0  # done before anybody asked
        since, self._reducer_free = max(flight.t_issue, self._reducer_free), max(t, self._reducer_free)
        return max(0.0, t - since)

    def _report(self, flight: Flight, exposed: float) -> None:
        with self._lock:
            if flight.sent:
                return
            flight.sent = True
            self._waiting.pop(id(flight.work), None)
            flight.work = None
            for storage in flight.storages:
                if self._expected.get(storage) is flight:
                    del self._expected[storage]
        self._emit(
            seq=flight.seq, op=flight.op, group=flight.group, peer=flight.peer, bytes=flight.bytes,
            step=flight.step, t_issue=flight.t_issue, t_done=flight.t_done, exposed=exposed,
        )  # fmt: skip

    # --- backward ---------------------------------------------------------------------------------------

    def backward_begins(self) -> None:
        """Gather the collectives of a backward anew, for `exposure` at its end."""
        self._backward = []

    def backward_returned(self, t: float) -> None:
        """Compute the exposure of what this backward issued without a wait in Python; it returned at `t`."""
        flights, self._backward = self._backward or [], None
        for flight in flights:
            flight.in_backward = False
            if flight.reducer and flight.t_done is None and flight.wait_from is None:
                # The reducer has waited for it; the callback with the news is still on its way.
                self._settle(flight, t)
        done = [f for f in flights if f.t_done is not None and not f.sent]
        for flight in done:
            if flight.storages:
                self._report(flight, 0.0)  # a later wait for its result finds it there
        done = sorted((f for f in done if not f.storages), key=_end)
        if done:
            last_issue = max(f.t_issue for f in done)
            for flight, exposed in zip(done, exposure(last_issue, [_end(f) for f in done], t), strict=True):
                self._report(flight, exposed)

    def _settle(self, flight: Flight, t: float) -> None:
        with self._lock:
            if flight.t_done is None:
                flight.t_done = t
                self._done += 1


def _end(flight: Flight) -> float:
    assert flight.t_done is not None
    return flight.t_done


def _members(group: Any) -> list[int]:
    try:
        return list(torch.distributed.get_process_group_ranks(group))
    except (ValueError, RuntimeError, KeyError):
        return []  # a group of C++ that Python does not list
