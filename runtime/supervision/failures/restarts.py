"""Decides whether a failed run is started again: restarts are left, and it would not fail so once more."""

from __future__ import annotations

from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run


def another_follows(run: Run, cause: Cause) -> bool:
    """Whether the ranks are started once more after the generation that `cause` ended."""
    return run.restarts_left > 0 and not _refused(run, cause)


def _refused(run: Run, cause: Cause) -> bool:
    """Whether the rank that failed first ended itself and said why, or a machine is unfit: begun again, it
    would be so again."""
    if run.nodes is not None and run.nodes.unfit:
        return True
    fault = run.store.faults.get(cause.rank) if cause.rank is not None else None
    return fault is not None and fault.refused
