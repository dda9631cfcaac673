"""When a run is ended for its time: its `timeout` is reached, or a demo of ours is stuck for too long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.catalog import registry
from runtime.catalog.one_node import OneNode
from runtime.supervision.failures import time_limits
from runtime.supervision.failures.stall_reason import STALL_S, Finding
from runtime.supervision.run import Run

STUCK = Finding("no step for 10 s: rank 1 is in backward", 2.0, STALL_S, over=True)


def made(**values: str) -> Run:
    demo = registry.check("ddp", {"ranks": "2", **values})
    assert isinstance(demo, registry.Launchable)
    return Run("b", demo)


def test_a_timeout_ends_a_run_that_has_reached_it_and_says_who_held_it_up() -> None:
    run = made(timeout="30s")
    assert time_limits.timeout_passed(run, run.now()) is None
    run.asked_at -= 31
    said = time_limits.timeout_passed(run, run.now())
    assert said == "ended by its timeout of 30 s: ranks 0, 1 never reported"
    assert time_limits.timeout_passed(made(), run.now()) is None


@pytest.mark.parametrize("state", ["stopping", "done", "failed", "lost"])
def test_what_ends_already_needs_no_timeout(state: str) -> None:
    run = made(timeout="30s")
    run.asked_at -= 31
    run.state = state  # type: ignore[assignment]
    assert time_limits.timeout_passed(run, run.now()) is None


def test_only_a_demo_of_ours_that_nobody_broke_is_ended_for_being_stuck() -> None:
    run = made()
    assert time_limits.stuck_too_long(run, STUCK)
    assert not time_limits.stuck_too_long(run, replace(STUCK, over=False))  # its ranks get on
    run.faulted = True
    assert not time_limits.stuck_too_long(run, STUCK)
    for theirs in ({"builtin": False}, {"node": OneNode(0, 2, 1, "127.0.0.1", 29500)}):
        run = made()
        run.demo = replace(run.demo, **theirs)  # type: ignore[arg-type]
        assert not time_limits.stuck_too_long(run, STUCK)
