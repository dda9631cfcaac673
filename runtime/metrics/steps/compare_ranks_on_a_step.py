"""Compares all ranks on one step: what each waited, and what was transferred.

Few ranks are looked at one by one, many together (`many_ranks.py`), which gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from runtime.metrics.collectives.bandwidth import Made, Timed, calls_of
from runtime.metrics.collectives.entries import Entries
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.steps.step_breakdown import Parts, Phase, partition
from runtime.protocol.events import Collective, Step

MANY = 64  # ranks: from here on they are divided together
DRAWN = 16  # of many ranks, of so many and no more a step can be drawn
Reports = Mapping[int, tuple[Step, Sequence[Collective]]]


class Settled(NamedTuple):
    """One rank's step beside those of the others. `complete`: nothing of it is missing; `entered` is None
    where nobody asks for it."""

    rank: int
    step: Step
    issued: Sequence[Collective]
    made: Made
    parts: Parts
    timed: Timed
    complete: bool
    entered: list[Entered] | None


def be_ready(world: int) -> None:
    """Import what many ranks need before they speak: it takes a tenth of a second."""
    if world >= MANY:
        import runtime.metrics.steps.many_ranks  # noqa: F401


def settle(
    here: Reports,
    entries: Entries,
    seen: Container[int],
    pieces: Callable[[int], Iterable[Phase]],
    *,
    every: bool = False,
) -> list[Settled]:
    """Return the step of each rank that has reported it.

    Args:
        here: The reports, by rank.
        entries: When the ranks entered their collectives.
        seen: The ranks whose collectives are known.
        pieces: Of a rank, its forwards and backwards one by one.
        every: Whether `entered` is asked for of every rank.
    """
    reports = list(here.values())
    keys = [entries.keys(issued) for _, issued in reports]
    compared = entries.compare(chain.from_iterable(keys))
    made = [tuple([(c.op, c.group, c.bytes) for c in issued]) for _, issued in reports]
    last_of, over_of, lost = compared.last, compared.over.get, compared.lost
    complete = [number in seen and number not in lost for number in here]
    together: list[tuple[Parts, Timed] | None] = [None] * len(reports)
    if len(here) >= MANY:
        from runtime.metrics.steps import many_ranks

        lasts = [[last_of[key] for key in own] for own in keys]
        over = compared.over
        usual = [
            whole and (not over or over.keys().isdisjoint(own))
            for whole, own in zip(complete, keys, strict=True)
        ]
        together = many_ranks.divide(reports, lasts, made, usual)
    found: list[Settled] = []
    for number, (step, issued), own, whole, divided, calls in zip(
        here, reports, keys, complete, together, made, strict=True
    ):
        entered = None
        if divided is None or every or not found or number < DRAWN:
            entered = [Entered(c, last_of[key], over_of(key)) for c, key in zip(issued, own, strict=True)]
        if divided is None:
            assert entered is not None
            divided = partition(step, entered, whole, pieces(number)), calls_of(entered)
        parts, timed = divided
        found.append(Settled(number, step, issued, calls, parts, timed, whole, entered))
    return found
