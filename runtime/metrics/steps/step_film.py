"""Puts what the ranks held and sent within a sampled step on one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.metrics.collectives.bandwidth import Members
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.steps.ranks_on_one_time_axis import MOST_RANKS, Timeline
from runtime.protocol.events import Moments, Step
from runtime.protocol.figures import Film, Mark, Moment, RankStep, Transfer

_PHASES = ("data", "forward", "backward", "optimizer", "other", "exposed", "wait")


class StepFilm:
    """The newest step of which the ranks told what they held. Made when first asked for."""

    def __init__(self, world: int, groups: Mapping[str, Members], timeline: Timeline) -> None:
        """`groups`: the members of each, as far as they are known; `timeline`: gives a step's phases."""
        self._world, self._groups, self._timeline = world, groups, timeline
        self._told: dict[int, Moments] = {}  # by rank, of a step that is not settled yet
        self._film: Film | None = None

    def add(self, event: Moments) -> None:
        """Take what a rank held in a step; that step has not settled yet."""
        if len(event.at) == len(event.gathered) == len(event.activations) == len(event.grads):
            self._told[event.rank] = event

    def settle(self, settled: Sequence[tuple[Step, list[Entered]]]) -> None:
        """Make the film of a step of all ranks that reported it, if they told what they held in it."""
        told = {
            step.rank: moments
            for step, _ in settled
            if (moments := self._told.get(step.rank)) is not None and moments.step == step.step
        }
        if not told or self._world > MOST_RANKS:
            return
        origin = min(step.t0 for step, _ in settled)
        lanes, span = self._timeline.newest()
        found = [RankStep()] * self._world
        for step, entered in settled:
            moments = told.get(step.rank)
            found[step.rank] = RankStep(
                _moments(moments, origin) if moments is not None else (),
                tuple(filter(None, (self._transfer(one, origin) for one in entered))),
                _phases(lanes[step.rank]),
            )
        self._film = Film(settled[0][0].step, span or 0.0, tuple(found))

    def newest(self) -> Film | None:
        """Return the newest such step; None: there was none yet."""
        return self._film

    def _transfer(self, one: Entered, origin: float) -> Transfer | None:
        event, end = one.collective, one.end
        if end is None:
            return None
        begin = min(max(event.t_issue, one.last if one.last is not None else event.t_issue), end)
        group = self._groups.get(event.group)
        ranks = group.ranks if group is not None else ()
        if event.peer >= 0:
            ranks = (event.rank, ranks[event.peer]) if event.peer < len(ranks) else ()
        return Transfer(event.op, begin - origin, end - origin, event.bytes, tuple(ranks))


def _moments(event: Moments, origin: float) -> tuple[Moment, ...]:
    return tuple(
        Moment(t - origin, gathered, activations, grads)
        for t, gathered, activations, grads in zip(
            event.at, event.gathered, event.activations, event.grads, strict=True
        )
    )


def _phases(lane: Sequence[Mark]) -> tuple[Mark, ...]:
    return tuple(mark for mark in lane if mark.kind in _PHASES)
