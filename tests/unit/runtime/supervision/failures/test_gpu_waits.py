"""Ranks that wait for a GPU run all the while: so it is where they say that they compute, and not where it
was planned, which for a script of somebody's own is never known."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from runtime.catalog import registry
from runtime.protocol.events import Hello
from runtime.supervision.failures import stall_watch
from runtime.supervision.failures.stuck_or_slow import Patience
from runtime.supervision.run import Run


@pytest.mark.parametrize(("device", "spins"), [("cuda:0", True), ("cpu", False)])
def test_a_script_that_computes_on_a_gpu_is_looked_at_as_one_that_spins(
    device: str, spins: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text("import torch\n")
    demo = registry.check("./own.py", {"ranks": "1"}, tmp_path)
    assert isinstance(demo, registry.Launchable)
    run = Run("b", demo)
    assert run.placement.device == "cpu"
    now = time.monotonic()
    run.processes.forked_at = now - 1e4
    run.store.ingest(Hello(run.id, 1, 0, now, 1, 0, 0, 1, 4711, device, "nccl", now, 0.0, ""), now)
    seen: list[bool] = []
    monkeypatch.setattr(Patience, "look", lambda self, ranks, now, **how: seen.append(how["spin"]))
    finding: Any = stall_watch.look(run, now)
    assert finding is not None
    assert seen == [spins]
