"""A run whose ranks get on is not taken for one that is stuck, however slow the machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from runtime.catalog import registry
from runtime.catalog.one_node import OneNode
from runtime.launch import processor_time
from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.launch.processes import Own
from runtime.launch.processor_time import GAP_S, LEAST, TICK_S, PatientClock
from runtime.supervision.failures.stuck_or_slow import ENDED_AT, LONGEST, Patience
from runtime.supervision.run import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel counts it on Linux")
LOOK_S = 0.1
SPIN, SLEEP = "while True: pass", "import time\nwhile True: time.sleep(3600)"
LIMIT_S = 0.5
# What our modules find where there is no /proc; those of others know their platform already.
WITHOUT_PROC = """
import asyncio, ctypes, dataclasses, os, pathlib, signal, sys, threading, time, types, typing

sys.platform, sys.modules["pathlib"] = "darwin", types.ModuleType("pathlib")
sys.modules["pathlib"].Path = lambda path: pathlib.Path("/nowhere" if path == "/proc" else path)
from runtime.launch.processes import Own, below, state, sweep
from runtime.launch.processor_time import GAP_S, PatientClock, spent_by
from runtime.supervision.failures.stuck_or_slow import ENDED_AT, Patience

own = Own.of(os.getpid())
assert own.alive and not own.doomed and not own.stopped and below(own.pid) == []
assert spent_by(own.pid) is None and state(own.pid) == "?"
patience, clock = Patience(), PatientClock()
for now in range(3):
    assert not patience.is_over(ENDED_AT, 4 * GAP_S)
    patience.look([own], now * GAP_S)
    assert clock.look(lambda: [own], now * GAP_S) == now * GAP_S
assert patience.is_over(ENDED_AT, 4 * GAP_S) and not patience.starved
assert asyncio.run(sweep("class", "run", 0.1)) == []
print("ends")
"""


@contextmanager
def process(code: str, *, core: int | None = None, nice: int = 0) -> Iterator[Own]:
    command = [sys.executable, "-S", "-c", code]
    with subprocess.Popen(command) as child:
        try:
            if core is not None:
                os.sched_setaffinity(child.pid, {core})
            os.setpriority(os.PRIO_PROCESS, child.pid, nice)
            own = Own.of(child.pid)
            assert own is not None
            yield own
        finally:
            child.kill()


def seen(ranks: list[Own], true: Callable[[Patience], bool], spin: bool = False) -> Patience:
    """Look at ranks until something is true of them."""
    patience, until = Patience(), time.monotonic() + 60
    while not true(patience):
        assert time.monotonic() < until, "it never was"
        patience.look(ranks, time.monotonic(), spin=spin)
        time.sleep(LOOK_S)
    return patience


def is_over(patience: Patience) -> bool:
    return patience.is_over(ENDED_AT, LIMIT_S)


def test_ranks_that_sleep_or_are_stopped_are_stuck() -> None:
    with process(SLEEP) as one, process(SPIN) as other:
        other.kill(signal.SIGSTOP)
        patience = seen([one, other], is_over)
        assert not patience.is_over(ENDED_AT - 0.1, LIMIT_S)  # but not before its time


def test_one_that_computes_is_not_and_goes_on_being_patient_with_only_so_long() -> None:
    with process(SLEEP) as one, process(SPIN) as other:
        patience = Patience()
        for _ in range(round(3 * LIMIT_S / LOOK_S)):
            patience.look([one, other], time.monotonic())
            assert not is_over(patience)
            time.sleep(LOOK_S)
        seen([one, other], lambda found: found.is_over(ENDED_AT, 3 * LOOK_S / LONGEST))


def test_where_ranks_run_while_they_wait_running_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tick = 0.8 * TICK_S  # of each step, that the kernel has not counted yet
    own, step = Own.of(os.getpid()), 0.1
    assert own is not None
    monkeypatch.setattr(processor_time, "state", lambda pid: "R")
    for spin, turns, stuck in ((False, 1, False), (True, 1, True), (True, 0, False)):
        patience = Patience()
        for look in range(4):
            spent = (turns * look * (step - tick), 0.0)
            monkeypatch.setattr(processor_time, "spent_by", lambda pid, spent=spent: spent)
            patience.look([own], look * step, spin=spin)
        assert patience.is_over(ENDED_AT, 4 * step) is stuck


def test_one_that_others_keep_from_running_is_slow_by_no_fault_and_that_is_said() -> None:
    core = min(os.sched_getaffinity(0))
    with process(SPIN, core=core, nice=19) as rank, process(SPIN, core=core), process(SPIN, core=core):
        patience = seen([rank], lambda found: found.starved != "")
        assert "the machine is busy: a rank gets " in patience.starved
        assert not is_over(patience)
        for spin in (False, True):
            patience.look([rank], time.monotonic(), spin=spin)
            time.sleep(LOOK_S)
            assert not is_over(patience)


@pytest.mark.parametrize("gap", [GAP_S / 4, GAP_S, 3 * GAP_S])
@pytest.mark.parametrize("part", [0.0, 1 / 3, 1.0])
def test_however_long_ranks_wait_for_a_processor_their_run_comes_to_an_end(
    monkeypatch: pytest.MonkeyPatch, part: float, gap: float
) -> None:
    own, limit_s = Own.of(os.getpid()), 2.0
    assert own is not None
    monkeypatch.setattr(processor_time, "state", lambda pid: "S")
    patience, now = Patience(), 0.0
    while not patience.is_over(ENDED_AT, limit_s):
        spent = (now * (1 - part), now * part)
        monkeypatch.setattr(processor_time, "spent_by", lambda pid, spent=spent: spent)
        patience.look([own], now)
        now += gap
        assert now < 1e4, "they loop for ever"
    seen_s = now * min(1.0, GAP_S / gap)  # of a longer time only so much is looked at
    assert seen_s == pytest.approx(LONGEST * limit_s / max(LEAST, 1 - part), abs=2.5 * GAP_S)


@pytest.mark.parametrize("node", [None, OneNode(1, 2, 2, "127.0.0.1", 29500)], ids=["alone", "agent"])
def test_while_one_of_torchruns_ranks_waits_for_those_that_still_import_these_are_looked_at(
    node: OneNode | None,
) -> None:
    demo = registry.check("ddp", {"ranks": "2", "nodes": "1" if node is None else "2"})
    assert isinstance(demo, registry.Launchable)
    run = Run("b", replace(demo, node=node))
    run.processes.torchrun = cast(GuardedTorchrun, SimpleNamespace(child=SimpleNamespace(pid=os.getpid())))
    with process(SLEEP) as came, process(SPIN) as imports:
        run.ranks[2] = came
        assert {came, imports} <= set(run.at_work())
        run.ranks[3] = imports
        assert run.at_work() == [came, imports]


def test_without_a_proc_ranks_that_compute_count_as_asleep() -> None:
    found = subprocess.run([sys.executable, "-c", WITHOUT_PROC], capture_output=True, text=True)
    assert found.stdout == "ends\n", found.stderr


def test_without_schedstat_one_that_runs_just_now_is_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "spent_by", lambda pid: None)
    monkeypatch.setattr(processor_time, "state", lambda pid: "R")
    own = Own.of(os.getpid())
    assert own is not None
    for spin in (False, True):
        patience = Patience()
        for now in range(4):
            patience.look([own], float(now), spin=spin)
        assert patience.is_over(ENDED_AT, 4 * GAP_S) is spin


def test_what_passed_while_nobody_looked_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "spent_by", lambda pid: (0.0, 0.0))  # ranks that sleep
    own = Own.of(os.getpid())
    assert own is not None
    monkeypatch.setattr(processor_time, "state", lambda pid: "S")
    patience = Patience()
    patience.look([own], 0.0)
    patience.look([own], 3600.0)  # we were stopped for an hour
    assert not patience.is_over(720.0, 4 * GAP_S)
    patience.look([own], 3600.0 + GAP_S)
    assert patience.is_over(721.0, 4 * GAP_S)


def test_ranks_of_other_machines_are_believed_and_an_end_forgets() -> None:
    patience = Patience()
    for now in range(10):
        patience.look([], float(now), elsewhere=now < 9)
    assert not patience.is_over(ENDED_AT, 4 * GAP_S)
    for now in range(10, 14):
        patience.look([], float(now))
    assert patience.is_over(ENDED_AT, 4 * GAP_S)
    patience.forget()
    assert not patience.is_over(ENDED_AT, 4 * GAP_S)


def test_the_clock_of_a_watchdog_stands_while_a_process_has_no_turn() -> None:
    core = min(os.sched_getaffinity(0))

    def passed(own: Own) -> float:
        """Seconds of that clock for one that a watch shows, a few looks long."""
        clock, began = PatientClock(), time.monotonic()
        while (now := time.monotonic()) - began < 10 * clock.LOOK_S:
            shown = clock.look(lambda: [own], now)
            time.sleep(clock.LOOK_S / 4)
        return shown / (now - began)

    with process(SLEEP) as asleep:
        sleeping = passed(asleep)
    with process(SPIN, core=core, nice=19) as rank, process(SPIN, core=core), process(SPIN, core=core):
        starved = passed(rank)
    assert starved < sleeping / 2
