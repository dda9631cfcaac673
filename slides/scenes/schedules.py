"""Schedules of pipelines as the scene `pipeline` draws them.

They are not worked out here: the one place that knows them is another room's, which a real run is measured
against as well. Who joins the rooms names the module that has them (`suppliers.py`); without one the scene
says so.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from slides.scenes import suppliers
from slides.scenes.scene import NotDrawn

NAMES = ("gpipe", "1f1b", "interleaved", "zero-bubble", "zbv")


class Piece(NamedTuple):
    """A micro-batch on one of a rank's stages.

    Args:
        kind: F forward, B backward, or its halves: I gradients of the inputs, W of the weights.
        chunk: Which of its rank's stages, from 0.
        microbatch: From 0.
        begin, end: In the unit of the costs.
    """

    kind: str
    chunk: int
    microbatch: int
    begin: float
    end: float


class Wanted(NamedTuple):
    """A schedule by name, and what it is for: `forward` and `backward` are the costs of a micro-batch on all
    stages of a rank, of which it has `chunks`."""

    name: str
    ranks: int
    microbatches: int
    chunks: int
    forward: float
    backward: float


class Schedule(NamedTuple):
    """A schedule worked out.

    Args:
        title: Its name as the field writes it.
        lanes: The pieces of each rank, in the order in which it does them.
        of_total, of_ideal: Idle time as shares of all time and of the work alone, means over the ranks.
        formulas: What gives these two shares, where it is as simple as that; else ().
        live: The most pieces whose activations each rank holds at once.
    """

    title: str
    lanes: tuple[tuple[Piece, ...], ...]
    of_total: float
    of_ideal: float
    formulas: tuple[str, ...]
    live: tuple[int, ...]

    @property
    def span(self) -> float:
        """The time from the first beginning to the last end."""
        return max(lane[-1].end for lane in self.lanes)


def worked_out(wanted: Wanted) -> Schedule:
    """Return a schedule.

    Raises:
        NotDrawn: There is none for these numbers, or nobody has said who works them out.
    """
    module = suppliers.modules.get(suppliers.SCHEDULES)
    if module is None:
        raise NotDrawn("nobody here knows the schedules of pipelines: teachrun's screens bring them")
    source: Callable[[Wanted], Schedule] = import_module(module).worked_out
    return source(wanted)
