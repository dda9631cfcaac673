"""Which rank is dead, by how its process ended; and when none of a generation is left."""

from __future__ import annotations

import signal

import pytest

from runtime.catalog import registry
from runtime.protocol.events import Done
from runtime.protocol.stage_messages import Exited
from runtime.supervision.failures import rank_death
from runtime.supervision.failures.root_cause import root_cause
from runtime.supervision.run import Run


@pytest.fixture
def run() -> Run:
    demo = registry.check("ddp", {"ranks": "2"}, here=False)
    assert isinstance(demo, registry.Launchable)
    return Run("block", demo)


def exited(
    run: Run, rank: int, code: int | None, died_of: int | None = None, *, killed: bool = False
) -> Exited:
    return Exited(run.id, run.generation, rank, 100 + rank, code, died_of, killed)


def state(run: Run, rank: int, one: Exited) -> str:
    death = rank_death.death(run, one)
    assert death is not None
    run.store.ingest(death)
    return run.store.rows()[rank].state


def test_a_process_that_failed_or_was_killed_by_somebody_is_dead(run: Run) -> None:
    assert state(run, 0, exited(run, 0, 1)) == "dead"
    died = rank_death.death(run, exited(run, 1, -9, signal.SIGKILL))
    assert died is not None and died.signal == signal.SIGKILL


def test_one_that_said_itself_that_it_is_done_is_not(run: Run) -> None:
    run.store.ingest(Done(run.id, run.generation, 0, 1.0, 0, None, {}))
    assert rank_death.death(run, exited(run, 0, 0)) is None
    assert run.store.rows()[0].state == "done"


def test_one_that_we_killed_died_of_no_signal_of_its_own(run: Run) -> None:
    death = rank_death.death(run, exited(run, 1, -9, signal.SIGKILL, killed=True))
    assert death is not None and death.signal is None


def test_those_that_ended_with_the_others_are_ended(run: Run) -> None:
    for end in rank_death.with_the_others(run, [1]):
        run.store.ingest(end)
    assert run.store.rows()[1].state == "ended"


def test_launchers_are_no_ranks(run: Run) -> None:
    assert rank_death.death(run, exited(run, -1, 1)) is None


def test_none_is_left_once_each_rank_has_exited(run: Run) -> None:
    left = []
    for rank in range(2):
        run.exits.append(one := exited(run, rank, 0))
        left.append(rank_death.none_is_left(run, one))
    assert left == [False, True]


def test_an_end_that_nobody_saw_is_said_so_and_has_no_code(run: Run) -> None:
    run.exits.append(exited(run, -1, None))
    assert root_cause(run).what == "the store at which the ranks meet ended, and nobody saw how"
