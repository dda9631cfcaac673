"""Pipeline schedules in theory: which rank does what when, in units of one stage's forward.

A schedule is an order of work on each rank. Times follow from it: every piece begins as soon as its rank is
free and what it needs is there, transfers are free, and a backward takes twice a forward where `Costs` does
not say otherwise (its halves, the gradients of the inputs and of the weights, half of it each). The figures
of a schedule are read off that grid; `idle_of_total` and `idle_of_ideal` are the formulas they must agree
with.

    gpipe        all forwards, then all backwards (Huang et al., 2019)
    1f1b         a backward as soon as there is one: few micro-batches are held (Narayanan et al., 2019)
    interleaved  the same with several smaller stages on each rank (Narayanan et al., 2021, section 2.2)
    zero-bubble  backward in halves: weight gradients wait for a gap (Qi et al., 2023, ZB-H1; torch: ZB1P)
    zbv          the same with two stages on each rank, laid out as a V (Qi et al., 2023, section 6)

The orders are those of `torch.distributed.pipelining`, which a contract test compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import isclose
from typing import NamedTuple

from runtime.protocol.figures import Piece

Lanes = tuple[tuple[Piece, ...], ...]  # the pieces of each rank, in the order in which it does them


class Work(NamedTuple):
    """A micro-batch on a stage. `kind` as in `figures.Piece`."""

    kind: str
    stage: int
    microbatch: int


class Shape(NamedTuple):
    """Numbers of ranks, micro-batches, and stages on each rank."""

    ranks: int
    microbatches: int
    chunks: int = 1


class Costs(NamedTuple):
    """What a micro-batch costs on a stage, forward and backward, in any unit of time."""

    forward: float = 1.0
    backward: float = 2.0

    def of(self, kind: str) -> float:
        """Return the time of a piece of this kind, as in `figures.Piece`; a half of a backward is half."""
        return {"F": self.forward, "B": self.backward}.get(kind, self.backward / 2)


USUAL = Costs()


class Schedule(NamedTuple):
    """`order` returns the work of one rank; `fits` tells whether there is one for a shape.

    `v_shaped`: the second stage of the first rank is the last one.
    """

    title: str
    order: Callable[[Shape, int], Iterator[Work]]
    fits: Callable[[Shape], bool]
    v_shaped: bool = False

    def stages(self, shape: Shape, rank: int) -> tuple[int, ...]:
        """Return the stages of a rank, the earliest first."""
        return tuple(
            chunk * shape.ranks + (shape.ranks - 1 - rank if self.v_shaped and chunk % 2 else rank)
            for chunk in range(shape.chunks)
        )


# --- orders ---------------------------------------------------------------------------------------------


def _gpipe(shape: Shape, rank: int) -> Iterator[Work]:
    for kind in "FB":
        for microbatch in range(shape.microbatches):
            yield Work(kind, rank, microbatch)


def _one_forward_one_backward(shape: Shape, rank: int, hop: int, split: bool) -> Iterator[Work]:
    """Forwards ahead of the first backward, `hop` more for each rank to the next stage; then in turn.

    With several stages a rank works on a round of micro-batches on each, before it goes on to the next round.
    With `split` the weight gradients begin once `rank` backwards are done: that much less waits at the end.
    """
    ranks, microbatches, chunks = shape
    in_round = microbatches // max(1, microbatches // ranks)
    total = microbatches * chunks
    ahead = min(total, (chunks - 1) * in_round + hop * (ranks - 1 - rank))

    def nth(n: int, backward: bool) -> tuple[int, int]:
        """Stage and micro-batch of the n-th forward or backward of this rank."""
        turn, place = divmod(n, in_round)
        round_, chunk = divmod(turn, chunks)
        return (chunks - 1 - chunk if backward else chunk) * ranks + rank, round_ * in_round + place

    for n in range(ahead):
        yield Work("F", *nth(n, backward=False))
    weights = 0
    for n in range(total):
        if ahead + n < total:
            yield Work("F", *nth(ahead + n, backward=False))
        yield Work("I" if split else "B", *nth(n, backward=True))
        if split and n >= rank:
            yield Work("W", *nth(weights, backward=True))
            weights += 1
    if split:
        for n in range(weights, total):
            yield Work("W", *nth(n, backward=True))


def even_rounds(shape: Shape) -> bool:
    """Whether the micro-batches divide into equal rounds of about one a rank, as looped stages need."""
    return shape.microbatches % max(1, shape.microbatches // shape.ranks) == 0


def _one_f_one_b(shape: Shape, rank: int) -> Iterator[Work]:
    return _one_forward_one_backward(shape, rank, hop=1, split=False)


def _interleaved(shape: Shape, rank: int) -> Iterator[Work]:
    return _one_forward_one_backward(shape, rank, hop=2, split=False)


def _zero_bubble(shape: Shape, rank: int) -> Iterator[Work]:
    return _one_forward_one_backward(shape, rank, hop=1, split=True)


def _v_shaped(shape: Shape, rank: int) -> Iterator[Work]:
    """Plan for a full pipeline (`2 ranks - 1` micro-batches or more), without those that do not exist."""
    ranks = shape.ranks
    full = max(2 * ranks - 1, shape.microbatches)
    down, up = rank, 2 * ranks - 1 - rank
    done = {(kind, stage): 0 for kind in "FIW" for stage in (down, up)}

    def next_(kind: str, stage: int) -> Work:
        work = Work(kind, stage, done[kind, stage])
        done[kind, stage] += 1
        return work

    plan = [next_("F", down) for _ in range(2 * (ranks - rank) - 1)]
    for _ in range(rank):
        plan += [next_("F", up), next_("F", down)]
    for _ in range(ranks - rank):
        plan += [next_(kind, up) for kind in "FIW"]
    while done["F", up] < done["F", down] or done["F", down] < full:
        if done["F", down] < full:
            plan.append(next_("F", down))
        plan += [next_("I", down), next_("W", down)]
        plan += [next_(kind, up) for kind in "FIW"]
    for _ in range(rank):
        plan += [next_("I", down), next_("I", up)]
    for _ in range(ranks - rank):
        plan += [next_("I", down), next_("W", down)]
    for stage in (up, down):
        plan += [next_("W", stage) for _ in range(done["I", stage] - done["W", stage])]
    return (work for work in plan if work.microbatch < shape.microbatches)


SCHEDULES = {
    "gpipe": Schedule("GPipe", _gpipe, lambda shape: shape.chunks == 1),
    "1f1b": Schedule("1F1B", _one_f_one_b, lambda shape: shape.chunks == 1),
    "interleaved": Schedule("interleaved 1F1B", _interleaved, even_rounds),
    "zero-bubble": Schedule("zero bubble", _zero_bubble, even_rounds),
    "zbv": Schedule("zero bubble V", _v_shaped, lambda shape: shape.chunks == 2, v_shaped=True),
}


def exists(name: str, shape: Shape) -> bool:
    """Whether schedule `name` exists for this shape."""
    return min(shape) >= 1 and SCHEDULES[name].fits(shape)


# --- grids ----------------------------------------------------------------------------------------------


def needs(work: Work, last_stage: int) -> Iterator[frozenset[Work]]:
    """Return what must be done before it: one of each set (a backward is whole or begins with its `I`)."""
    kind, stage, microbatch = work
    if kind == "F":
        if stage > 0:
            yield frozenset({Work("F", stage - 1, microbatch)})
        return
    if kind == "W":
        yield frozenset({Work("I", stage, microbatch)})
        return
    yield frozenset({Work("F", stage, microbatch)})
    if stage < last_stage:
        yield frozenset(Work(kind, stage + 1, microbatch) for kind in "BI")


@lru_cache(maxsize=64)
def grid(name: str, shape: Shape, costs: Costs = USUAL) -> Lanes:
    """Return the pieces of every rank in the unit of `costs`: by itself one forward of a stage.

    KeyError: no such schedule. ValueError: it does not exist for this shape, or would wait for itself.
    """
    if not exists(name, shape):
        raise ValueError(f"there is no {name} for {shape}")
    schedule = SCHEDULES[name]
    orders = [list(schedule.order(shape, rank)) for rank in range(shape.ranks)]
    last_stage = shape.ranks * shape.chunks - 1
    ends: dict[Work, float] = {}
    lanes: list[list[Piece]] = [[] for _ in orders]
    placed = True
    while placed:
        placed = False
        for order, lane in zip(orders, lanes, strict=True):
            while len(lane) < len(order):
                work = order[len(lane)]
                there = [[ends[w] for w in either if w in ends] for either in needs(work, last_stage)]
                if not all(there):
                    break
                begin = max([lane[-1].t1 if lane else 0.0, *(end for either in there for end in either)])
                ends[work] = begin + costs.of(work.kind)
                lane.append(Piece(*work, begin, ends[work]))
                placed = True
    if any(len(lane) < len(order) for order, lane in zip(orders, lanes, strict=True)):
        raise ValueError(f"{name} waits for itself with {shape}")
    return tuple(map(tuple, lanes))


def span(lanes: Sequence[Sequence[Piece]]) -> float:
    """Return the time from the first beginning to the last end, in the unit of the pieces."""
    pieces = [piece for lane in lanes for piece in lane]
    return max(p.t1 for p in pieces) - min(p.t0 for p in pieces) if pieces else 0.0


def idle(lanes: Sequence[Sequence[Piece]]) -> tuple[float, float] | None:
    """Return idle time as a share of all time, and of the time of the work alone; means over the ranks."""
    busy = sum(piece.t1 - piece.t0 for lane in lanes for piece in lane)
    total = len(lanes) * span(lanes)
    return ((total - busy) / total, (total - busy) / busy) if busy > 0 else None


def live(lane: Sequence[Piece]) -> int:
    """Return the most micro-batches (each on one stage of a rank) whose activations are held at once.

    From the beginning of the forward to the end of the backward, or of its half that needs them last.
    """
    held = most = 0
    for piece in sorted(lane, key=lambda piece: piece.t0):
        held += {"F": 1, "I": 0}.get(piece.kind, -1)
        most = max(most, held)
    return most


def idle_of_total(shape: Shape) -> float:
    """Return (p-1) / (v m + p-1): GPipe, 1F1B and interleaved with whole rounds (Narayanan et al., 2021)."""
    return (shape.ranks - 1) / (shape.chunks * shape.microbatches + shape.ranks - 1)


def idle_of_ideal(shape: Shape) -> float:
    """Return (p-1) / (v m), of the same schedules (Narayanan et al., 2021, section 2.2)."""
    return (shape.ranks - 1) / (shape.chunks * shape.microbatches)


def formulas(shape: Shape, shares: tuple[float, float]) -> tuple[str, ...]:
    """Return the two formulas as text, if they give these shares of idle time."""
    if not all(map(isclose, shares, (idle_of_total(shape), idle_of_ideal(shape)))):
        return ()
    work = "m" if shape.chunks == 1 else "vm"
    return f"(p-1)/({work}+p-1)", f"(p-1)/{work}"
