"""One run: what is known of it from launch to its last rank, and why it failed if it did."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from pathlib import Path

from runtime import paths
from runtime.catalog import Launchable
from runtime.crew import Crew
from runtime.device import Placement, place
from runtime.events import BOOT_PHASES, Event, Log
from runtime.figures import Earlier
from runtime.guarded import GuardedTorchrun
from runtime.liveclass import RunState
from runtime.messages import Exited, Snapshot
from runtime.processes import Own
from runtime.recorder import Recorder
from runtime.report import Past
from runtime.store import RunStore

OVER: tuple[RunState, ...] = ("done", "failed", "stopped", "lost")
LOG_CHUNK = 1 << 14
MAX_LINE = 500


class Run:
    """One generation of one demo block, from launch to the end of its last rank."""

    def __init__(self, block: str, demo: Launchable) -> None:
        self.block, self.demo = block, demo
        self.id = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        self.generation = 1
        self.state: RunState = "launching"
        self.why = ""
        self.warning = ""
        self.fault = ""
        self.faulted = False  # somebody broke it on purpose: then only people end it
        self.past: list[Past] = []  # runs of its demo before it, the newest first
        self.earlier: tuple[Earlier, ...] = ()  # the same as its panel shows them
        self.placement: Placement = place(demo)
        self.store = RunStore(demo.ranks)
        self.recorder: Recorder | None = None
        self.crew = Crew()
        self.started, self.asked_at = time.time(), time.monotonic()  # one moment by both clocks
        self.step_at: float | None = None  # when the newest step came in
        self.steps_seen = -1
        self.ended_at: float | None = None
        self.left = 0  # ranks that could not be ended
        self.phases: list[tuple[str, float]] = []  # before the ranks speak: waiting for the stage, forking
        self.over = asyncio.Event()
        self.log_read: dict[int, int] = {}  # bytes of each rank's log

    def now(self) -> float:
        """The clock of its events, seconds."""
        return time.monotonic()

    @property
    def ranks(self) -> dict[int, Own]:
        return self.crew.ranks

    @property
    def exits(self) -> list[Exited]:
        return self.crew.exits

    @property
    def torchrun(self) -> GuardedTorchrun | None:
        return self.crew.torchrun

    @property
    def ran_s(self) -> float:
        return (self.ended_at or self.now()) - self.asked_at

    @property
    def log_dir(self) -> Path:
        return paths.runs_dir() / self.id / "log"

    def ended(self, rank: int) -> bool:
        """Whether a rank has said that it is done, or was seen to be."""
        return self.store.ranks[rank].ended

    def launch_phases(self) -> tuple[tuple[str, float], ...]:
        """What the launch took, in seconds: each phase ends when the last rank begins the next one."""
        phases = list(self.phases)
        started = self.store.phases_at
        known = [(name, started[name]) for name in BOOT_PHASES if name in started]
        ends = [*(begun for _, begun in known[1:]), self.store.first_step_at]
        for (name, begun), end in zip(known, ends, strict=False):
            if end is not None:
                phases.append(("first step" if name == "train" else name, max(0.0, end - begun)))
        return tuple(phases)

    def snapshot(self) -> Snapshot:
        note = self.recorder.note if self.recorder is not None else ""
        return self.store.snapshot(
            block=self.block,
            run=self.id,
            generation=self.generation,
            demo=self.demo.name,
            params=self.demo.params,
            state=self.state,
            why=self.why,
            badge=self.placement.badge,
            bent=self.placement.bent,
            backend=self.placement.backend,
            device=self.placement.device,
            ran_s=self.ran_s,
            budget_s=self.demo.seconds("budget"),
            steps=self.demo.steps,
            phases=self.launch_phases(),
            warning=self.warning or note,
            fault=self.fault,
            earlier=self.earlier,
            now=self.now(),
        )

    def new_log_lines(self) -> list[Event]:
        """What the ranks have printed since the last call; of much output the newest part."""
        found: list[Event] = []
        now = time.monotonic()
        try:
            folder = self.log_dir
            with os.scandir(folder) as files:  # one look for all ranks: most have printed nothing
                sizes = {file.name: file.stat().st_size for file in files}
        except OSError:
            return found
        for rank in range(self.demo.ranks):
            name = f"rank-{rank}.log"
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


def root_cause(run: Run) -> str:
    """One line: which rank failed first and of what. Deaths by a signal come before the errors they cause in
    the others; who was killed by us is no cause."""
    killed = run.crew.kill_at is not None
    ranks = [e for e in run.exits if e.rank >= 0]
    victims = [e for e in ranks if not (killed and e.signal == signal.SIGKILL and e is not ranks[0])]
    crashed = [e for e in victims if e.signal is not None]
    if crashed:
        name = signal.Signals(crashed[0].signal or 0).name
        return f"rank {crashed[0].rank} was killed by {name}{_at(run, crashed[0].rank)}"
    early = [e for e in victims if e.code == 0 and _left_early(run, e.rank)]
    faults = sorted(run.store.faults.values(), key=lambda fault: fault.t)
    if early and ranks[0] is early[0]:
        return f"rank {early[0].rank} left with exit code 0{_at(run, early[0].rank)}"
    # A traceback ends with 1 and a fault; another code without one is the script's own decision, and what the
    # others then complain of is that it was gone.
    silent = {e.rank for e in victims} - {fault.rank for fault in faults}
    chosen = [e for e in victims if e.code not in (0, 1, None) and e.rank in silent]
    if chosen:
        return f"rank {chosen[0].rank} left with exit code {chosen[0].code}{_at(run, chosen[0].rank)}"
    if faults:
        return f"rank {faults[0].rank}: {faults[0].what}{_at(run, faults[0].rank)}"
    failed = [e for e in victims if e.code != 0]
    if failed:
        return f"rank {failed[0].rank} left with exit code {failed[0].code}{_at(run, failed[0].rank)}"
    launcher = next((e for e in run.exits if e.rank < 0), None)
    if launcher is not None:
        return f"torchrun left with exit code {launcher.code}; see {run.log_dir / 'torchrun.log'}"
    return "not every rank finished"


def _left_early(run: Run, rank: int) -> bool:
    newest = run.store.ranks[rank].newest
    return run.demo.steps is not None and (newest is None or newest.step + 1 < run.demo.steps)


def _at(run: Run, rank: int) -> str:
    newest = run.store.ranks[rank].newest
    return f" (after step {newest.step})" if newest else " (before its first step)"
