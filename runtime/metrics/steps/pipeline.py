"""Reconstructs a step of a pipeline from what its ranks measured: pieces, idle time, and theory.

The schedule is recognised by the order in which the ranks worked. An order that is none of
`pipeline_schedules.SCHEDULES`, or a step with lost pieces, has no theory beside it, and with lost pieces no
idle time either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.metrics.steps import pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, Lanes, Shape
from runtime.protocol.events import Span
from runtime.protocol.figures import Piece, Pipeline

MOST_RANKS = 16  # of which a screen can show lanes at once
MOST_PIECES = 4096  # of a step; more than a screen could show
_KINDS = frozenset("FBIW")


def is_piece(event: Span) -> bool:
    """Whether it is a micro-batch on a stage, and not a span of the script's own."""
    return event.kind in _KINDS and event.microbatch >= 0 and event.stage >= 0


class Collected:
    """The spans of a run's ranks until their step is settled; then only those of the newest settled step."""

    def __init__(self, world: int) -> None:
        self.spans: dict[int, list[list[Span]]] = {}  # by step, of each rank
        self._world = world
        self._settled: tuple[int, list[list[Span]]] | None = None
        self._newest: Pipeline | None = None

    def add(self, event: Span) -> None:
        """Keep a span that is a piece of a pipeline; with more than `MOST_RANKS` ranks none is kept."""
        if is_piece(event) and self._world <= MOST_RANKS:
            self.spans.setdefault(event.step, [[] for _ in range(self._world)])[event.rank].append(event)

    def settle(self, step: int) -> None:
        """Settle a step: all ranks that will report it have done so."""
        if step in self.spans:
            self._settled, self._newest = (step, self.spans[step]), None
        for old in [s for s in self.spans if s <= step]:
            del self.spans[old]

    def phases(self, step: int, rank: int) -> list[tuple[str, float, float]]:
        """Return a rank's forwards and backwards in `step` as (kind, t0, t1) in seconds, if it is
        the newest settled."""
        if self._settled is None or self._settled[0] != step:
            return []
        return [("forward" if s.kind == "F" else "backward", s.t0, s.t1) for s in self._settled[1][rank]]

    def newest(self) -> Pipeline | None:
        """Return the pipeline of the newest settled step that had one, else None."""
        if self._newest is None and self._settled is not None:
            self._newest = measured(*self._settled)
        return self._newest


def measured(step: int, spans: Sequence[Iterable[Span]]) -> Pipeline | None:
    """Return the pipeline of one step from the spans of each rank; None without spans."""
    ranks = [sorted((s for s in rank if is_piece(s)), key=lambda s: s.t0) for rank in spans]
    pieces = sum(map(len, ranks))
    if not 0 < pieces <= MOST_PIECES:
        return None
    origin = min(s.t0 for rank in ranks for s in rank)
    lanes = tuple(
        tuple(Piece(s.kind, s.stage, s.microbatch, s.t0 - origin, s.t1 - origin) for s in rank)
        for rank in ranks
    )
    shares = pipeline_schedules.idle([lane for lane in lanes if lane]) if _complete(lanes) else None
    title, shape, theory = (_recognised(lanes) if shares else None) or ("", None, ())
    promised = pipeline_schedules.idle(theory)
    return Pipeline(
        schedule=title,
        step=step,
        lanes=lanes,
        span_s=pipeline_schedules.span(lanes),
        bubble=shares[0] if shares else None,
        bubble_ideal=shares[1] if shares else None,
        theory=theory,
        theory_span=pipeline_schedules.span(theory),
        theory_bubble=promised[0] if promised else None,
        theory_bubble_ideal=promised[1] if promised else None,
        live=tuple(map(pipeline_schedules.live, lanes)),
        theory_live=tuple(map(pipeline_schedules.live, theory)),
        formulas=pipeline_schedules.formulas(shape, promised) if shape and promised else (),
    )


def _complete(lanes: Lanes) -> bool:
    """Whether every micro-batch went forward and back through every stage that a rank has."""
    microbatches = {p.microbatch for lane in lanes for p in lane}
    for lane in lanes:
        done = {(p.kind, p.stage, p.microbatch) for p in lane}
        for stage in {p.stage for p in lane}:
            for microbatch in microbatches:
                whole = ("B", stage, microbatch) in done
                halves = {("I", stage, microbatch), ("W", stage, microbatch)} <= done
                if ("F", stage, microbatch) not in done or not (whole or halves):
                    return False
    return True


def _recognised(lanes: Lanes) -> tuple[str, Shape, Lanes] | None:
    """Return the schedule with this order of work: title, shape and grid; None if it is unknown.

    Ranks with the same stages are replicas of each other, and each lane is compared by itself.
    """
    stages = [tuple(sorted({p.stage for p in lane})) for lane in lanes]
    places = sorted({own for own in stages if own})
    shape = Shape(len(places), 1 + max(p.microbatch for lane in lanes for p in lane), len(places[0]))
    orders = [[(p.kind, p.stage, p.microbatch) for p in lane] for lane in lanes]
    for name, schedule in SCHEDULES.items():
        if any(own != schedule.stages(shape, rank) for rank, own in enumerate(places)):
            continue
        if not pipeline_schedules.exists(name, shape):
            continue
        grid = pipeline_schedules.grid(name, shape)
        theory = tuple(grid[places.index(own)] if own else () for own in stages)
        if orders == [[(p.kind, p.stage, p.microbatch) for p in lane] for lane in theory]:
            return schedule.title, shape, theory
    return None
