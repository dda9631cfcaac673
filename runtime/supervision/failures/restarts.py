"""Decides whether a failed run is started again: restarts are left, and it would not fail so once more."""

from __future__ import annotations

from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run


def ending(run: Run, cause: Cause) -> str:
    """Return why the run ends with the generation that `cause` ended; "" if another one begins."""
    if not another_follows(run, cause):
        return cause.what
    stuck = _unkilled(run)
    if not stuck:
        return ""
    return (
        f"{cause.what}; not started again beside {' and '.join(stuck)}, killed but still there, as what "
        "waits for a disk or a driver is. See it by `ps -o pid,stat,wchan,args -p PID`, free what it waits "
        "for (a mount, a GPU), or restart that machine; then start the demo again"
    )


def _unkilled(run: Run) -> list[str]:
    """What is left of a generation that is over, with its GPUs and ports; a machine that is gone is not."""
    if run.nodes is not None:
        there = ((node.name, node.ended.left) for node in run.nodes.all if node.ended is not None)
        return [f"{_processes(left)} on {name}" for name, left in there if left]
    still = [own for own in run.processes.stuck if own.alive and not own.doomed]
    ranks = [(rank, own) for rank, own in sorted(run.ranks.items()) if own in still]
    more = len(still) - len(ranks)
    named = [f"rank {rank} (process {own.pid})" for rank, own in ranks]
    return [*named, *([_processes(more)] if more else [])]


def _processes(count: int) -> str:
    return f"{count} process{'es' if count > 1 else ''}"


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
