"""Every process that teachrun has started: told by the hosts that run, else found by its mark."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.launch.processes import Marked
    from runtime.protocol.messages import Report


ANSWER_WITHIN_S = 2.0


async def everything() -> list[dict[str, Any]]:
    """All our processes, each once: what its host says of it, else what its mark says."""
    from runtime import paths
    from runtime.host.client import ask
    from runtime.launch.processes import marked, wall_clock
    from runtime.protocol.messages import Status

    classes = paths.live_classes()
    reports = await asyncio.gather(*(ask(class_id, Status(), ANSWER_WITHIN_S) for class_id in classes))
    found = [process for report in reports if report is not None for process in _told(report)]
    known = {process["pid"] for process in found}
    left = list(marked())
    parts = {process.own.pid: process.part for process in left}
    for process in left:
        if process.own.pid not in known:
            what, rank = _what(process, parts.get(process.parent))
            run, started = process.environ.get("TEACHRUN_RUN", ""), wall_clock(process.own.started)
            found.append(_entry(process.class_id, process.own.pid, what, rank, run, started))
    return found


def _what(process: Marked, parent: str | None) -> tuple[str, int | None]:
    """What a marked process is: a forked rank has the mark of its stage, torchrun numbers its own."""
    rank = process.environ.get("RANK", "")
    if rank.isdigit():
        return "rank", int(rank)
    if parent == "stage":
        return "rank", None
    return ("torchrun" if parent == "guardian" else process.part), None


def _told(report: Report) -> list[dict[str, Any]]:
    return [_entry(report.class_id, p.pid, p.what, p.rank, p.run, p.started) for p in report.processes]


def _entry(class_id: str, pid: int, what: str, rank: int | None, run: str, started: float) -> dict[str, Any]:
    age = max(0.0, time.time() - started) if started else None
    return {"class": class_id, "pid": pid, "what": what, "rank": rank, "run": run, "age_s": age}
