"""Whom the stage has killed, and who was dying of something else when it set out to."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from runtime.launch.fork_server import KEEPER, ForkedGeneration

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ranks are forked on Linux only")


def child(dies_of: signal.Signals | None = None) -> int:
    """A process that waits for its end, or has met it and is not reaped yet."""
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(1)
    os.setpgid(pid, pid)
    if dies_of is not None:
        os.kill(pid, dies_of)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return pid


def reap(*pids: int) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def test_who_was_dying_already_was_not_killed_by_us() -> None:
    lives, dies = child(), child(signal.SIGKILL)
    troupe = ForkedGeneration("run", 0, {lives: 0, dies: 1})
    troupe.kill()
    assert troupe.killed == {lives}
    assert reap(lives, dies) == [-signal.SIGKILL] * 2


def test_the_store_goes_with_the_last_rank_and_is_missed_before() -> None:
    first, second, keeper = child(signal.SIGKILL), child(signal.SIGKILL), child()
    troupe = ForkedGeneration("run", 0, {first: 0, second: 1}, keeper)
    reap(first, second)
    assert troupe.left(first) == 0
    assert os.waitpid(keeper, os.WNOHANG) == (0, 0)  # it is still there
    assert troupe.left(second) == 1
    assert reap(keeper) == [-signal.SIGKILL]
    assert troupe.left(keeper) is None  # nobody misses it
    assert ForkedGeneration("run", 0, {first: 0}, keeper).left(keeper) == KEEPER


def test_a_store_killed_with_its_ranks_is_told_to_nobody_and_one_that_was_dying_is() -> None:
    rank, keeper = child(), child()
    troupe = ForkedGeneration("run", 0, {rank: 0}, keeper)
    troupe.kill()
    reap(keeper, rank)
    assert troupe.left(keeper) is None  # though its rank is not reaped yet
    rank, keeper = child(), child(signal.SIGKILL)
    troupe = ForkedGeneration("run", 0, {rank: 0}, keeper)
    troupe.kill()
    reap(keeper, rank)
    assert troupe.left(keeper) == KEEPER
