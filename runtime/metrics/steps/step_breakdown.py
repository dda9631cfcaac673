"""Divides the wall time of a rank's step into its parts.

A rank measures its phases and its collectives; what it cannot know is when the others entered a collective.
With the entry of the last rank (`Entered.last`, `collectives/waiting_time.py`) each collective's time falls
apart into

    wait      exposed time before the last rank has entered: nothing could be transferred yet
    exposed   the rest of the exposed time: the transfer that nothing was computed behind
    hidden    transfer behind forward or backward, from the last entry to where the exposed time begins

and the parts of a step sum to its wall time exactly, because exposed and waiting time is taken out of the
phase in which it lies. Of most steps a rank reports how long its phases were, and they are laid out in the
order of a training loop; of a pipeline it also reports each forward and backward, which lie where they were.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from runtime.metrics.collectives.waiting_time import Entered, Interval, known, stood_still, union
from runtime.protocol.events import Collective, Step
from runtime.protocol.figures import Mark

Phase = tuple[str, float, float]  # kind, t0, t1
# What a bar of a kind is called where there is no room for its word; `BUCKET` is a bucket of gradients.
BUCKET = "b"
SHORT = {
    "all-reduce": "r",
    "all-gather": "g",
    "reduce-scatter": "s",
    "all-to-all": "a",
    "broadcast": "bc",
    "reduce": "re",
    "gather": "ga",
    "scatter": "sc",
    "barrier": "ba",
    "send": "→",
    "receive": "←",
}


class Parts(NamedTuple):
    """Seconds of one step; they sum to `step_s`. None: a lost entry makes the split unknowable."""

    step_s: float
    data: float
    compute: float | None
    hidden: float | None
    exposed: float | None
    wait: float | None
    optimizer: float
    other: float


def length(disjoint: list[Interval], low: float, high: float) -> float:
    """Return the seconds of disjoint intervals within [low, high]."""
    seconds = 0.0
    for a, b in disjoint:  # spelled out: a host does this ten times a step for each of its ranks
        if a < high and b > low:
            seconds += (b if b < high else high) - (a if a > low else low)
    return seconds


def phases(step: Step, pieces: Iterable[Phase] = ()) -> tuple[Phase, ...]:
    """Return the phases of a step without gaps, as (kind, t0, t1), in the order of a training loop.

    `pieces` are the forwards and backwards one by one, where they are known: then what lies between them is
    `other`, data come first and the optimizer last.
    """
    end = step.t - step.optimizer
    placed = [("data", step.t0, step.t0 + step.data)]
    for kind, t0, t1 in sorted(pieces, key=lambda piece: piece[1]):
        before = placed[-1][2]
        if before < t1 <= end:
            placed += [("other", before, max(before, t0)), (kind, max(before, t0), t1)]
    if len(placed) > 1:
        return (*placed, ("other", placed[-1][2], end), ("optimizer", end, step.t))
    forward = step.t0 + step.data
    backward = forward + step.forward
    optimizer = backward + step.backward
    other = optimizer + step.optimizer
    return (
        ("data", step.t0, forward),
        ("forward", forward, backward),
        ("backward", backward, optimizer),
        ("optimizer", optimizer, other),
        ("other", other, other + step.other),
    )


def _inside(disjoint: list[Interval], t: float) -> bool:
    at = bisect_right(disjoint, (t, float("inf"))) - 1
    return at >= 0 and t < disjoint[at][1]


def partition(
    step: Step, entered: list[Entered], complete: bool = True, pieces: Iterable[Phase] = ()
) -> Parts:
    """Return the parts of a step. `complete` False: a collective of this step was never reported."""
    step_s = step.t - step.t0
    if not complete or not known(entered):
        return Parts(step_s, step.data, None, None, None, None, step.optimizer, step.other)
    blocked, waits = stood_still(entered)
    behind = []
    for c, last, over in entered:
        end = c.t_done if over is None or (c.t_done is not None and c.t_done < over) else over
        if last is not None and end is not None:
            behind.append((last, end if c.t_done is None else min(end, c.t_done - c.exposed)))
    under_way = union([*behind, *blocked])
    spent = dict.fromkeys(("data", "compute", "optimizer", "other"), 0.0)  # not blocked
    hidden = 0.0
    for kind, t0, t1 in phases(step, pieces):
        computing = kind in ("forward", "backward")
        stood = length(blocked, t0, t1)
        spent["compute" if computing else kind] += t1 - t0 - stood
        if computing:
            hidden += length(under_way, t0, t1) - stood
    wait = length(waits, step.t0, step.t)
    exposed = length(blocked, step.t0, step.t) - wait
    return Parts(
        step_s, spent["data"], spent["compute"] - hidden, hidden, exposed, wait, spent["optimizer"],
        spent["other"],
    )  # fmt: skip


def mean(window: Iterable[Parts]) -> Parts | None:
    """Return means over the steps whose split is known (else over all, split unknown); they sum up too."""
    steps = list(window)
    whole = [parts for parts in steps if parts.wait is not None]
    if not steps:
        return None
    if whole:
        return Parts._make([sum(column) / len(whole) for column in zip(*whole, strict=True)])
    # What a rank measures itself is in every step; only what takes all ranks can be missing.
    columns = zip(*steps, strict=True)
    return Parts(*(None if None in column else sum(column) / len(steps) for column in columns))  # type: ignore[arg-type]


def marks(
    entered: list[Entered], origin: float, laid: Sequence[Phase], names: Sequence[str]
) -> tuple[Mark, ...]:
    """A step as pieces on a time axis that starts at `origin`: first the rank's own time without overlaps
    (`laid`, its phases, and in them `exposed` and `wait`), then a bar per collective from the last entry to
    its end, with its name.
    """
    blocked, waits = stood_still(entered)
    drawn: list[Mark] = []
    edges = sorted({t for interval in (*blocked, *waits) for t in interval})
    for kind, t0, t1 in laid:
        cuts = [t0, *edges[bisect_right(edges, t0) : bisect_left(edges, t1)], t1]
        for a, b in pairwise(cuts):
            if b <= a:
                continue
            middle = (a + b) / 2
            if _inside(waits, middle):
                what = "wait"
            elif _inside(blocked, middle):
                what = "exposed"
            else:
                what = kind
            if drawn and drawn[-1].kind == what:
                drawn[-1] = Mark(what, drawn[-1].t0, b - origin)
            else:
                drawn.append(Mark(what, a - origin, b - origin))
    for one, label in zip(entered, names, strict=True):
        c, last, end = one.collective, one.last, one.end
        if end is not None:
            begin = min(max(c.t_issue, last if last is not None else c.t_issue), end)
            drawn.append(Mark(c.op, begin - origin, end - origin, label))
    return tuple(drawn)


def labels(issued: Iterable[Collective], laid: Sequence[Phase]) -> list[str]:
    """Return labels of collectives: `b0 b1` for gradient buckets, else the kind and a number (`g0 g1 s0`); a
    transfer names the other rank.

    A bucket is an all-reduce of backward in a step whose forward needed the others for nothing but a
    broadcast (of buffers): a model that is cut among the ranks sums activations in both.
    """
    collectives = list(issued)
    forward = union((t0, t1) for kind, t0, t1 in laid if kind == "forward")
    backward = union((t0, t1) for kind, t0, t1 in laid if kind == "backward")
    whole = all(c.op == "broadcast" or not _inside(forward, c.t_issue) for c in collectives)
    before: Counter[str] = Counter()
    found = []
    for c in collectives:
        if c.op in ("send", "receive"):
            found.append(f"{SHORT[c.op]}{c.peer}")
            continue
        bucket = whole and c.op == "all-reduce" and _inside(backward, c.t_issue)
        short = BUCKET if bucket else SHORT.get(c.op, c.op[:2])
        found.append(f"{short}{before[short]}")
        before[short] += 1
    return found


def agreed(lanes: Sequence[tuple[Sequence[Collective], list[str]]]) -> list[list[str]]:
    """Return the labels of each rank's collectives; ranks that did the same get those of the majority.

    Where a rank was held up within a step its phases are not where they seem. Transfers keep their own.
    """
    given: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {}
    for issued, own in lanes:
        given.setdefault(tuple(c.op for c in issued), Counter())[tuple(own)] += 1
    return [
        own
        if any(c.op in ("send", "receive") for c in issued)
        else list(given[tuple(c.op for c in issued)].most_common(1)[0][0])
        for issued, own in lanes
    ]
