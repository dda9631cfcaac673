"""A node whose ranks fell with a rank of another node says so, whatever its torchrun sent them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.one_node import OneNode
from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.protocol.events import Fault
from runtime.protocol.stage_messages import Exited
from runtime.supervision.agents.nodes import Nodes
from runtime.supervision.failures.root_cause import root_cause
from runtime.supervision.run import Run

LOG = """Failures:
[1]:
  rank      : 1 (local_rank: 1)
  exitcode  : -15 (pid: 12)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 11)
"""


@pytest.mark.parametrize(("nodes", "victim", "named"), [(2, True, 0), (1, False, 1)])
def test_who_was_ended_by_its_torchrun(
    nodes: int, victim: bool, named: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "runs_dir", lambda: tmp_path)
    demo = registry.check("ddp", {"ranks": "2", "launcher": "torchrun"}, here=False)
    assert isinstance(demo, registry.Launchable)
    if nodes > 1:
        demo = replace(demo, node=OneNode(0, nodes, 2, "127.0.0.1", 1))
    run = Run("block", demo)
    run.processes.torchrun = cast(GuardedTorchrun, object())  # it was, and has ended
    run.log_dir.mkdir(parents=True)
    (run.log_dir / "torchrun.log").write_text(LOG)
    gone = "Connection closed by peer [127.0.0.1]:4711"
    run.store.ingest(Fault(run.id, run.generation, 0, time.monotonic(), gone, ""))
    run.exits.append(Exited(run.id, run.generation, -1, 10, 1, None))
    cause = root_cause(run)
    assert (cause.victim, cause.rank) == (victim, named), cause.what
    assert ("SIGTERM" in cause.what) == (nodes == 1), cause.what


@pytest.mark.parametrize("only_victims", [True, False])
def test_a_host_of_nodes_that_all_complain_knows_no_cause_of_its_own(only_victims: bool) -> None:
    demo = registry.check("ddp", {"ranks": "2"}, here=False)
    assert isinstance(demo, registry.Launchable)
    run = Run("block", demo)
    said = SimpleNamespace(
        cause=lambda: ("rank 0: Connection closed by peer, on a", 0), only_victims=only_victims
    )
    run.nodes = cast(Nodes, said)
    assert root_cause(run).victim is only_victims
