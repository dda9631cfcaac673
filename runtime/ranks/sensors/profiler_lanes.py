"""The operators of one profiled step as the few marks that fit on a screen. Pure: times and names in and out.

A rank's own time is drawn without overlaps: each outermost operator, as forward, backward, optimizer, data or
other, and `exposed` where no operator ran for a while and a collective did: the transfer, or waiting for a
rank, which only the host can tell (`runtime/metrics/xray_of_a_step.py`). Collectives are drawn beside it,
from their true begin to their true end. On a GPU a rank's own time is that of its kernels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

MOST_MARKS = 300
# Between two operators Python itself takes up to about this long: a shorter gap is no waiting (seconds).
PYTHON_S = 0.3e-3
_BACKWARD = "autograd::engine::evaluate_function: "
BACKENDS = ("gloo:", "nccl:")
_WAITING = ("c10d::", "_c10d_functional::")  # operators that stand still for a collective inside
_WORDS = {
    "recv": "receive",
    "_all_gather_base": "all-gather",
    "_allgather_base": "all-gather",
    "_reduce_scatter_base": "reduce-scatter",
    "all_reduce_coalesced": "all-reduce",
    "all_to_all_base": "all-to-all",
    "alltoall_base": "all-to-all",
}
# Parts of the names of NCCL's kernels (nccl, src/device/generate.py).
_KERNELS = {
    "AllReduce": "all-reduce",
    "AllGather": "all-gather",
    "ReduceScatter": "reduce-scatter",
    "Broadcast": "broadcast",
    "SendRecv": "send",
    "Reduce": "reduce",
}
Mark = tuple[str, float, float, str]  # kind, t0, t1 in seconds, label: as in `events.XRay`
Interval = tuple[float, float]


class Op(NamedTuple):
    """What the profiler saw. `wraps`: a named stretch around operators, not one itself. A kernel on a GPU
    (`kernel`) has in `link` the `id` of the operator that launched it."""

    name: str
    t0: float
    t1: float
    thread: int = 0
    wraps: bool = False
    kernel: bool = False
    id: int = 0
    link: int = 0


def marks(ops: Iterable[Op], most: int = MOST_MARKS) -> list[Mark]:
    """At most `most` marks: first a rank's own, then its collectives, each in the order of their begin."""
    known = sorted(ops, key=lambda op: (op.thread, op.kernel, op.t0, -op.t1))
    collectives = _collectives(known)
    own, busy = _own(known)
    stood = [
        (max(a, lo), min(b, hi))
        for a, b in _gaps(busy)
        for lo, hi in union((c[1], c[2]) for c in collectives)
        if min(b, hi) - max(a, lo) >= PYTHON_S
    ]
    own = [*_without(own, stood), *(("exposed", a, b, "") for a, b in stood)]
    own.sort(key=lambda mark: mark[1])
    room = max(1, most - len(collectives))
    return [*_coarse(own, room), *collectives[: most - 1]]


def collective(name: str) -> str:
    """What a collective is called here, by the name of its span or kernel; "" for anything else."""
    if name.startswith(BACKENDS):
        plain = name.split(":", 1)[1]
        return _WORDS.get(plain, plain.strip("_").replace("_", "-"))
    if name.startswith(("ncclDevKernel_", "ncclKernel_")):
        return next((word for part, word in _KERNELS.items() if part in name), "collective")
    return ""


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time without overlaps, in order."""
    merged: list[Interval] = []
    for a, b in sorted(intervals):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged


def _collectives(ops: Sequence[Op]) -> list[Mark]:
    """On a GPU the kernels of NCCL; the spans of the same name are only their launch."""
    found = [(op, word) for op in ops if (word := collective(op.name))]
    on_device = any(op.kernel for op, _ in found)
    kept = [(word, op.t0, op.t1) for op, word in found if op.kernel == on_device]
    kept.sort(key=lambda mark: mark[1])
    return [(word, t0, t1, str(number)) for number, (word, t0, t1) in enumerate(kept)]


def _own(ops: Sequence[Op]) -> tuple[list[Mark], list[Interval]]:
    """The outermost operators with their kind, and the time in which any operator really ran."""
    outermost, innermost = _nest(op for op in ops if not op.kernel)
    ends = [op.t1 for op in outermost if op.name.startswith(_BACKWARD)]
    last_backward = max(ends, default=float("inf"))
    launched = [_mark(op, last_backward) for op in outermost]
    kernels = [op for op in ops if op.kernel and not collective(op.name)]
    if not kernels:
        ran = (op for op in innermost if not op.wraps and not op.name.startswith(_WAITING))
        return launched, union((op.t0, op.t1) for op in ran)
    order = sorted(launched, key=lambda mark: mark[1])
    begins = [mark[1] for mark in order]
    issued = {op.id: op.t0 for op in ops if not op.kernel}
    drawn = []
    for op in sorted(kernels, key=lambda op: op.t0):
        owner = bisect_right(begins, issued.get(op.link, op.t0)) - 1
        kind = order[owner][0] if owner >= 0 else "other"
        drawn.append((kind, op.t0, op.t1, op.name.split("<")[0].split("(")[0].split("::")[-1]))
    return drawn, union((op.t0, op.t1) for op in kernels)


def _nest(ops: Iterable[Op]) -> tuple[list[Op], list[Op]]:
    """(outermost operators, once what only wraps others is opened; innermost operators), by thread.

    What runs inside a collective is the backend's own and neither.
    """
    outermost: list[Op] = []
    innermost: list[Op] = []
    stack: list[_Open] = []
    for op in ops:
        while stack and (stack[-1].op.thread != op.thread or stack[-1].op.t1 <= op.t0):
            _close(stack, innermost)
        inside = stack[-1] if stack else None
        whole = not op.wraps or op.name.startswith(("Optimizer.", "enumerate(DataLoader)"))
        foreign = bool(collective(op.name)) or (inside is not None and inside.foreign)
        drawn = inside is not None and inside.drawn
        if whole and not drawn and not foreign:
            outermost.append(op)
        if inside is not None:
            stack[-1] = inside._replace(leaf=False)
        stack.append(_Open(op, drawn or whole, foreign, True))
    while stack:
        _close(stack, innermost)
    return outermost, innermost


class _Open(NamedTuple):
    """An operator while others may still begin inside it. `drawn`: it is part of one that is drawn whole."""

    op: Op
    drawn: bool
    foreign: bool
    leaf: bool


def _close(stack: list[_Open], innermost: list[Op]) -> None:
    closed = stack.pop()
    if closed.leaf and not closed.foreign:
        innermost.append(closed.op)


def _mark(op: Op, last_backward: float) -> Mark:
    if op.name.startswith(_BACKWARD):
        return "backward", op.t0, op.t1, op.name.removeprefix(_BACKWARD).split("::")[-1]
    if op.name.startswith("Optimizer."):
        return "optimizer", op.t0, op.t1, op.name.split("#")[-1]
    if op.name.startswith("enumerate(DataLoader)"):
        return "data", op.t0, op.t1, "next batch"
    kind = "forward" if op.t0 < last_backward else "other"
    return kind, op.t0, op.t1, op.name.split("::")[-1]


def _gaps(busy: Sequence[Interval]) -> list[Interval]:
    return [(a[1], b[0]) for a, b in pairwise(busy)]


def _without(own: Iterable[Mark], holes: Sequence[Interval]) -> list[Mark]:
    left = []
    for kind, t0, t1, label in own:
        for a, b in holes:
            if a < t1 and t0 < b:
                if t0 < a:
                    left.append((kind, t0, a, label))
                t0 = max(t0, b)
        if t0 < t1:
            left.append((kind, t0, t1, label))
    return left


def _coarse(own: list[Mark], most: int) -> list[Mark]:
    """The same lane in at most `most` marks: neighbours of a kind become one, those closest together first.

    One that stands for several has the name of the longest of them and `…`.
    """
    gap = 0.0
    while len(own) > most:
        joined: list[Mark] = []
        longest = 0.0
        for mark in own:
            kind, t0, t1, label = mark
            if joined and joined[-1][0] == kind and t0 - joined[-1][2] <= gap:
                named = joined[-1][3] if longest >= t1 - t0 else label
                longest = max(longest, t1 - t0)
                joined[-1] = (kind, joined[-1][1], max(t1, joined[-1][2]), f"{named.rstrip(' …')} …")
            else:
                joined.append(mark)
                longest = t1 - t0
        span = own[-1][2] - own[0][1]
        if gap > span:  # kinds alternate more often than there is room: the longest are shown
            kept = sorted(joined, key=lambda mark: mark[1] - mark[2])[:most]
            return sorted(kept, key=lambda mark: mark[1])
        own, gap = joined, 2 * gap or span / 4000
    return own
