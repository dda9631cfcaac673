"""Idle time of a pipeline by both names, how long a step is, and how many micro-batches each stage holds.

Times are in units of one forward of a stage; a backward is two. The formulas are those of
`runtime.metrics.pipeline_schedules`, which reads them off a grid as well.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.formulas.activations import in_flight
from runtime.estimate.inputs.layout import Layout
from runtime.metrics.pipeline_schedules import Shape, idle_of_ideal, idle_of_total

FORWARD, BACKWARD = 1, 2


class Pipeline(NamedTuple):
    """`idle_of_total` of all time, `idle_of_ideal` of the time the work alone would take (the papers'
    "bubble"); `makespan` in forwards of a stage; `live` micro-batches by stage."""

    idle_of_total: float
    idle_of_ideal: float
    makespan: float
    live: tuple[float, ...]


def pipeline(layout: Layout) -> Pipeline:
    """Idle by both names, makespan in forwards of a stage, micro-batches in flight by stage."""
    shape = Shape(layout.pp, layout.micro_batches, layout.interleave)
    work = (FORWARD + BACKWARD) * layout.micro_batches
    live = tuple(in_flight(layout, stage) for stage in range(layout.pp))
    ideal = idle_of_ideal(shape)
    return Pipeline(idle_of_total(shape), ideal, work * (1 + ideal), live)
