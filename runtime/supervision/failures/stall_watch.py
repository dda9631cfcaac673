"""Looks at a run that goes on, says what holds it up, and keeps why: its warning and its diagnosis."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace

from runtime.diagnosis import run_diagnosis
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.stage_messages import Exited
from runtime.supervision.failures import stall_reason
from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run

SHARE = 0.05  # of a core that looking for the reason may cost: with a thousand ranks it takes long
_ENDED = re.compile(r"rank \d+ (was killed by \w+|left with exit code [1-9]\d*)")


def look(run: Run, now: float) -> stall_reason.Finding | None:
    """Return what is wrong with a run now, None if nothing; `now` is seconds of the monotonic clock."""
    if run.waits:
        _say(run, run.waits)  # for as long as people want to
        return None
    if run.nodes is not None and (stale := run.nodes.told_of_stale(now)):
        _say(run, stale)  # what is not known is nobody's fault yet
        return None
    if all(rank.ended for rank in run.store.ranks):
        _say(run, "")  # only the launcher is still tidying up
        return None
    until = run.step_gate.until
    if until is not None and run.store.all_done(until):
        _say(run, "")  # it stands because somebody holds it
        return None
    # Until every rank has made its first step, what counts is how long that takes.
    step_at = run.step_at if run.store.settled >= 0 else None
    since_step = None if step_at is None else now - max(step_at, run.let_go_at) - run.step_gate.pace_s
    since_fork = now - max(run.processes.forked_at or now, run.let_go_at)
    quiet = since_step is not None and since_step < stall_reason.STALL_S
    before_first = since_step is None and since_fork < stall_reason.FIRST_STEP_S
    on_purpose = run.harms.sentence()
    # Ranks that wait for each other will do so for ever: that needs no longer look.
    certain = None
    if not (quiet or run.step_gate.pace_s):
        certain = found_at_a_pace(run, "certain", now, lambda: run_diagnosis.stand_still(run.store, now))
    finding = None
    if not before_first and (not quiet or run.store.forsaken):
        median = run.store.median_step_s
        # Machines import torch by themselves, from whatever disk they have; here a fork server has done so.
        began = max(run.store.phases_at.values(), default=None) if run.nodes is not None else None
        since_phase = None if began is None else now - began
        finding = stall_reason.look(
            run.store.rows(now), since_fork, since_step, median, run.store.standing(), since_phase
        )
    if finding is None:
        run.processes.patience.forget()
    if finding is not None:
        finding = _with_patience(run, finding, now)
        for_s = since_fork if since_step is None else since_step
        run.diagnosis = certain or found_at_a_pace(
            run, "why", now, lambda: run_diagnosis.why(run.store, now, for_s)
        )
        run.warning = finding.text
    elif certain is not None:
        run.diagnosis, run.warning = certain, certain.headline
    elif not before_first and not quiet:
        _say(run, "")
    if run.warning and on_purpose:
        run.warning = f"{run.warning}; {on_purpose}"
    return finding


def _with_patience(run: Run, finding: stall_reason.Finding, now: float) -> stall_reason.Finding:
    """Look at the processes of a run that is overdue: whether it is stuck or only slow."""
    patience = run.processes.patience
    elsewhere = run.nodes is not None and run.nodes.at_work
    spin = run.on_gpu
    patience.look(run.at_work(), now, spin=spin, elsewhere=elsewhere)
    over = patience.is_over(finding.overdue, finding.limit_s)
    return replace(finding, text=finding.text + patience.starved, over=over)


def found_at_a_pace(
    run: Run, what: str, now: float, look: Callable[[], Diagnosis | None]
) -> Diagnosis | None:
    """Return what a look finds, or what the last one found, as long as another would cost too much."""
    until, found = run.looks.get(what, (0.0, None))
    if now >= until:
        began = time.thread_time()
        found = look()
        run.looks[what] = now + (time.thread_time() - began) / SHARE, found
    return found


def who_holds_it_up(run: Run, now: float) -> str:
    """Return which rank holds up a run, and keep why: for one that is ended while it stands or is slow."""
    run.diagnosis = run.diagnosis or run_diagnosis.why(run.store, now, run.ran_s) or _after_failure(run, now)
    return stall_reason.suspect(run.store.rows(now), run.store.standing())


def failed(run: Run, cause: Cause, now: float) -> None:
    """Keep why the ranks of a run have failed, once all are gone; of what was done on purpose, nothing."""
    if run.processes.failure or run.harms.sentence():
        return
    run.diagnosis = _after_failure(run, now, cause) or run.diagnosis


def _after_failure(run: Run, now: float, cause: Cause | None = None) -> Diagnosis | None:
    ends = {e.rank: _how(e) for e in run.exits if e.rank >= 0 and not e.killed and (e.signal or e.code)}
    how = _ENDED.match(cause.what) if cause is not None else None
    if (
        how is not None
        and cause is not None
        and cause.rank is not None
        and cause.rank not in run.store.faults
    ):
        ends.setdefault(cause.rank, how[1])  # under torchrun only its log tells how a rank ended
    return run_diagnosis.after_failure(run.store, ends, now)


def _how(ended: Exited) -> str:
    if ended.signal:
        return f"was killed by {signal.Signals(ended.signal).name}"
    return f"left with exit code {ended.code}"


def _say(run: Run, warning: str) -> None:
    run.warning, run.diagnosis = warning, None
