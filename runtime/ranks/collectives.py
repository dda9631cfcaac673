"""Sees every collective of a rank, whoever asked for it, and says how long training stood still for it.

There is one seam: all of `torch.distributed`, the C++ reducer of DDP included, goes through the dispatcher's
`c10d::*` operators. A Python kernel on their autograd key notes the call and passes it on. When a collective
is done is told by its future; for those without one (gloo's reduce-scatter, send and receive) by the return
of `Work.wait`, which is never early but can be late.

**Exposed time.** Communication is exposed while the training thread can do nothing else. A caller that waits
in Python stands in `Work.wait`, or in the whole call where that is not asynchronous. DDP's reducer waits in
C++, at the end of backward: from the moment its last bucket is under way all gradients are there, so the rest
of backward is nothing but waiting (`exposure`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

now = time.monotonic

# The dispatcher's names in plain words. Not here: monitored_barrier_, which has no work to follow.
WORDS = {
    "allreduce_": "all-reduce",
    "allreduce_coalesced_": "all-reduce",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "allgather_": "all-gather",
    "_allgather_base_": "all-gather",
    "allgather_coalesced_": "all-gather",
    "allgather_into_tensor_coalesced_": "all-gather",
    "reduce_scatter_": "reduce-scatter",
    "_reduce_scatter_base_": "reduce-scatter",
    "reduce_scatter_tensor_coalesced_": "reduce-scatter",
    "alltoall_": "all-to-all",
    "alltoall_base_": "all-to-all",
    "gather_": "gather",
    "scatter_": "scatter",
    "barrier": "barrier",
    "send": "send",
    "recv_": "receive",
    "recv_any_source_": "receive",
}
_PYTHON_CALLERS = "torch.distributed.distributed_c10d"


def exposure(last_issue: float, done: Sequence[float], returned: float) -> list[float]:
    """Exposed seconds of the collectives of one backward, which end at `done` (ascending).

    Collective k is exposed in `[max(last_issue, done of k-1), min(done of k, returned)]`: one after the
    other, so that the sum is the time between the issue of the last bucket and the end of the last transfer.
    """
    parts, reached = [], last_issue
    for t in done:
        end = min(t, returned)
        parts.append(max(0.0, end - reached))
        reached = max(reached, end)
    return parts


def nbytes(value: Any) -> int:
    """Bytes of a tensor, or of all tensors in nested lists; 0 for anything else."""
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, list | tuple):
        return sum(nbytes(v) for v in value)
    return 0


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


class Collectives:
    """Follows the collectives of this process.

    `emit` gets the fields of `events.Collective`, on whichever thread saw the end; `announce` those of
    `events.Group` at the first use of a group; `step` tells the present step.
    """

    def __init__(
        self, emit: Callable[..., None], announce: Callable[..., None], step: Callable[[], int]
    ) -> None:
        self._emit, self._announce, self._present_step = emit, announce, step
        self._lock = threading.Lock()
        self._issued = self._done = 0
        self._next_seq: dict[tuple[str, ...], int] = {}
        self._waiting: dict[int, Flight] = {}  # by id() of the Work, which the flight keeps alive
        self._backward: list[Flight] | None = None  # flights of the backward in progress
        self._reducer_free = 0.0  # when the last collective that C++ stood waiting for was done
        self._libraries: list[Any] = []
        self._known_groups: set[str] = set()

    def counts(self) -> tuple[int, int]:
        """Collectives issued and done by this rank so far, over all groups."""
        return self._issued, self._done

    # --- the seam ---------------------------------------------------------------------------------------

    def install(self) -> list[str]:
        """Put the kernels in place; once per process. Returns the private torch names that were missing.

        What torch does not have is not followed: fewer events, nothing else changes.
        """
        try:
            from torch._C import _AutoDispatchBelowAutograd as below
            from torch._C import _distributed_c10d as c10d
        except ImportError as error:
            return [str(error)]
        missing = []
        library = torch.library.Library("c10d", "IMPL")
        self._libraries.append(library)
        for name, word in WORDS.items():
            packet = getattr(torch.ops.c10d, name, None)
            if packet is None:
                missing.append(f"c10d::{name}")
                continue
            kernel = self._kernel(packet.default, word, below, c10d)
            for key in ("AutogradCPU", "AutogradCUDA"):
                library.impl(name, kernel, key)
        self._wrap_wait(torch.distributed.Work)
        return missing

    def _kernel(self, op: Any, word: str, below: Any, c10d: Any) -> Callable[..., Any]:
        names = [argument.name for argument in op._schema.arguments]
        group_at = names.index("process_group")
        peer_at = next((names.index(n) for n in ("dst", "src") if n in names), None)

        def kernel(*args: Any, **kwargs: Any) -> Any:
            module, asynchronous = _caller()
            flight = self._take_off(
                word,
                c10d.ProcessGroup.unbox(args[group_at]),
                -1 if peer_at is None else int(args[peer_at]),
                # The whole buffer: what is gathered, or what is scattered, is the larger side.
                0 if word == "barrier" else max(nbytes(a) for a in args[:group_at]),
                reducer=module != _PYTHON_CALLERS,
            )
            if asynchronous is False:
                flight.wait_from = flight.t_issue  # the call returns with the result: all of it is waiting
            with below():
                result = op(*args, **kwargs)
            boxed = result[-1] if isinstance(result, tuple | list) else result
            self._follow(flight, c10d.Work.unbox(boxed))
            return result

        return kernel

    def _wrap_wait(self, work_type: Any) -> None:
        plain = work_type.wait

        def wait(work: Any, *args: Any, **kwargs: Any) -> Any:
            flight = self._waiting.get(id(work))
            if flight is None:
                return plain(work, *args, **kwargs)
            if flight.wait_from is None:
                flight.wait_from = now()
            result = plain(work, *args, **kwargs)
            self._waited(flight, now())
            return result

        work_type.wait = wait

    # --- one collective ---------------------------------------------------------------------------------

    def _take_off(self, word: str, group: Any, peer: int, size: int, reducer: bool) -> Flight:
        name = str(group.group_name)
        if name not in self._known_groups:
            self._known_groups.add(name)
            self._announce(id=name, name=str(group.group_desc), ranks=_members(group), mesh=[])
        # Every rank of a group counts its collectives alike; a transfer only its two ends do.
        key = (name,) if word not in ("send", "receive") else (name, word, str(peer))
        with self._lock:
            self._issued += 1
            seq = self._next_seq.get(key, 0)
            self._next_seq[key] = seq + 1
        flight = Flight(word, name, peer, seq, size, self._present_step(), reducer)
        if self._backward is not None:
            flight.in_backward = True
            self._backward.append(flight)
        return flight

    def _follow(self, flight: Flight, work: Any) -> None:
        flight.work = work
        self._waiting[id(work)] = flight
        try:
            future = work.get_future()
        except RuntimeError:
            return  # no future for this one: its end is seen when somebody waits for it
        future.add_done_callback(lambda _: self._landed(flight, now()))

    def _landed(self, flight: Flight, t: float) -> None:
        with self._lock:
            if flight.t_done is not None:
                return
            flight.t_done = t
            self._done += 1
        # What nobody in Python waits for, inside a backward, is judged when that backward returns.
        if flight.wait_from is not None or not flight.in_backward:
            self._report(flight, self._stood_still(flight, t))

    def _waited(self, flight: Flight, t: float) -> None:
        """Somebody in Python waited for it, until `t`: that, and nothing else of it, was exposed."""
        assert flight.wait_from is not None
        self._settle(flight, t)
        self._report(flight, max(0.0, _end(flight) - flight.wait_from))

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
        self._emit(
            seq=flight.seq, op=flight.op, group=flight.group, peer=flight.peer, bytes=flight.bytes,
            step=flight.step, t_issue=flight.t_issue, t_done=flight.t_done, exposed=exposed,
        )  # fmt: skip

    # --- backward ---------------------------------------------------------------------------------------

    def backward_begins(self) -> None:
        self._backward = []

    def backward_returned(self, t: float) -> None:
        """Judge what this backward issued and nobody waited for in Python. `t`: when backward returned."""
        flights, self._backward = self._backward or [], None
        for flight in flights:
            flight.in_backward = False
            if flight.reducer and flight.t_done is None and flight.wait_from is None:
                # The reducer has waited for it; the callback with the news is still on its way.
                self._settle(flight, t)
        done = [f for f in flights if f.t_done is not None and not f.sent]
        done.sort(key=_end)
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


def _caller() -> tuple[str, bool | None]:
    """Of the innermost Python frame outside this file its module, and the `async_op` it was called with.

    "" on a thread of C++'s own; None where the function has no such parameter.
    """
    try:
        frame = sys._getframe(2)
    except ValueError:
        return "", None
    return str(frame.f_globals.get("__name__", "")), frame.f_locals.get("async_op")


def _members(group: Any) -> list[int]:
    try:
        return list(torch.distributed.get_process_group_ranks(group))
    except (ValueError, RuntimeError, KeyError):
        return []  # a group of C++ that Python does not list


def missing_names(needed: Iterable[str] = WORDS) -> list[str]:
    """The operators of `needed` that this torch does not have."""
    return [name for name in needed if not hasattr(torch.ops.c10d, name)]
