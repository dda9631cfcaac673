"""Pipelines for the tests of view and figures: a schedule's grid, stretched and late as on real ranks."""

from __future__ import annotations

import random

import made_snapshots as made
from msgspec.structs import replace

from runtime.metrics.steps import pipeline, pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import Shape
from runtime.protocol.events import Span
from runtime.protocol.messages import Snapshot

FORWARD_S = 0.012
TORCHS_NAMES = {
    "gpipe": "GPipe",
    "1f1b": "1F1B",
    "interleaved": "Interleaved1F1B",
    "zero-bubble": "InterleavedZeroBubble",
    "zbv": "ZBVZeroBubble",
}


def spans(
    name: str, shape: Shape, *, noise: float = 0.0, transfer: float = 0.0, seed: int = 0, step: int = 12
) -> list[list[Span]]:
    """What ranks would report. A piece takes up to `noise` longer, a transfer takes `transfer` units."""
    rng = random.Random(seed)
    last_stage = shape.ranks * shape.chunks - 1
    orders = [list(pipeline_schedules.SCHEDULES[name].order(shape, rank)) for rank in range(shape.ranks)]
    ends: dict[pipeline_schedules.Work, tuple[int, float]] = {}
    done: list[list[Span]] = [[] for _ in orders]
    free = [0.0] * shape.ranks
    while any(orders):
        for rank, order in enumerate(orders):
            while order:
                work = order[0]
                needs = pipeline_schedules.needs(work, last_stage)
                there = [[ends[w] for w in either if w in ends] for either in needs]
                if not all(there):
                    break
                begin = max([free[rank], *(t + transfer * (r != rank) for each in there for r, t in each)])
                free[rank] = begin + pipeline_schedules.USUAL.of(work.kind) * (1 + rng.uniform(0, noise))
                ends[work] = rank, free[rank]
                t0, t1 = (1000.0 + FORWARD_S * t / shape.chunks for t in (begin, free[rank]))
                done[rank].append(
                    Span("r", 0, rank, t1, work.kind, work.stage, work.microbatch, work.stage // shape.ranks,
                         step, t0, t1)
                )  # fmt: skip
                del order[0]
    return done


def running(name: str, shape: Shape, **disturbed: float) -> Snapshot:
    """A run in the middle, its newest step measured."""
    measured = pipeline.measured(12, spans(name, shape, **disturbed))  # type: ignore[arg-type]
    return replace(made.running(shape.ranks), demo="pipeline", pipeline=measured)
