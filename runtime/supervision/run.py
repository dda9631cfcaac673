"""A run from launch to the end of its last rank: everything the host knows of it."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import time
from pathlib import Path

import msgspec

from runtime import paths
from runtime.catalog.registry import Launchable, find
from runtime.classroom.actions import RunState
from runtime.launch.device_choice import UNTRIED, Placement, place, untried
from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.launch.processes import Own
from runtime.launch.run_badge import as_measured, live
from runtime.metrics import run_figures, xray_of_a_step
from runtime.metrics.loss_curves import middle_curve
from runtime.metrics.perfetto_xray import NotJoined
from runtime.metrics.rank_state import ELSEWHERE
from runtime.metrics.store import RunStore
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.events import BOOT_PHASES, Done, Event, Log
from runtime.protocol.figures import STALE, Earlier, Failure, Recovery
from runtime.protocol.link_speeds import SIMULATED_LINK
from runtime.protocol.messages import Snapshot
from runtime.protocol.stage_messages import Exited
from runtime.recordings import earlier_losses, run_choice
from runtime.recordings.earlier_losses import EARLIER, Past
from runtime.recordings.recorder import Recorder
from runtime.supervision import concurrent_runs
from runtime.supervision.agents.nodes import Nodes
from runtime.supervision.failures.recovery_times import Recovering
from runtime.supervision.processes_of_run import Cause, Generation
from runtime.supervision.steering.injected_faults import Harms
from runtime.supervision.steering.link_speed_orders import NodeLinks
from runtime.supervision.steering.step_gate import StepGate

OVER: tuple[RunState, ...] = ("done", "failed", "stopped", "lost")
LOG_CHUNK = 1 << 14
MAX_LINE = 500
MOST_EARLIER = 3  # losses laid under that of the run


class Run:
    """What runs in one demo block, from launch to the end of its last rank.

    Where it may be restarted, several generations follow each other: each has `processes` and figures
    (`store`) of its own.
    """

    def __init__(self, block: str, demo: Launchable) -> None:
        self.block, self.demo = block, demo
        self.id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        self.generation = 1
        self.state: RunState = "launching"
        self.why = ""
        self.cause: Cause | None = None  # of the newest generation that failed
        self.warning = ""
        self.diagnosis: Diagnosis | None = None
        self.looks: dict[str, tuple[float, Diagnosis | None]] = {}  # what was found, and until when it counts
        self.fault = ""
        self.harms = Harms()
        self.faulted = False  # somebody broke it on purpose: then only people end it
        self.step_gate = StepGate()
        played = demo.nodes if demo.node is None and demo.machines is None else 1
        system = sys.platform if demo.network != "simulated" else demo.network
        self.links = NodeLinks(
            played, demo.link, system, shaped=demo.network == "netns", latency_s=demo.latency_s
        )
        self.recoveries: list[Recovering] = []
        self.restarts_left = int(demo.values.get("restarts") or 0)
        self.past: list[Past] = []  # runs of its demo before it, the newest first
        self.earlier: tuple[Earlier, ...] = ()  # the same as its panel shows them
        self.placement: Placement = place(demo)
        self.beside, self.was_beside = (self.world, 1), False  # ranks and demos that go on, its own included
        self.store = self._new_store()
        self.recorder: Recorder | None = None
        self.processes = Generation()
        self.nodes: Nodes | None = None  # where its ranks are on other machines
        self.started, self.asked_at = time.time(), time.monotonic()  # one moment by both clocks
        self.let_go_at = 0.0  # when somebody last steered it
        self.step_at: float | None = None  # when the newest step came in
        self.steps_seen = -1
        self.ended_at: float | None = None
        self.unheard_bytes = 0  # of what its ranks had to say at their end, and nobody could wait for
        self.left = 0  # ranks that could not be ended
        self.phases: list[tuple[str, float]] = []  # before the ranks speak: waiting for the stage, forking
        self.over = asyncio.Event()
        self.log_read: dict[int, int] = {}  # bytes of each rank's log
        self.joining: asyncio.Task[None] | None = None  # the traces of an x-ray
        self.spec = spec = find(demo.name) if demo.builtin else None
        self._formula = dict(spec.memory(demo.values)) if spec is not None else {}
        self.view = spec.view if spec is not None else "table"
        self.least = spec.least(demo.values) if spec is not None else None

    def begin_again(self, why: str, failed_at: float | None) -> None:
        """Begin the next generation; all processes of the present one are gone."""
        if self.recoveries:
            self.recoveries[-1].close(self.store)
        self.restarts_left -= 1
        self.generation += 1
        noticed, ended = self.processes.broken_at, time.monotonic()
        failure = Failure(self.generation, why, self.store.reached, failed_at, noticed or ended, ended)
        self.recoveries.append(Recovering(failure))
        before, self.store = self.store, self._new_store()
        self.store.go_on_from(before)
        self.processes, self.harms, self.phases, self.looks = Generation(), Harms(), [], {}
        self.step_at, self.steps_seen, self.warning, self.diagnosis = None, -1, "", None
        self.step_gate.begin_again()
        self.links.begin_again()

    def _new_store(self) -> RunStore:
        """Return a store that knows of each rank on which node it will be, before it says so itself."""
        store = RunStore(self.demo.ranks)
        for rank in store.ranks:
            rank.node = rank.rank * self.demo.nodes // self.demo.ranks
        return store

    @property
    def world(self) -> int:
        """Number of ranks that were asked for."""
        return self.demo.ranks

    def elsewhere(self) -> list[Done]:
        """Return what says of the ranks of other machines that nothing will be heard of them here."""
        ranks = () if self.demo.node is None else self.demo.node.elsewhere
        now = time.monotonic()
        return [Done(self.id, self.generation, rank, now, None, None, {ELSEWHERE: True}) for rank in ranks]

    @property
    def waits(self) -> str:
        """What is said while the nodes have not met, "" from then on."""
        if self.nodes is not None:
            return self.nodes.waits
        alone = self.demo.node is not None and not any(rank.pid for rank in self.store.ranks)
        return self.demo.node.waits if alone and self.demo.node is not None else ""

    def now(self) -> float:
        """Return the time by the clock of its events, seconds."""
        return time.monotonic()

    def at_work(self) -> list[Own]:
        """The processes of its ranks on this machine; of torchrun's also what comes before them."""
        return self.processes.at_work(self._ranks_here)

    @property
    def _ranks_here(self) -> int:
        return self.world if self.demo.node is None else self.demo.node.ranks

    @property
    def ranks(self) -> dict[int, Own]:
        """The rank processes of the present generation, by rank."""
        return self.processes.ranks

    @property
    def exits(self) -> list[Exited]:
        """How processes of the present generation ended, in the order in which that was heard."""
        return self.processes.exits

    @property
    def torchrun(self) -> GuardedTorchrun | None:
        """The torchrun of the present generation, with its guardian; None where the fork server forked it."""
        return self.processes.torchrun

    @property
    def forked(self) -> bool:
        """Whether its ranks are the fork server's, and not torchrun's or those of agents elsewhere."""
        return self.torchrun is None and self.nodes is None

    @property
    def unheard(self) -> str:
        """What to say of a script that ended without anything to show, "" for every other."""
        if self.demo.builtin or self.store.reached >= 0:
            return ""
        return "no training seen in the ranks of torchrun: it has no steps, loss or memory to show"

    @property
    def lost(self) -> tuple[str, ...]:
        """What the probe itself failed to do: figures that are missing through no fault of the script."""
        failed = (f"{what} ({why})" for what, why in self.store.lost.items())
        return tuple(f"the probe failed to {it}" for it in failed)

    @property
    def changed(self) -> tuple[str, ...]:
        """What the CPU does in place of GPUs, as `runtime.ranks.on_cpu.gpu_on_cpu` reported it."""
        times = self.store.changed.items()
        kinds = [f"{what} ×{n}" if n > 1 else what for what, n in times]
        return ("changed for the CPU", *kinds) if kinds else ()

    @property
    def left_out(self) -> dict[str, int]:
        """Counts of what its ranks sent that is not shown, or not even recorded; by name, for JSON."""
        counts = {
            "events_not_drawn": self.store.left_out,
            "events_not_recorded": self.recorder.lost if self.recorder is not None else 0,
            "bytes_not_read": self.unheard_bytes,
        }
        return {what: count for what, count in counts.items() if count}

    @property
    def overloaded(self) -> tuple[str, ...]:
        """`left_out` in words."""
        return tuple(f"{count} {what.replace('_', ' ')}" for what, count in self.left_out.items())

    @property
    def on_gpu(self) -> bool:
        """Whether its ranks compute on a GPU: as they say, and until then as was planned here."""
        return (self.store.device or self.placement.device).startswith("cuda")

    @property
    def ranks_on_cores(self) -> int:
        """Number of its ranks that compute on cores of this machine, as they say."""
        elsewhere = self.on_gpu or self.demo.machines is not None or self.demo.launcher == "simulated"
        return 0 if elsewhere else self._ranks_here

    @property
    def formula(self) -> dict[str, int]:
        """Bytes by kind, as its spec has them. Activations and peaks are those of the CPU's kernels and of
        gloo: on a GPU only the states count."""
        states = ("params", "grads", "optimizer_bytes")
        return {kind: size for kind, size in self._formula.items() if not self.on_gpu or kind in states}

    @property
    def _untried(self) -> tuple[str, ...]:
        said = UNTRIED in self.placement.bent
        return (UNTRIED,) if self.on_gpu and untried(self.spec) and not said else ()

    @property
    def badge(self) -> str:
        """The badge of where it computes; a user's script chooses its device itself, as other machines do."""
        elsewhere = self.demo.machines is not None
        on_gpu = (elsewhere or not self.demo.builtin) and (self.store.device or "").startswith("cuda")
        plain = live("cuda") if on_gpu else self.placement.badge
        return SIMULATED_LINK if self.links.simulated else plain

    @property
    def ran_s(self) -> float:
        """Seconds since it was asked for, up to its end if it is over."""
        return (self.ended_at or self.now()) - self.asked_at

    @property
    def log_dir(self) -> Path:
        """Folder of the logs `rank-N.log`, the same for all generations."""
        return paths.runs_dir() / self.id / "log"

    @property
    def scratch(self) -> Path:
        """Folder for what only its ranks need, such as checkpoints; removed at its end if it is its own."""
        return self.demo.scratch or paths.runs_dir() / self.id / "scratch"

    def ended(self, rank: int) -> bool:
        """Whether a rank reported its end, or was seen to have ended."""
        return self.store.ranks[rank].ended

    def remember(self, before: Run | None) -> None:
        """Show the losses of earlier runs beneath this one's: of its block, else the same ones on disk.

        Reads files: call it in a thread.

        Args:
            before: The last run of the block, and over.
        """
        values = run_choice.computed(self.demo.name, self.demo.params)
        self.past = before.remembered() if before is not None and before.demo.name == self.demo.name else []
        if not self.past:
            self.past = earlier_losses.recorded(self.demo.name, values)
        self.earlier = tuple(
            Earlier(past.run, earlier_losses.difference(past.values, values), past.curve)
            for past in self.past
        )

    def remembered(self) -> list[Past]:
        """The losses a later run of its block shows: this run's, and those it shows itself."""
        curve = middle_curve(self.snapshot().curves)
        known = [Past(self.id, run_choice.computed(self.demo.name, self.demo.params), curve)] if curve else []
        return [*known, *self.past][:EARLIER]

    def launch_phases(self) -> tuple[tuple[str, float], ...]:
        """Seconds of each launch phase, which ends when the last rank begins the next one."""
        phases = list(self.phases)
        started = self.store.phases_at
        known = [(name, started[name]) for name in BOOT_PHASES if name in started]
        ends = [*(begun for _, begun in known[1:]), self.store.first_step_at]
        for (name, begun), end in zip(known, ends, strict=False):
            if end is not None:
                phases.append(("first step" if name == "train" else name, max(0.0, end - begun)))
        return tuple(phases)

    def recovered(self) -> tuple[Recovery, ...]:
        """Every generation that failed and what followed, the newest last."""
        return tuple(recovering.figures(self.store) for recovering in self.recoveries)

    def snapshot(self) -> Snapshot:
        """Return all that a panel needs: what is known of the run, with the figures of its ranks.

        What the ranks report of backend and device wins over what was planned.
        """
        backend = self.store.backend or self.placement.backend
        figures = run_figures.figures(self.store, backend, self.least, self.now())
        if self.nodes is not None and (stale := self.nodes.stale_ranks(self.now())):
            again = msgspec.structs.replace
            rows = (again(row, state=STALE) if row.rank in stale else row for row in figures.rows)
            figures = again(figures, rows=tuple(rows))
        within_s = self.nodes.within_s if self.nodes is not None else None
        if within_s is not None:
            figures = run_figures.as_sure_as(figures, within_s)
        bent = (
            *self.placement.bent,
            *self._untried,
            *self.changed,
            *self.lost,
            *self.links.bent,
            *self.step_gate.bent,
            *self.harms.bent,
            *self.overloaded,
            *(self.nodes.bent if self.nodes is not None else ()),
        )
        shown = Snapshot(
            **msgspec.structs.asdict(figures),
            block=self.block,
            run=self.id,
            generation=self.generation,
            demo=self.demo.name,
            params=self.demo.params,
            state=self.state,
            why=self.why,
            badge=self.badge,
            world=self.store.world,
            bent=concurrent_runs.told(as_measured(bent, figures.values), self.beside, self.was_beside),
            backend=backend,
            device=self.store.device or self.placement.device,
            ran_s=self.ran_s,
            budget_s=self.demo.seconds("budget"),
            steps=self.demo.steps,
            phases=self.launch_phases(),
            warning=self.warning or (self.recorder.note if self.recorder is not None else ""),
            diagnosis=self.diagnosis,
            fault=self.fault,
            earlier=(*self.store.trainings.past, *self.earlier)[:MOST_EARLIER],
            recoveries=self.recovered(),
            steering=self.step_gate.figures,
            within_s=within_s,
            link=self.links.speed if self.links.nodes > 1 else "",
            formula=self.formula,
            view=self.view,
            left_out=self.left_out,
        )
        if shown.state != "done" or self.spec is None or self.on_gpu:
            return shown
        return msgspec.structs.replace(shown, unshown=self.spec.unshown(self.demo.values, shown))

    def join_xray(self) -> None:
        """Join the traces of the profilers into one file, in a thread, once all ranks have written theirs."""
        files = self.store.xrays.to_join()
        if files:
            self.joining = asyncio.create_task(self._join(self.store, files))

    async def _join(self, store: RunStore, files: dict[int, Path]) -> None:
        try:
            trace, why = await asyncio.to_thread(xray_of_a_step.join, files, store.groups, store.world), ""
        except NotJoined as error:
            trace, why = "", str(error)
        store.xrays.joined(trace, why)

    def new_log_lines(self) -> list[Event]:
        """Return what the ranks printed since the last call; of much output the newest part."""
        found, now = list[Event](), time.monotonic()
        try:
            folder = self.log_dir
            with os.scandir(folder) as files:  # one look for all ranks: most have printed nothing
                sizes = {file.name: file.stat().st_size for file in files}
        except OSError:
            return found
        for rank in range(self.demo.ranks):
            name = f"rank-{rank}.log"
            if sizes.get(name, 0) < self.log_read.get(rank, 0):
                self.log_read[rank] = 0  # what was there is put aside (`rank_logs.py`)
            if sizes.get(name, 0) > self.log_read.get(rank, 0):
                found += (
                    Log(self.id, self.generation, rank, now, "out", line[:MAX_LINE])
                    for line in self._unread(rank, folder / name).decode(errors="replace").splitlines()
                    if line.strip()
                )
        return found

    def _unread(self, rank: int, log: Path) -> bytes:
        try:
            with log.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self.log_read.get(rank, 0), size - LOG_CHUNK))
                data = file.read(LOG_CHUNK)
                self.log_read[rank] = file.tell()
        except OSError:
            return b""
        return data
