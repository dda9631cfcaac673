"""Stores what is known of one run: rings per rank, and the figures no rank can know by itself.

A step is *settled* when every rank that lives has reported it; then the entries of all ranks into each of
its collectives are compared, which gives waiting time, lateness and the step bar
(`runtime.metrics.steps.step_breakdown`).
Figures are means over the last `WINDOW` settled steps, so the parts of a bar sum to its step exactly.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from runtime.metrics.checksums import Checks
from runtime.metrics.collectives.bandwidth import Members, Traffic
from runtime.metrics.collectives.byte_counts import Volume
from runtime.metrics.collectives.entries import Entries
from runtime.metrics.collectives.nccl_routes import NcclRoutes
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.collectives.who_waits import LONG_S, Stands, standing, waited_for
from runtime.metrics.custom_values import NAMES, Values
from runtime.metrics.rank_output import RankOutput
from runtime.metrics.rank_state import ELSEWHERE, WINDOW, RankState, outcome
from runtime.metrics.run_warnings import Caveats
from runtime.metrics.several_trainings import Trainings
from runtime.metrics.steps import pipeline
from runtime.metrics.steps.compare_ranks_on_a_step import be_ready, settle
from runtime.metrics.steps.ranks_on_one_time_axis import Timeline
from runtime.metrics.steps.step_breakdown import Parts, partition
from runtime.metrics.steps.step_film import StepFilm
from runtime.metrics.steps.stragglers import behind_the_others, busy
from runtime.metrics.tensor_placement import TensorPlacement
from runtime.metrics.xray_of_a_step import XRays
from runtime.protocol.events import (
    ON_PURPOSE,
    Beat,
    Boot,
    Changed,
    Check,
    Collective,
    Done,
    Event,
    Fault,
    Gpu,
    Group,
    Hello,
    Links,
    Log,
    Lost,
    Memory,
    Moments,
    Shards,
    Span,
    Step,
    Value,
    Wire,
    XRay,
)
from runtime.protocol.figures import Device, RankRow

LOG_LINES = 40
MOST_OF_A_STEP = 10_000  # collectives of a rank that wait for their step
_LAG = 32  # a rank this many steps behind no longer holds up the figures of the others


class RunStore:
    """All events of one generation go in by `ingest`; `run_figures.figures` reads it for a panel."""

    def __init__(
        self,
        world: int,
        now: float | None = None,
        on_settled: Callable[[Step, Sequence[Entered], Parts], None] | None = None,
    ) -> None:
        """`on_settled` gets each rank's step when it is compared with the others."""
        now = time.monotonic() if now is None else now
        self.world = world
        self._on_settled = on_settled
        be_ready(world)
        self.ranks = [RankState(rank, now) for rank in range(world)]
        self.settled = -1  # newest settled step
        self._asked = 0  # so many of the ranks, from the first on, have reported the step after it
        self.reached = -1  # newest step of any rank
        self.backend: str | None = None
        self.device: str | None = None
        self.phases_at: dict[str, float] = {}  # when the last rank began a boot phase
        self.first_step: int | None = None  # its number: not 0 in a generation that goes on
        self.first_step_at: float | None = None  # end of the first step of the rank that came last
        self.left_out = 0  # events that came too fast to be compared
        self._too_many = False  # collectives in a step to be compared
        self.logs: deque[str] = deque(maxlen=LOG_LINES)
        self.output = RankOutput(world)
        self.faults: dict[int, Fault] = {}  # the first of each rank
        self.changed: dict[str, int] = {}  # under the script, and how often on one rank
        self.lost: dict[str, str] = {}  # what the probe failed to do, and why
        self.xrays = XRays(world)
        self.values = Values(world)
        self.pipeline = pipeline.Collected(world)
        self.traffic = Traffic(WINDOW)
        self.volume = Volume(world, WINDOW)
        self.entries = Entries(world)
        self.routes = NcclRoutes(world)
        self.placement = TensorPlacement(world)
        self.checks = Checks(world, 2 * WINDOW)
        self.caveats = Caveats(world)
        self.trainings = Trainings(world, self.caveats)
        self.timeline = Timeline(world, self.pipeline.phases)
        self.film = StepFilm(world, self.entries.groups, self.timeline)

    @property
    def forsaken(self) -> bool:
        """Whether the others go on without a rank that has not ended."""
        return any(rank.behind and not rank.ended for rank in self.ranks)

    def leave_out(self, events: int, steps: Mapping[int, int]) -> None:
        """So many events came too fast to be drawn, of ranks up to these steps: what these did in them is not
        known, and no figure of it is made of the rest."""
        self.left_out += events
        for number, step in steps.items():
            if 0 <= number < self.world:
                rank = self.ranks[number]
                rank.left_out_to = max(rank.left_out_to, step)

    def is_partial(self, step: int) -> bool:
        """Whether events of a step were left out."""
        return (self.left_out > 0 or self._too_many) and any(step <= rank.left_out_to for rank in self.ranks)

    def go_on_from(self, before: RunStore) -> None:
        """Continue the loss curves of the generation before; a step that was to be looked at still is."""
        ordered = before.xrays.figure
        if ordered is not None and ordered.state != "ready":
            self.xrays.order(ordered.step)
        self.left_out = before.left_out
        self.trainings.losses = before.trainings.losses
        self.logs = before.logs

    # --- events in --------------------------------------------------------------------------------------

    def ingest(self, event: Event, now: float | None = None) -> None:
        """Take in one event; ranks outside the world are ignored, nothing raises."""
        self.ingest_all((event,), now)

    def ingest_all(self, events: Iterable[Event], now: float | None = None) -> None:
        """Take in a batch that arrived together; `now` is this process's monotonic clock."""
        now = time.monotonic() if now is None else now
        settle = False
        for event in events:
            if not 0 <= event.rank < self.world:
                if isinstance(event, Log):
                    self.logs.append(event.line)
                continue
            rank = self.ranks[event.rank]
            if not isinstance(event, Log):  # read from its file: no sign of life
                rank.heard = now
            match event:
                case Collective():
                    self._collective(rank, event)
                    self.caveats.collective(event)
                case Wire():
                    self.volume.on_wire.add(event)
                case Step():
                    self._step(rank, event)
                    settle = True
                case Beat():
                    rank.beats(event, now)
                case Memory():
                    rank.memory = event
                case Shards():
                    self.placement.add(event)
                case Moments():
                    self.film.add(event)
                case Check():
                    rank.check = event
                    norm = self.checks.add(event)
                    if norm is not None:
                        for each in self.ranks:
                            each.whole_norm = event.step, norm
                case Boot():
                    rank.state = event.phase
                    self.phases_at[event.phase] = max(event.t, self.phases_at.get(event.phase, 0.0))
                case Hello():
                    rank.node, rank.pid = event.node, event.pid
                    self.backend, self.device = event.backend, event.device
                case Span():
                    self.pipeline.add(event)
                case Value():
                    self.values.add(event)
                case Links():
                    self.volume.on_wire.know(event)
                case Group():
                    if event.ranks:  # torch does not list the members of every group
                        self.entries.groups[event.id] = Members(event.name, tuple(event.ranks))
                case Log():
                    rank.wrote(event.line)
                    self.routes.add(event)
                    for line in self.output.take(event.rank, event.line):
                        self.logs.append(line if self.world == 1 else f"rank {event.rank}: {line}")
                case Fault():
                    if event.root == ON_PURPOSE:
                        rank.harm = event.what
                        for each in self.ranks:
                            each.narrow_window()
                    else:
                        self.faults.setdefault(event.rank, event)
                case Changed():
                    if event.what in self.changed or len(self.changed) < NAMES:
                        self.changed[event.what] = max(event.times, self.changed.get(event.what, 0))
                case Lost():
                    if len(self.lost) < NAMES:
                        self.lost.setdefault(event.what, event.why)
                case XRay():
                    self.xrays.answer(event)
                case Gpu():
                    rank.gpu = Device(event.util, event.watt, event.celsius, event.memory)
                case Done():
                    rank.ended = True
                    self.xrays.end(event.rank)
                    rank.state = outcome(event)
                    rank.result = rank.result if rank.state == ELSEWHERE else event.result or rank.result
                    settle = True
        if settle:
            self._settle()

    def _collective(self, rank: RankState, event: Collective) -> None:
        rank.recent.append(event)
        pile = rank.collectives.get(event.step)
        if pile is None:
            pile = rank.collectives[event.step] = []
        if len(pile) >= MOST_OF_A_STEP:  # of a script without steps, as likely as not
            pile.clear()
            self._too_many, rank.left_out_to = True, max(rank.left_out_to, event.step)
            self.entries.forget()
        pile.append(event)
        self.entries.add(event)

    def _step(self, rank: RankState, step: Step) -> None:
        if rank.newest is None:
            self.first_step_at = max(step.t, self.first_step_at or 0.0)
            self.first_step = step.step if self.first_step is None else min(step.step, self.first_step)
        rank.newest = step
        self.reached = max(self.reached, step.step)
        if step.step > self.settled:
            rank.steps[step.step] = step
        else:
            self._late_step(rank, step)
        if self.caveats.begins(step.training, step.step):
            self.trainings.begin(step.training)
            for each in self.ranks:
                each.begin_again()
        self.caveats.step(step)
        self.trainings.reported(step)

    def _late_step(self, rank: RankState, step: Step) -> None:
        """A step that the others are done with: known is what the rank measured itself, waiting is not."""
        rank.left_behind()
        self.volume.leave(rank.rank)
        alone = [Entered(c, None) for c in rank.collectives.pop(step.step, [])]
        rank.parts.append(partition(step, alone, not rank.blind and step.step > rank.left_out_to))
        rank.figures = None

    def _settle(self) -> None:
        """Settle what all ranks that live have reported; a slow rank holds up the others only so long."""
        while self.settled < self.reached:
            step = self.settled + 1
            if step > self.reached - _LAG and not self._all_reported(step):
                return
            if step < self.reached - _LAG and not any(step in rank.steps for rank in self.ranks):
                pending = (s for rank in self.ranks for s in rank.steps)
                step = min(pending, default=step)  # nobody reported those between: it begins far on
                step = min(step, self.reached - _LAG)
            self._settle_step(step)
            self.settled, self._asked = step, 0

    def _all_reported(self, step: int) -> bool:
        # A rank that has reported a step is not checked again for it: with many ranks most frames end here.
        while self._asked < self.world:
            rank = self.ranks[self._asked]
            if not rank.ended and (rank.newest is None or rank.newest.step < step):
                return False
            self._asked += 1
        return True

    def _settle_step(self, step: int) -> None:
        """Compare all ranks on one step: what each waited, how late each was, and the bar it gives."""
        here = {
            rank.rank: (rank.steps.pop(step), rank.collectives.pop(step, []))
            for rank in self.ranks
            if step in rank.steps
        }
        seen = {
            number
            for number in here
            if not self.ranks[number].blind and step > self.ranks[number].left_out_to
        }
        self.pipeline.settle(step)
        every = self._on_settled is not None
        settled = settle(
            here, self.entries, seen, lambda number: self.pipeline.phases(step, number), every=every
        )
        worked: dict[int, float] = {}
        for one in settled:
            rank = self.ranks[one.rank]
            rank.parts.append(one.parts)
            rank.figures = None
            own = busy(one.parts)
            if one.issued and own is not None:  # who communicates with nobody holds up nobody
                worked[one.rank] = own
            if self._on_settled is not None and one.entered is not None:
                self._on_settled(one.step, one.entered, one.parts)
        for number, seconds in behind_the_others(worked):
            self.ranks[number].late.append(seconds)
        for rank in self.ranks:
            if rank.rank in here:
                rank.behind = False
            elif rank.newest is not None and rank.newest.step < step:
                rank.left_behind()
                self.volume.leave(rank.rank)
        self.trainings.settled(step, [one.step for one in settled])
        drawn = [(one, one.entered) for one in settled if one.entered is not None]
        self.xrays.settle(step, {one.rank: entered for one, entered in drawn if one.complete})
        if settled:
            self.timeline.settle([(one.step, entered) for one, entered in drawn])
            self.film.settle([(one.step, entered) for one, entered in drawn])
            if not self.is_partial(step):
                self.traffic.settled(one.timed for one in settled)
        made = ((one.rank, one.made) for one in settled if one.rank in seen)
        self.volume.settle(step, made, self.entries.groups)
        self._forget(step)

    def _forget(self, step: int) -> None:
        """Drop what came too late for its step."""
        for rank in self.ranks:
            for pile in (rank.steps, rank.collectives):
                if pile and min(pile) <= step:
                    for old in [s for s in pile if s <= step]:
                        del pile[old]
        self.entries.forget()

    # --- figures out ------------------------------------------------------------------------------------

    @property
    def median_step_s(self) -> float | None:
        """Median seconds of a step of all ranks in the window, for `stall_reason`."""
        typical = [parts.step_s for rank in self.ranks for parts in rank.parts]
        return median(typical) if typical else None

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Return the members of every process group that torch listed."""
        return [members.ranks for members in self.entries.groups.values()]

    def standing(self) -> dict[int, Stands]:
        """Return which ranks wait in a collective, and for whom."""
        beats = {rank.rank: rank.beat for rank in self.ranks if rank.beat is not None}
        ended = {rank.rank for rank in self.ranks if rank.ended}
        return standing(beats, ended, self.entries.groups, self.world)

    def _waited_for(self, now: float) -> dict[int, str]:
        """Return, by rank, for whom it stands in a collective longer than a step takes."""
        if all(rank.stands_s < LONG_S for rank in self.ranks):  # as long as all is well
            return {}
        limit = max(LONG_S, self.median_step_s or 0.0)
        stands = {r: stand for r, stand in self.standing().items() if self.ranks[r].stands_s >= limit}
        silent = [rank.rank for rank in self.ranks if not rank.ended and now - rank.heard >= LONG_S]
        return waited_for(stands, silent, self.entries.groups)

    def all_done(self, step: int) -> bool:
        """Whether every living rank has done `step`."""
        return all(r.ended or (r.newest.step if r.newest else -1) >= step for r in self.ranks)

    def bytes_of_step(
        self, rank: int, step: int, issued: Sequence[Collective]
    ) -> tuple[int, float, int | None]:
        """Payload, theory and what was on the wire of a step that settles just now
        (`runtime.metrics.collectives.byte_counts`)."""
        counted = self.volume.on_wire.of_step(rank, step) if self.backend in (None, "gloo") else None
        made = tuple((c.op, c.group, c.bytes) for c in issued)
        return (*self.volume.of_step(made, self.entries.groups), counted)

    def rows(self, now: float | None = None, least: float | None = None) -> tuple[RankRow, ...]:
        """Return a row for each rank; `least`: bytes a step by theory, if not those of its calls."""
        now = time.monotonic() if now is None else now
        gloo = (self.backend or "gloo") == "gloo"
        each = (self.volume.of(rank.rank, least, gloo) for rank in self.ranks)
        peaks, waits = self.xrays.peaks, self._waited_for(now)
        # Of one step in all rows: a rank that is a step ahead would seem to disagree with the others.
        common = self.checks.of_common_step({rank.rank for rank in self.ranks if rank.state != "dead"})
        return tuple(
            [
                rank.row(now, volume, peaks.get(rank.rank), common.get(rank.rank), waits.get(rank.rank, ""))
                for rank, volume in zip(self.ranks, each, strict=True)
            ]
        )
