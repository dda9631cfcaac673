"""Whether a run that failed is started again: as long as restarts are left, unless its script refused."""

from __future__ import annotations

import os

import pytest

from runtime.catalog import registry
from runtime.launch import processes
from runtime.launch.processes import Own
from runtime.protocol.events import Fault
from runtime.supervision.failures.restarts import another_follows, ending
from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run


def made(restarts: int) -> Run:
    demo = registry.check("failover", {"ranks": "2", "restarts": str(restarts)})
    assert isinstance(demo, registry.Launchable)
    return Run("b", demo)


def failed(run: Run, rank: int, *, refused: bool) -> Cause:
    run.store.ingest(Fault(run.id, run.generation, rank, run.now(), "no data", "", refused), run.now())
    return Cause("no data", rank)


def test_as_long_as_restarts_are_left() -> None:
    run = made(1)
    assert another_follows(run, failed(run, 1, refused=False))
    run.begin_again("no data", None)
    assert not another_follows(run, failed(run, 1, refused=False))
    assert not another_follows(made(0), Cause("not every rank finished"))


def test_a_script_that_refused_would_do_so_again() -> None:
    run = made(3)
    failed(run, 0, refused=False)
    assert not another_follows(run, failed(run, 1, refused=True))
    assert another_follows(run, Cause("rank 0: no data", 0))  # another one failed first


def test_no_generation_begins_beside_a_rank_that_cannot_be_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of ours plays it: killed, and in the state of one that waits for a disk or a driver."""
    run, own = made(3), Own.of(os.getpid())
    assert own is not None
    run.ranks[1] = own
    run.processes.stuck = [own]
    monkeypatch.setattr(processes, "dying", lambda pid: True)
    monkeypatch.setattr(processes, "state", lambda pid: "R")
    cause = Cause("rank 1 was killed", 1)
    assert ending(run, cause) == ""  # it dies as soon as it has a turn
    monkeypatch.setattr(processes, "state", lambda pid: "D")
    said = ending(run, cause)
    assert f"rank 1 was killed; not started again beside rank 1 (process {os.getpid()})" in said
    assert "ps -o pid,stat,wchan" in said and "start the demo again" in said
    run.processes.stuck += [Own(1, processes.start_time(1) or 0.0), Own(own.pid, -1.0)]
    run.left = 3  # as the last look found; of the third the disk answers in between
    assert "and 1 process, killed" in ending(run, cause)  # of a torchrun, or forked by a rank
    run.restarts_left = 0
    assert ending(run, cause) == "rank 1 was killed"
