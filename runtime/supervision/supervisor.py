"""Starts runs, follows their ranks, and ends them: every rank of a generation lives and dies with the others.

The supervisor owns the fork server, the socket for events of ranks, and one `Run` per demo block. It is
part of the host of a class; `teachrun run` has one of its own. It knows nothing of screens.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from runtime import paths
from runtime.catalog.registry import Launchable
from runtime.classroom.actions import RunState
from runtime.launch import gpus
from runtime.launch.device_choice import may_use_gpu, place
from runtime.launch.fork_server_client import ForkServerClient
from runtime.launch.processes import Own, gone
from runtime.protocol.events import Beat, Event, Fault
from runtime.protocol.messages import Process, StageStatus
from runtime.protocol.stage_messages import AnyOrder, Exited, Forked
from runtime.recordings.recorded_events import Lines
from runtime.recordings.recorder import Recorder, all_written
from runtime.supervision import concurrent_runs, load_shedding, run_record
from runtime.supervision.agents.cluster_runs import ClusterRuns
from runtime.supervision.failures import rank_death, restarts, root_cause, stall_watch, time_limits
from runtime.supervision.launcher import Launcher
from runtime.supervision.living_processes import living
from runtime.supervision.processes_of_run import COMPLAINTS_S, Generation
from runtime.supervision.rank_socket import RankSocket
from runtime.supervision.run import OVER, Run
from runtime.supervision.steering import hold_kill_xray
from runtime.supervision.steering.hold_kill_xray import Control

TICK_S = 0.25
KILLED_WITHIN_S = 2.0
LAST_WORDS_S = 5.0  # so long what ended ranks have left to say is waited for


class Supervisor:
    """Callbacks run on the event loop. `on_run(run, entered)` is called when a run changes; `entered` is
    true when its `state` is new. `on_events` gets every event of ranks and supervisor."""

    def __init__(
        self,
        class_id: str,
        rank_socket: Path,
        *,
        on_run: Callable[[Run, bool], None] = lambda run, entered: None,
        on_stage: Callable[[StageStatus, str], None] = lambda status, detail: None,
        on_events: Callable[[Run, Iterable[Event]], None] = lambda run, events: None,
        relays_to: Callable[[], bool] | None = None,
    ) -> None:
        """`relays_to`: for an agent, which does nothing to ranks by itself; whether its host is behind."""
        self.runs: dict[str, Run] = {}  # by block
        self._on_run, self._on_events = on_run, on_events
        self._class_id = class_id
        self.stage = ForkServerClient(class_id, self._ordered, on_stage, self._stage_lost)
        self._relays_to = relays_to
        self._cluster = ClusterRuns(class_id, self._heard, self._exited, self._kill, self._full)
        self._launcher = Launcher(
            class_id, rank_socket, self.stage, self._ordered, self._guardian_lost, self._cluster
        )
        standing = hold_kill_xray.standing if relays_to is None else hold_kill_xray.nothing
        self._lines = RankSocket(rank_socket, self._run_of, self._heard, standing, self._full)
        self.control = Control(self.runs, self.tell, self._take)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None

    # --- life -------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen for ranks. Raises `OSError`."""
        await self._lines.start()
        self._ticker = asyncio.create_task(self._tick(), name="supervisor")

    async def close(self, why: str = "") -> int:
        """End every run and the fork server; returns how many processes could not be ended."""
        await asyncio.gather(*(self.stop(block, why) for block in list(self.runs)))
        left = sum(run.left for run in self.runs.values())
        left += not await self.stage.close()
        await all_written()
        for task in (self._ticker, *self._tasks):
            if task is not None:
                task.cancel()
        self._lines.close()
        return left

    def tell(self, run: Run, order: Mapping[str, Any], rank: int | None = None) -> bool:
        """Send an order to a rank, to all with None, here or elsewhere; False: nobody could be told."""
        if run.nodes is not None:
            return run.nodes.tell(order, rank)
        return self._lines.tell(run, order, rank)

    def active(self) -> list[Run]:
        """Return the runs that are not over: launching, running or stopping."""
        return [run for run in self.runs.values() if run.state not in OVER]

    def processes(self) -> list[Process]:
        """Return the fork server, guardians and ranks that live now."""
        return living(self.stage.child, self.runs.values())

    # --- runs -------------------------------------------------------------------------------------------

    async def launch(self, block: str, demo: Launchable) -> Run:
        """Start `demo` for `block`, after ending an older run of it. Returns while it is launching."""
        count = await gpus.count() if may_use_gpu(demo) else 0
        # Two that ask at once wait for the same run to end: the second then ends the run of the first.
        while (older := self.runs.get(block)) is not None and not older.over.is_set():
            await self.stop(block, "started again")
        run = Run(block, demo)
        if may_use_gpu(demo):
            run.placement = place(demo, count, gpus.nccl_version())
        self.runs[block] = run
        self._changed(run, "launching")
        task = asyncio.create_task(self._drive(run), name=f"run {run.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def stop(self, block: str, why: str = "") -> int:
        """End the run of `block` and verify that its ranks are gone; returns how many are not."""
        run = self.runs.get(block)
        if run is None:
            return 0
        if run.state not in (*OVER, "stopping"):
            self._changed(run, "stopping", why)
            self._kill(run)
        await run.over.wait()
        return run.left

    # --- the life of a run ------------------------------------------------------------------------------

    async def _drive(self, run: Run) -> None:
        """Take a run through all its generations; a task of its own."""
        try:
            run.recorder = Recorder(paths.runs_dir(), run_record.begun(run))
            for folder in (run.log_dir, run.scratch):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            while run.state == "launching" and await self._play(run):  # it may be stopped before it begins
                pass
        except OSError as error:
            self._fail(run, f"it cannot be started: {error}")
        try:
            await self._finish(run)
        finally:
            run.over.set()

    async def _play(self, run: Run) -> bool:
        """Run one generation, from its launch to the end of its last process. True: another one follows."""
        self._take(run, run.elsewhere())
        if not await self._launcher.begin(run):
            if run.state == "launching":
                self._changed(run, "failed", run.why)
            return False
        if run.state == "launching":
            self._changed(run, "running")
        await run.processes.all_exited.wait()
        await self._clear(run)
        if run.state != "running":
            return False
        whole = not run.forked or len(run.exits) >= run.world
        if not run.processes.failure and whole and run.exits and all(e.code == 0 for e in run.exits):
            self._changed(run, "done", run.unheard)
            return False
        cause = run.cause = root_cause.root_cause(run)
        stall_watch.failed(run, cause, time.monotonic())
        self._take(run, rank_death.with_the_others(run, root_cause.bereaved(run, cause)))
        if ending := restarts.ending(run, cause):
            self._changed(run, "failed", ending)
            return False
        self._fault(run, cause.what)
        run.begin_again(cause.what, cause.at)
        self._changed(run, "launching", cause.what)
        return True

    def _kill(self, run: Run, after_s: float = 0.0) -> None:
        """Kill what is left of the run `after_s`, by pid where the fork server or guardian cannot."""
        if run.processes.kill_at is None:
            run.processes.kill_at = time.monotonic()
            task = asyncio.create_task(self._kill_all(run, run.processes, run.generation, after_s))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _kill_all(self, run: Run, processes: Generation, generation: int, after_s: float) -> None:
        await processes.over_within(after_s)
        if run.nodes is not None:
            await run.nodes.kill(generation)
        elif processes.torchrun is not None:
            await processes.torchrun.end()
        elif processes.forked_at is not None:
            await self.stage.kill(run.id, generation)
            await processes.over_within(0.5)
        processes.kill()
        await gone(processes.ranks.values(), KILLED_WITHIN_S)
        processes.all_exited.set()

    async def _clear(self, run: Run) -> None:
        """Make sure that all ranks are gone, and take in their last events."""
        await run.processes.see_gone(self._class_id, run.id, KILLED_WITHIN_S)
        on_nodes = run.nodes.left if run.nodes is not None else 0
        run.left = len(run.processes.stuck) + on_nodes
        # They may still be on their way through their sockets.
        run.unheard_bytes += await self._lines.drained(run, 0.5, LAST_WORDS_S)
        self._take(run, run.new_log_lines())
        silent = [rank.rank for rank in run.store.ranks if not rank.ended and rank.pid]
        self._take(run, rank_death.with_the_others(run, silent))

    def _fault(self, run: Run, why: str) -> None:
        cause = min(run.store.faults.values(), key=lambda f: f.t, default=None)
        root = cause.root if cause else ""
        self._take(run, (Fault(run.id, run.generation, -1, time.monotonic(), why, root),))

    async def _finish(self, run: Run) -> None:
        """Close the run: no generation follows."""
        await self._clear(run)
        await self._cluster.close(run)
        if run.demo.scratch is None:
            await asyncio.to_thread(shutil.rmtree, run.scratch, ignore_errors=True)
        if run.state == "stopping":
            self._changed(run, "stopped", run.why)
        if run.state == "failed":
            run.fault = run.why
            self._fault(run, run.why)
        run.ended_at = time.monotonic()
        run.warning = ""
        if run.joining is not None:
            await run.joining
        if run.recorder is not None:
            run.recorder.close(run_record.ended(run))
        self._on_run(run, False)

    def _changed(self, run: Run, state: RunState, why: str = "") -> None:
        run.state, run.why = state, why
        self._on_run(run, True)

    def _fail(self, run: Run, why: str, *, final: bool = False) -> None:
        """End a generation that failed. `final`: none follows, even if restarts are left."""
        if run.state not in ("launching", "running"):
            return
        run.processes.failure = why
        run.processes.broken_at = run.processes.broken_at or time.monotonic()
        if final or run.state == "launching" or run.restarts_left <= 0:
            self._changed(run, "failed", why)
        self._kill(run)

    # --- what the stage and guardians say ---------------------------------------------------------------

    def _run_of(self, run_id: str, generation: int) -> Run | None:
        return next((r for r in self.runs.values() if (r.id, r.generation) == (run_id, generation)), None)

    def _ordered(self, order: AnyOrder) -> None:
        match order:
            case Forked():
                run = self._run_of(order.run, order.generation)
                if run is not None:
                    self._forked(run, order.pids)
            case Exited():
                run = self._run_of(order.run, order.generation)
                if run is not None:
                    self._exited(run, order)
            case _:
                pass

    def _forked(self, run: Run, pids: tuple[int, ...]) -> None:
        if run.torchrun is not None:
            return  # the one pid is torchrun's; its ranks show themselves
        now = time.monotonic()
        run.phases.append(("fork", now - (run.processes.forked_at or run.asked_at)))
        if run.recoveries:
            run.recoveries[-1].forked(now)
        for rank, pid in enumerate(pids):
            own = Own.of(pid)
            if own is not None:
                run.ranks[rank] = own
        if not pids:
            self._fail(run, "the ranks cannot be forked: no process or memory is left for them")
            run.processes.all_exited.set()
        elif run.processes.kill_at is not None:  # it was stopped while it was being forked
            run.processes.kill()

    def _exited(self, run: Run, exited: Exited) -> None:
        if exited.rank in run.processes.killed and exited.signal == signal.SIGKILL:
            exited = msgspec.structs.replace(exited, killed=True)
        run.exits.append(exited)
        if (death := rank_death.death(run, exited)) is not None:
            self._take(run, (death,))
        if rank_death.none_is_left(run, exited):
            run.processes.all_exited.set()
        if exited.code != 0 and run.state == "running":
            run.processes.broken_at = run.processes.broken_at or time.monotonic()
            # Judged once all are gone: the first to be reaped need not be the cause.
            self._kill(run, 0.0 if run.torchrun or run.nodes else COMPLAINTS_S)
        self._on_run(run, False)

    def _stage_lost(self, why: str) -> None:
        for run in self.active():
            if run.forked and run.processes.forked_at is not None:
                self._lose(run, f"{why} and its ranks with it")

    def _guardian_lost(self, run: Run) -> None:
        if run.state not in OVER and run.processes.kill_at is None and not run.processes.all_exited.is_set():
            self._lose(run, "the guardian died and its ranks with it")

    def _lose(self, run: Run, why: str) -> None:
        self._changed(run, "lost", why)
        run.processes.kill()
        run.processes.all_exited.set()

    # --- what ranks say ---------------------------------------------------------------------------------

    def _full(self) -> bool:
        """Whether a recorder has more to write than it should hold: then events are left with the ranks."""
        return (self._relays_to is not None and self._relays_to()) or any(
            run.recorder is not None and run.recorder.full for run in self.active()
        )

    def _heard(self, run: Run, events: Sequence[Event], recorded: Lines | None = None) -> None:
        self._take(run, events, load_shedding.thinned(events) if self._late else events, recorded)

    @property
    def _late(self) -> bool:
        return self._lines.late or self._cluster.late

    def _take(
        self,
        run: Run,
        events: Iterable[Event],
        drawn: Sequence[Event] | None = None,
        recorded: Lines | None = None,
    ) -> None:
        """Take in events: panels show `drawn` where that is not all; `recorded` is all that an agent has
        heard, of which `events` are those to be drawn."""
        if not (taken := list(events)):
            return
        if drawn is not None and len(drawn) < len(taken):
            run.store.leave_out(len(taken) - len(drawn), load_shedding.steps_left_out(taken, drawn))
        run.store.ingest_all(taken if drawn is None else drawn)
        run.join_xray()
        steered = self._relays_to is None
        beats = self.control.heard(run, taken) if steered else sum(isinstance(e, Beat) for e in taken)
        if run.store.reached > run.steps_seen:
            run.steps_seen, run.step_at = run.store.reached, time.monotonic()
            if not run.store.forsaken:
                run.warning, run.diagnosis = "", None
        if run.recorder is not None:
            run.recorder.take(taken, recorded)
        self._on_events(run, taken if recorded is None else recorded)
        if beats < len(taken):
            self._on_run(run, False)

    # --- the clock --------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        flush_at = 0.0
        while True:
            await asyncio.sleep(TICK_S)
            now = time.monotonic()
            concurrent_runs.note(living := self.active())
            for run in living:
                if run.state in OVER:
                    continue
                self._watch(run, now)
                self._take(run, run.new_log_lines())
                self._on_run(run, False)
                if now >= flush_at and run.recorder is not None:
                    run.recorder.flush()
            if now >= flush_at:
                flush_at = now + 1.0

    def _watch(self, run: Run, now: float) -> None:
        self._cluster.watch(run, now)
        if (over := time_limits.timeout_passed(run, now)) is not None:
            self._fail(run, over, final=True)
            return
        if run.state != "running" or run.processes.forked_at is None or run.processes.kill_at is not None:
            return
        if now < run.processes.look_at:
            return
        began = time.thread_time()
        finding = stall_watch.look(run, now)
        run.processes.look_at = now + (time.thread_time() - began) / stall_watch.SHARE
        if finding is not None and time_limits.stuck_too_long(run, finding):
            self._fail(run, finding.text)
