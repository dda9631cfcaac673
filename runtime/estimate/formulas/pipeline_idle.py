"""Idle time of a pipeline by both names, how long a step is, and how many micro-batches each stage holds.

Times are in units of one forward of a stage; a backward is two, half of it for the weights. The formulas of
GPipe, 1F1B and interleaving are those of `runtime.metrics.steps.pipeline_schedules`, which reads them off a
grid as well. Zero bubbles wait (p-1)(F+B-W) or not at all (Qi et al., table 2), DualPipe (p/2-1)(F&B+B-3W)
(DeepSeek-V3, table 2), where B is the whole backward.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.formulas.activations import in_flight
from runtime.estimate.inputs.layout import Layout
from runtime.metrics.steps.pipeline_schedules import Shape, idle_of_ideal, idle_of_total

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
    of_ideal = idle_of_ideal(shape) if layout.schedule in ("1f1b", "gpipe") else _idle(layout) / work
    of_total = idle_of_total(shape) if layout.schedule in ("1f1b", "gpipe") else of_ideal / (1 + of_ideal)
    return Pipeline(of_total, of_ideal, work * (1 + of_ideal), live)


def _idle(layout: Layout) -> float:
    """Forwards' worth of waiting: F = B = W = 1 where a backward is in halves, F&B = 3 where both overlap."""
    p = layout.pp
    if layout.schedule == "zb-h1":
        return (p - 1) * (FORWARD + BACKWARD / 2 - BACKWARD / 2)
    if layout.schedule == "dualpipe":
        return max(0.0, p / 2 - 1) * (FORWARD + BACKWARD + BACKWARD - 3 * BACKWARD / 2)
    return 0.0
