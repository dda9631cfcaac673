"""What cannot be killed is counted once, however often it is found, and no longer once it has gone."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from runtime.catalog import registry
from runtime.launch.processes import CLASS_MARK, PART_MARK, Own, marked
from runtime.supervision.failures.restarts import ending
from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
CLASS = "stuck"


async def test_a_rank_of_torchrun_that_cannot_be_killed_is_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It carries the mark that is swept for, as does the guardian; both outlive every signal here."""
    demo = registry.check("failover", {"ranks": "2", "restarts": "1"})
    assert isinstance(demo, registry.Launchable)
    run = Run("b", demo)
    marks = {CLASS_MARK: CLASS, PART_MARK: "guardian", "TEACHRUN_RUN": run.id}
    started = [subprocess.Popen(["sleep", "600"], env={**os.environ, **marks}) for _ in range(3)]
    rank, guardian, forked = started
    try:
        while len(list(marked(CLASS))) < len(started):  # until all have their own environment
            pass

        async def end() -> bool:
            return False

        monkeypatch.setattr(Own, "kill", lambda self, how=0: None)
        own = Own.of(rank.pid)
        assert own is not None
        run.ranks[1] = own
        monkeypatch.setattr(run.processes, "torchrun", SimpleNamespace(end=end, child=guardian))
        await run.processes.see_gone(CLASS, run.id, 0.05)
        assert len(run.processes.stuck) == 3
        cause = Cause("rank 1 was killed", 1)
        assert f"beside rank 1 (process {rank.pid}) and 2 processes, killed" in ending(run, cause)
        for process in (guardian, forked):
            process.kill()
            process.wait()
        assert f"beside rank 1 (process {rank.pid}), killed" in ending(run, cause)
        rank.kill()
        rank.wait()
        assert ending(run, cause) == ""
    finally:
        for process in started:
            process.kill()
            process.wait()
