"""The schedules that the scene `pipeline` draws: the runtime's, which a measured run stands beside."""

from __future__ import annotations

from functools import lru_cache

from runtime.metrics.steps import pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, Costs, Shape
from slides.scenes.scene import NotDrawn
from slides.scenes.schedules import Piece, Schedule, Wanted


@lru_cache(32)
def worked_out(wanted: Wanted) -> Schedule:
    """Return the schedule that is wanted.

    Raises:
        NotDrawn: There is none for these numbers; with the nearest there is.
    """
    shape = Shape(wanted.ranks, wanted.microbatches, wanted.chunks)
    if not pipeline_schedules.exists(wanted.name, shape):
        raise NotDrawn(_why(wanted))
    costs = Costs(wanted.forward / wanted.chunks, wanted.backward / wanted.chunks)
    lanes = pipeline_schedules.grid(wanted.name, shape, costs)
    schedule = SCHEDULES[wanted.name]
    shares = pipeline_schedules.idle(lanes) or (0.0, 0.0)
    found = []
    for rank, lane in enumerate(lanes):
        stages = schedule.stages(shape, rank)
        found.append(tuple(Piece(p.kind, stages.index(p.stage), p.microbatch, p.t0, p.t1) for p in lane))
    return Schedule(
        schedule.title,
        tuple(found),
        *shares,
        pipeline_schedules.formulas(shape, shares),
        tuple(map(pipeline_schedules.live, lanes)),
    )


def _why(wanted: Wanted) -> str:
    name, ranks, microbatches = wanted.name, wanted.ranks, wanted.microbatches
    if wanted.chunks != 1 and name in ("gpipe", "1f1b"):
        return f"{name} has one stage on each rank: write chunks=1"
    if wanted.chunks != 2 and name == "zbv":
        return "a V is two stages on each rank: write chunks=2"
    whole = max(1, microbatches // ranks) * ranks
    return (
        f"{microbatches} micro-batches do not fall into equal rounds on {ranks} ranks: "
        f"write micro_batches={whole}"
    )
