"""The processes that a supervisor answers for: fork server, guardians, ranks."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.launch.helper_process import Child
from runtime.launch.processes import wall_clock
from runtime.protocol.messages import Process
from runtime.supervision.run import Run


def living(stage: Child | None, runs: Iterable[Run]) -> list[Process]:
    """Return the fork server, guardians and ranks that live now; those elsewhere are their agents'."""
    known = list(runs)
    found = []
    parts = [(stage, "stage", "")]
    parts += [(run.torchrun.child, "guardian", run.id) for run in known if run.torchrun]
    for child, what, run_id in parts:
        if child is not None and child.own is not None and child.own.alive:
            found.append(Process(child.pid, what, None, run_id, wall_clock(child.own.started)))
    for run in known:
        for rank, own in sorted(run.ranks.items()):
            if own.alive:
                found.append(Process(own.pid, "rank", rank, run.id, wall_clock(own.started)))
    return found
