"""Names the rank that caused a generation to fail, in one sentence.

Where one rank fails the others fail too: torch tells them that a peer is gone, or we end them. So a death by
a signal counts before errors, an error of a rank's own before the complaint that a peer is gone, and a rank
that we killed is no cause at all.
"""

from __future__ import annotations

import re
import signal

from runtime.launch import torchrun
from runtime.launch.simulated_nodes import torchrun_per_node
from runtime.metrics.rank_output import is_complaint
from runtime.protocol.events import Fault
from runtime.protocol.stage_messages import Exited
from runtime.supervision.processes_of_run import Cause
from runtime.supervision.run import Run

# What gloo says when it ends a rank that was sent more than its own collective takes.
_MISFIT = re.compile(r"op\.preamble\.length <= op\.nbytes")

# What torch says of a GPU that is not there.
NO_GPU = re.compile(
    r"not (been )?compiled with CUDA|without CUDA|CUDA support|NCCL built in|no NVIDIA driver|"
    r"driver version is insufficient|"
    r"no (CUDA )?GPUs? (are )?(available|found)|no CUDA-capable device|invalid device ordinal|"
    r"accelerator .*when none is available|_cuda_\w+|(needs?|requires?) (a )?(GPU|CUDA)|"
    r"CUDA is(n't| not| False) available|torch\.cuda\.is_available\(\) is False|_nccl_\w+|"
    r"NVTX functions not installed|without ATen_cuda|dummy base class \w*cuda|"
    # DDP that is told of a GPU and has parameters on the CPU; attention that DTensor splits on GPUs only.
    r"device_ids and output_device arguments only work|_for_cpu\S* does not have a sharding strategy|"
    r"No viable backend for scaled_dot_product_attention",
    re.IGNORECASE,
)


def bereft(fault: Fault) -> bool:
    """Whether this rank only complains that another one is gone."""
    return is_complaint(fault.what)


def root_cause(run: Run) -> Cause:
    """Return one line: which rank failed first and of what, and whether that was done on purpose."""
    if run.processes.failure:
        return Cause(run.processes.failure)
    cause = _first_to_fail(run)
    cause = cause._replace(what=cause.what + _without_gpu(run, cause.what))
    misled = run.harms.out_of_step()
    if misled is not None and cause.rank != misled:
        # Its calls match no other rank's any more, and ranks that meet them fail: victims, not the cause.
        return Cause(f"{run.harms.sentence()}; {cause.what}", misled, cause.at)
    harm = run.harms.of(cause.rank) if cause.rank is not None else None
    if harm is None or cause.rank is None:
        return cause._replace(what="; ".join(filter(None, (cause.what, run.harms.sentence()))))
    if harm.kills:
        return cause._replace(
            what=harm.sentence(cause.rank) + _at(run, cause.rank), at=run.harms.newest_at(cause.rank)
        )
    return cause._replace(what=f"{harm.sentence(cause.rank)}: {cause.what}")


def _first_to_fail(run: Run) -> Cause:
    if run.nodes is not None:
        what, rank = run.nodes.cause()  # each has judged its own
        return Cause(what, rank, victim=run.nodes.only_victims)
    ranks = [e for e in run.exits if e.rank >= 0]
    victims = [e for e in ranks if not e.killed]
    faults = sorted(run.store.faults.values(), key=lambda fault: fault.t)
    said_at = {fault.rank: fault.t for fault in faults}
    crashed = [e for e in victims if e.signal is not None]
    if crashed:
        rank, name = crashed[0].rank, signal.Signals(crashed[0].signal or 0).name
        return Cause(
            f"rank {rank} was killed by {name}{_at(run, rank)}{_misfit(run, rank)}", rank, said_at.get(rank)
        )
    own = [fault for fault in faults if not bereft(fault)]
    own.sort(key=lambda fault: run.harms.of(fault.rank) is None)  # the others may say what it told them
    # A traceback ends with 1 and a fault; another code without one is the script's own decision, and what the
    # others then complain of is that it was gone.
    chosen = [e for e in victims if e.code not in (0, 1, None) and e.rank not in said_at]
    early = [e for e in victims if e.code == 0 and _left_early(run, e.rank)]
    # The rank reaped first did not always end first; ranks that only complain are no evidence against it.
    if early and (ranks[0] is early[0] or not (own or chosen)):
        rank = early[0].rank
        return Cause(f"rank {rank} left with exit code 0{_at(run, rank)}", rank)
    if chosen:
        rank = chosen[0].rank
        return Cause(f"rank {rank} left with exit code {chosen[0].code}{_at(run, rank)}", rank)
    log = run.log_dir / "torchrun.log"
    launcher = next((e for e in run.exits if e.rank < 0), None)
    if launcher is not None and run.torchrun is None and not own:
        return Cause(f"the store at which the ranks meet {_how(launcher)}")
    first = None
    if launcher is not None and not own:
        first = torchrun.first_failure(log, said_at, alone=run.demo.node is None)
    if first is not None:
        rank, code = first
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"left with exit code {code}"
        if code < 0 or rank not in said_at:
            return Cause(f"rank {rank} {how}{_at(run, rank)}{_misfit(run, rank)}", rank)
    mourned = run.harms.killed()
    if faults and not own and mourned is not None:
        return Cause(f"rank {mourned} was killed", mourned)
    if faults and not own and (through := [rank.rank for rank in run.store.ranks if rank.state == "done"]):
        what = f"rank {through[0]} ended while others still waited for it"
        return Cause(f"{what}; rank {faults[0].rank}: {faults[0].what}", through[0])
    if faults:
        fault = (own or faults)[0]
        there = (
            "" if own or run.demo.node is None else "; a rank of another node is gone, see what its node says"
        )
        what = f"rank {fault.rank}: {fault.what}{_at(run, fault.rank)}{there}"
        return Cause(what, fault.rank, fault.t, victim=not own)
    failed = [e for e in victims if e.code != 0]
    if failed:
        rank = failed[0].rank
        return Cause(f"rank {rank} {_how(failed[0])}{_at(run, rank)}", rank)
    if launcher is not None:
        said = "" if any(rank.pid for rank in run.store.ranks) else torchrun.last_word(log)
        if said and launcher.code == torchrun_per_node.IMPOSSIBLE:
            return Cause(said)
        words = f", saying: {said}" if said else ""
        return Cause(f"torchrun {_how(launcher)}{words}; see {log}")
    return Cause("not every rank finished")


def _how(ended: Exited) -> str:
    """Say how a process ended, as far as anybody saw it."""
    if ended.signal:
        return f"was killed by {signal.Signals(ended.signal).name}"
    return "ended, and nobody saw how" if ended.code is None else f"left with exit code {ended.code}"


def _without_gpu(run: Run, what: str) -> str:
    """Say what to do about a script that wants a GPU where there is none, "" for other failures."""
    if run.demo.builtin or NO_GPU.search(what) is None:
        return ""
    asked = run.demo.values.get("device") == "cpu"
    return "; device=cpu has no stand-in for this" if asked else "; device=cpu runs it on the CPU"


def bereaved(run: Run, cause: Cause) -> list[int]:
    """Return the ranks that failed only because another one did."""
    faults = run.store.faults.values()
    return [fault.rank for fault in faults if fault.rank != cause.rank and bereft(fault)]


def _misfit(run: Run, rank: int) -> str:
    """What is behind an abort by gloo: it has one victim, and the mistake may be any rank's."""
    if any(_MISFIT.search(line) for line in run.store.ranks[rank].tail):
        return ": its collective does not fit that of another rank"
    return ""


def _left_early(run: Run, rank: int) -> bool:
    newest = run.store.ranks[rank].newest
    return run.demo.steps is not None and (newest is None or newest.step + 1 < run.demo.steps)


def _at(run: Run, rank: int) -> str:
    newest = run.store.ranks[rank].newest
    return f" (after step {newest.step})" if newest else " (before its first step)"
