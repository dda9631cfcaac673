"""Says when a run has had its time: the `timeout` somebody gave it, or far too long without a step."""

from __future__ import annotations

from runtime.supervision.failures import stall_watch
from runtime.supervision.failures.stall_reason import Finding
from runtime.supervision.run import Run


def timeout_passed(run: Run, now: float) -> str | None:
    """Return why a run that has reached its `timeout` is ended, None if it has none or has not; `now` is
    seconds of the monotonic clock."""
    timeout = run.demo.seconds("timeout")
    if timeout is None or run.ran_s < timeout or run.state not in ("launching", "running"):
        return None
    return f"ended by its timeout of {timeout:g} s: {stall_watch.who_holds_it_up(run, now)}"


def stuck_too_long(run: Run, finding: Finding) -> bool:
    """Whether a run that is stuck is to be ended: a demo of ours, not one that somebody broke on purpose, nor
    one whose other nodes are started by hand. A script that people brought may take its time, and so may
    ranks that get on (`stuck_or_slow.py`)."""
    may_end = run.demo.builtin and not (run.faulted or run.demo.node)
    return may_end and finding.over
