"""Frees that torch's profiler does not report: those of memory that another thread let go of.

The profiler watches the threads that it was begun in. A backend's own thread (gloo's) holds what a
collective works on until it comes round to letting go of it, which may be after the training thread did:
then the free is its own, and in the profile that memory seems to be there until the end of the step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

CALL = "c10d::"  # begin of the name of an operator that hands tensors to a backend


class Change(NamedTuple):
    """Memory given out (`size` > 0) or freed, in bytes, at `t` nanoseconds. `call_end`: when the collective
    call in which it was given out ended; None: it was in none."""

    t: int
    size: int
    address: int
    thread: int
    call_end: int | None = None


def unseen(changes: Iterable[Change], begins: Mapping[int, Sequence[int]]) -> list[tuple[int, int]]:
    """(nanoseconds, -bytes) of each free that `changes` lack. `begins`: of the operators, sorted, by thread.

    What is given out again was free. Memory that a collective call made for itself is needed until its
    caller has waited, so at most until that thread begins its next operator; other memory until it is given
    out again.
    """
    there: dict[int, Change] = {}
    found = []
    for change in sorted(changes):
        before = there.pop(change.address, None)
        if change.size > 0:
            if before is not None:
                found.append((min(change.t, _needed(before, begins, change.t)), -before.size))
            there[change.address] = change
    left = (change for change in there.values() if change.call_end is not None)
    return found + [(_needed(change, begins, change.t), -change.size) for change in left]


def _needed(change: Change, begins: Mapping[int, Sequence[int]], latest: int) -> int:
    if change.call_end is None:
        return latest
    own = begins.get(change.thread, ())
    following = bisect_right(own, change.call_end)
    return own[following] if following < len(own) else change.call_end


def read(results: Any) -> list[tuple[int, int]]:
    """The same of a profile (`kineto_results`); nothing where no collective was called in it."""
    changes: list[Change] = []
    begins: dict[int, list[int]] = {}
    called = False
    for event, call_end in _events(results.experimental_event_tree()):
        fields = event.extra_fields
        if hasattr(fields, "alloc_size"):
            if fields.device.type == "cpu":
                changes.append(
                    Change(event.start_time_ns, fields.alloc_size, fields.ptr, event.start_tid, call_end)
                )
        else:
            begins.setdefault(event.start_tid, []).append(event.start_time_ns)
            called = called or event.name.startswith(CALL)
    if not called:
        return []
    return unseen(changes, {thread: sorted(times) for thread, times in begins.items()})


def of_earlier(results: Any) -> list[int]:
    """Addresses of memory that was freed and not given out before: it was in an earlier profile."""
    first: dict[int, tuple[int, int]] = {}
    for event, _ in _events(results.experimental_event_tree()):
        fields = event.extra_fields
        if hasattr(fields, "alloc_size") and fields.device.type == "cpu":
            found = event.start_time_ns, fields.alloc_size
            first[fields.ptr] = min(found, first.get(fields.ptr, found))
    return [address for address, (_, size) in first.items() if size < 0]


def _events(roots: Sequence[Any]) -> Iterator[tuple[Any, int | None]]:
    """Every event of a profile, with the end of the collective call that it lies in."""
    waiting: list[tuple[Any, int | None]] = [(root, None) for root in roots]
    while waiting:
        event, call_end = waiting.pop()
        yield event, call_end
        if event.children:
            if call_end is None and event.name.startswith(CALL):
                call_end = event.end_time_ns
            waiting += [(child, call_end) for child in event.children]
