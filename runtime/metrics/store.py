"""What is known of one run: rings per rank, and the figures no rank can know by itself.

A step is *settled* when every rank that lives has reported it; then the entries of all ranks into each of
its collectives are compared, which gives waiting time, lateness and the step bar
(`runtime.metrics.step_breakdown`).
Figures are means over the last `WINDOW` settled steps, so the parts of a bar sum to its step exactly.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from runtime.metrics import pipeline
from runtime.metrics.caveats import Caveats
from runtime.metrics.checksums import Checks
from runtime.metrics.collectives.bandwidth import Members, Traffic
from runtime.metrics.collectives.byte_counts import Volume, whole
from runtime.metrics.collectives.entries import Entries
from runtime.metrics.collectives.waiting import Stands, standing
from runtime.metrics.custom_values import NAMES, Values
from runtime.metrics.loss_curves import Losses, middle_curve
from runtime.metrics.profile import XRays
from runtime.metrics.rank_state import WINDOW, RankState
from runtime.metrics.step_breakdown import Entered, Parts, partition
from runtime.metrics.stragglers import behind_the_others, busy, slowest_of
from runtime.metrics.timeline import MOST_RANKS, Timeline
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
    Span,
    Step,
    Value,
    Wire,
    XRay,
)
from runtime.protocol.figures import Device, Earlier, RankRow, Recovery, Steering
from runtime.protocol.messages import Snapshot

LOG_LINES = 40
MOST_EARLIER = 3  # losses laid under that of the run
TAIL_SHOWN = 160  # lines of all ranks together
MOST_OF_A_STEP = 10_000  # collectives of a rank that wait for their step
_LAG = 32  # a rank this many steps behind no longer holds up the figures of the others


def _word(ops: set[str]) -> str | None:
    """What a step's collectives are called together."""
    if len(ops) > 1 and ops <= {"send", "receive"}:
        return "transfers"
    return next(iter(ops)) if len(ops) == 1 else None


def _outcome(done: Done) -> str:
    """How a rank ended: by itself, well or badly, or because of the others, which it cannot say itself."""
    if done.code is None and done.signal is None:
        return "ended"
    return "done" if done.code == 0 else "dead"


class RunStore:
    """All events of one generation go in by `ingest`; a `Snapshot` comes out whenever one is wanted."""

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
        self.faults: dict[int, Fault] = {}  # the first of each rank
        self.changed: dict[str, int] = {}  # under the script, and how often on one rank
        self.lost: dict[str, str] = {}  # what the probe failed to do, and why
        self.xrays = XRays(world)
        self._values = Values(world)
        self._pipeline = pipeline.Collected(world)
        self._traffic = Traffic(WINDOW)
        self.volume = Volume(world, WINDOW)
        self._entries = Entries(world)
        self._checks = Checks(world, 2 * WINDOW)
        self._losses = Losses(world)
        self._remarks = Caveats(world)
        self._training = 0  # the newest of the script's
        self._past: list[Earlier] = []  # the losses of those before it
        self._ending: Losses | None = None  # of the one before: not every rank is through with it
        self._timeline = Timeline(world, self._pipeline.phases)

    @property
    def forsaken(self) -> bool:
        """Whether the others go on without one that has not ended."""
        return any(rank.behind and not rank.ended for rank in self.ranks)

    def leave_out(self, events: int, steps: Mapping[int, int]) -> None:
        """So many events came too fast to be drawn, of ranks up to these steps: what these did in them is not
        known, and no figure of it is made of the rest."""
        self.left_out += events
        for number, step in steps.items():
            if 0 <= number < self.world:
                rank = self.ranks[number]
                rank.left_out_to = max(rank.left_out_to, step)

    def _partly(self, step: int) -> bool:
        """Whether something of what ranks did in a step was left out."""
        return (self.left_out > 0 or self._too_many) and any(step <= rank.left_out_to for rank in self.ranks)

    def go_on_from(self, before: RunStore) -> None:
        """This is the next generation of the same run: its losses continue the curves of the last one."""
        self.left_out = before.left_out
        self._losses = before._losses
        self.logs = before.logs

    # --- events in --------------------------------------------------------------------------------------

    def ingest(self, event: Event, now: float | None = None) -> None:
        """Take one event; ranks outside the world are ignored, nothing raises."""
        self.ingest_all((event,), now)

    def ingest_all(self, events: Iterable[Event], now: float | None = None) -> None:
        """Take a batch that arrived together; `now` is this process's monotonic clock."""
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
                    self._remarks.collective(event)
                case Wire():
                    self.volume.on_wire.add(event)
                case Step():
                    self._step(rank, event)
                    settle = True
                case Beat():
                    rank.drops, rank.last, rank.blind = event.drops, event.last, event.seq_issued < 0
                    rank.seq = None if rank.blind else event.seq_issued
                    rank.beat = event
                    if not rank.ended and event.phase:
                        rank.state = event.phase
                case Memory():
                    rank.memory = event
                case Check():
                    rank.check = event
                    norm = self._checks.add(event)
                    if norm is not None:
                        for each in self.ranks:
                            each.whole_norm = norm
                case Boot():
                    rank.state = event.phase
                    self.phases_at[event.phase] = max(event.t, self.phases_at.get(event.phase, 0.0))
                case Hello():
                    rank.node, rank.pid = event.node, event.pid
                    self.backend, self.device = event.backend, event.device
                case Span():
                    self._pipeline.add(event)
                case Value():
                    self._values.add(event)
                case Links():
                    self.volume.on_wire.know(event)
                case Group():
                    if event.ranks:  # torch does not list the members of every group
                        self._entries.groups[event.id] = Members(event.name, tuple(event.ranks))
                case Log():
                    rank.wrote(event.line)
                    self.logs.append(event.line if self.world == 1 else f"rank {event.rank}: {event.line}")
                case Fault():
                    if event.root == ON_PURPOSE:
                        rank.harm = event.what
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
                    rank.state = _outcome(event)
                    rank.result = event.result or rank.result
                    settle = True
        if settle:
            self._settle()

    def _collective(self, rank: RankState, event: Collective) -> None:
        pile = rank.collectives.setdefault(event.step, [])
        if len(pile) >= MOST_OF_A_STEP:  # of a script without steps, as likely as not
            pile.clear()
            self._too_many, rank.left_out_to = True, max(rank.left_out_to, event.step)
            self._entries.forget()
        pile.append(event)
        self._entries.add(event)

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
        if self._remarks.begins(step.training, step.step):
            self._begin_training(step.training)
        self._remarks.step(step)
        if step.loss is not None:
            if step.training == self._training:
                self._losses.reported(rank.rank, step.step, step.loss)
            elif step.training == self._training - 1 and self._ending is not None:
                self._ending.reported(rank.rank, step.step, step.loss)
                self._tell_end(self._ending)

    def _begin_training(self, training: int) -> None:
        """The script trains something else now: its loss and its times are no continuation."""
        self._ending, self._losses, self._training = self._losses, Losses(self.world), training
        self._tell_end(self._ending)
        for rank in self.ranks:
            rank.begin_again()

    def _tell_end(self, losses: Losses) -> None:
        """The losses of the training before this one, as far as the ranks have told them."""
        curve, label = middle_curve(losses.curves()), f"training {self._training}"
        if curve is not None:
            self._past = [Earlier("", label, curve), *(old for old in self._past if old.label != label)]
            self._remarks.ended(self._training - 1, curve.losses[-1])

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
        # Who has reported a step need not be asked again for it: with many ranks most frames end here.
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
        compared = self._entries.compare(c for _, issued in here.values() for c in issued)
        seen = [
            (number, issued)
            for number, (_, issued) in here.items()
            if not self.ranks[number].blind and step > self.ranks[number].left_out_to
        ]
        self._pipeline.settle(step)
        settled: list[tuple[Step, list[Entered]]] = []
        worked: dict[int, float] = {}
        whole: dict[int, list[Entered]] = {}  # of ranks of which nothing is missing
        for number, (reported, issued) in here.items():
            rank = self.ranks[number]
            keys = map(self._entries.key, issued)
            entered = [
                Entered(c, compared.last[key], compared.over.get(key))
                for c, key in zip(issued, keys, strict=True)
            ]
            pieces = self._pipeline.phases(step, number)
            complete = number not in compared.lost and not rank.blind and step > rank.left_out_to
            if complete:
                whole[number] = entered
            rank.parts.append(partition(reported, entered, complete, pieces))
            rank.figures = None
            settled.append((reported, entered))
            own = busy(rank.parts[-1])
            if issued and own is not None:  # who communicates with nobody holds up nobody
                worked[number] = own
            if self._on_settled is not None:
                self._on_settled(reported, entered, rank.parts[-1])
        for number, seconds in behind_the_others(worked):
            self.ranks[number].late.append(seconds)
        for rank in self.ranks:
            if rank.rank in here:
                rank.behind = False
            elif rank.newest is not None and rank.newest.step < step:
                rank.left_behind()
                self.volume.leave(rank.rank)
        self._settle_losses(step, [s for s, _ in settled if s.loss is not None])
        self.xrays.settle(step, whole)
        if settled:
            self._timeline.settle(settled)
            if not self._partly(step):
                self._traffic.settled(entered for _, entered in settled)
        self.volume.settle(step, seen, self._entries.groups)
        self._forget(step)

    def _settle_losses(self, step: int, told: Sequence[Step]) -> None:
        def of(training: int) -> list[float]:
            return [s.loss for s in told if s.loss is not None and s.training == training]

        self._losses.settled(step, of(self._training))
        if self._ending is not None and (late := of(self._training - 1)):
            self._ending.settled(step, late)
            self._tell_end(self._ending)

    def _forget(self, step: int) -> None:
        """What came too late for its step must not pile up."""
        for rank in self.ranks:
            for pile in (rank.steps, rank.collectives):
                if pile and min(pile) <= step:
                    for old in [s for s in pile if s <= step]:
                        del pile[old]
        self._entries.forget()

    # --- figures out ------------------------------------------------------------------------------------

    @property
    def median_step_s(self) -> float | None:
        """The typical step of all ranks in the window, for the watchdog."""
        typical = [parts.step_s for rank in self.ranks for parts in rank.parts]
        return median(typical) if typical else None

    def _tails(self) -> tuple[tuple[str, ...], ...]:
        """What each rank wrote last: the fewer write, the more of it."""
        if self.world > MOST_RANKS:
            return ()
        each = max(8, TAIL_SHOWN // max(1, sum(bool(rank.tail) for rank in self.ranks)))
        return tuple(tuple(rank.tail)[-each:] for rank in self.ranks)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The members of every process group that torch listed."""
        return [members.ranks for members in self._entries.groups.values()]

    def standing(self) -> dict[int, Stands]:
        """The ranks that stand in a collective, and who has not come to it."""
        beats = {rank.rank: rank.beat for rank in self.ranks if rank.beat is not None}
        ended = {rank.rank for rank in self.ranks if rank.ended}
        return standing(beats, ended, self._entries.groups, self.world)

    def all_done(self, step: int) -> bool:
        """Has every rank that lives done `step`?"""
        return all(r.ended or (r.newest.step if r.newest else -1) >= step for r in self.ranks)

    def bytes_of_step(
        self, rank: int, step: int, issued: Sequence[Collective]
    ) -> tuple[int, float, int | None]:
        """Payload, theory and what was on the wire of a step that settles just now
        (`runtime.metrics.collectives.byte_counts`)."""
        counted = self.volume.on_wire.of_step(rank, step) if self.backend in (None, "gloo") else None
        return (*self.volume.of_step(issued, self._entries.groups), counted)

    def rows(self, now: float | None = None, least: float | None = None) -> tuple[RankRow, ...]:
        """`least` is the theory of the method, where it is not that of its collectives."""
        now = time.monotonic() if now is None else now
        gloo = (self.backend or "gloo") == "gloo"
        each = (self.volume.of(rank.rank, least, gloo) for rank in self.ranks)
        peaks = self.xrays.peaks
        return tuple(
            [
                rank.row(now, volume, peaks.get(rank.rank))
                for rank, volume in zip(self.ranks, each, strict=True)
            ]
        )

    def snapshot(
        self,
        *,
        block: str,
        run: str,
        generation: int,
        demo: str,
        params: dict[str, str],
        state: str,
        why: str,
        badge: str,
        bent: tuple[str, ...],
        backend: str,
        device: str,
        ran_s: float,
        budget_s: float | None,
        steps: int | None,
        phases: tuple[tuple[str, float], ...] = (),
        warning: str = "",
        fault: str = "",
        earlier: tuple[Earlier, ...] = (),
        recoveries: tuple[Recovery, ...] = (),
        steering: Steering | None = None,
        formula: Mapping[str, int] | None = None,
        least: tuple[float, str] | None = None,
        view: str = "table",
        now: float | None = None,
    ) -> Snapshot:
        """All that a panel needs. What the ranks said of backend and device wins over what was planned."""
        on, rows = self.backend or backend, self.rows(now, None if least is None else least[0])
        hidden = [row.hidden for row in rows if row.hidden is not None]
        exposed = [row.exposed for row in rows if row.exposed is not None]
        moved = sum(hidden) + sum(exposed)
        slowest_by_s, slowest = slowest_of(rows, [rank.late for rank in self.ranks])
        newest = self._timeline.settled
        seen = newest and not self.ranks[newest[0][0].rank].blind and not self._partly(newest[0][0].step)
        first = newest[0] if seen else None
        issued = [entered.collective for entered in first[1]] if first is not None else None
        ops = {c.op for c in issued or ()}
        equal, equal_step = self._checks.equal({rank.rank for rank in self.ranks if rank.state != "dead"})
        timeline, timeline_s = self._timeline.newest()
        curves = self._losses.curves()
        middle = middle_curve(curves) if self._past else None
        kinds = self._traffic.rows(self._entries.groups, self.world)
        volume = whole(rows, (row.op for row in kinds), on, self.volume.on_wire, least)
        return Snapshot(
            block=block,
            run=run,
            generation=generation,
            demo=demo,
            params=params,
            state=state,
            why=why,
            world=self.world,
            badge=badge,
            bent=bent,
            backend=on,
            device=self.device or device,
            ran_s=ran_s,
            budget_s=budget_s,
            steps=steps,
            rows=rows,
            curves=curves,
            remarks=self._remarks.said(
                self.settled,
                sees_all=not any(r.blind or r.drops for r in self.ranks),
                over=all(r.ended for r in self.ranks),
            ),
            trainings=self._remarks.trainings(self.reached, middle.losses[-1] if middle else None),
            timeline=timeline,
            timeline_s=timeline_s,
            values=self._values.named(),
            pipeline=self._pipeline.newest(),
            slowest=slowest,
            slowest_by_s=slowest_by_s,
            collectives=len(issued) if issued is not None else None,
            collective_bytes=sum(c.bytes for c in issued) if issued is not None else None,
            collective_op=_word(ops),
            bytes_by_op={op: sum(c.bytes for c in issued or () if c.op == op) for op in sorted(ops)},
            ops=kinds,
            payload=volume.payload,
            wire=volume.wire,
            theory=volume.theory,
            no_wire=volume.no_wire,
            costs=volume.costs,
            overlap=sum(hidden) / moved if moved > 0 else None,
            equal=equal,
            equal_step=equal_step,
            phases=phases,
            warning=warning,
            logs=tuple(self.logs),
            tails=self._tails(),
            fault=fault,
            earlier=(*self._past, *earlier)[:MOST_EARLIER],
            recoveries=recoveries,
            steering=steering,
            formula=dict(formula or {}),
            view=view,
            xray=self.xrays.figure,
        )
