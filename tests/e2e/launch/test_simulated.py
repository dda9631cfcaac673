"""A run whose ranks are played by one process: it says so, and ends like any other."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from folders import in_folders

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.supervision.supervisor import Supervisor

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import generated

pytestmark = pytest.mark.slow


async def test_generated_ranks_are_badged_and_leave_nothing(tmp_path, monkeypatch):
    in_folders(tmp_path, monkeypatch)
    monkeypatch.setitem(registry.DEMOS, generated.NAME, generated.SPEC)
    demo = registry.check(generated.NAME, {"ranks": "48", "hz": "20"})
    assert isinstance(demo, Launchable)
    supervisor = Supervisor("simulated", paths.rank_socket("simulated"))
    await supervisor.start()
    try:
        run = await supervisor.launch("block", demo)
        async with asyncio.timeout(30):
            while run.store.settled < 5:
                await asyncio.sleep(0.05)
        shown = run.snapshot()
        assert (shown.badge, shown.bent, shown.state) == ("SIMULATED", ("no rank is real",), "running")
        assert shown.slowest == 24 and shown.slowest_by_s == pytest.approx(0.15 / 20, rel=0.2)
        assert all(row.step_s == pytest.approx(0.98 / 20) for row in shown.rows)
        assert [process.what for process in supervisor.processes()].count("rank") == 0
        assert await supervisor.stop("block", "enough") == 0
        assert run.state == "stopped"
    finally:
        assert await supervisor.close() == 0
