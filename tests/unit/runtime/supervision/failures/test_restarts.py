"""Whether a run that failed is started again: as long as restarts are left, unless its script refused."""

from __future__ import annotations

from runtime.catalog import registry
from runtime.protocol.events import Fault
from runtime.supervision.failures.restarts import another_follows
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
