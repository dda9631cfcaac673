"""Says in one sentence why a run is stuck: which rank, in which phase, at which collective.

Three times are kept apart: until the first step, without a new step, and the class time of a budget. Only the
first two are a fault, and this module only speaks; `time_limits.py` says when a run is ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.metrics.collectives.who_waits import LONG_S, Stands
from runtime.protocol.figures import RankRow

FIRST_STEP_S = 20.0
STALL_S = 5.0  # at least; else STALL_STEPS median steps
STALL_STEPS = 5.0
OVER = ("done", "dead", "ended", "elsewhere")  # states of a rank that has no more to say


@dataclass(frozen=True, slots=True)
class Finding:
    """`text` for people, and how many times over the limit the run is (1.0: just reached it). `over`: it will
    not go on, as far as its processes tell."""

    text: str
    overdue: float
    limit_s: float
    over: bool = False


def look(
    rows: Sequence[RankRow],
    since_launch_s: float,
    since_step_s: float | None,
    median_step_s: float | None,
    stands: Mapping[int, Stands] | None = None,
    since_phase_s: float | None = None,
) -> Finding | None:
    """Return what is wrong with a run now, None if nothing. `since_step_s` is None before the first step;
    `stands` are the ranks that are in a collective. `since_phase_s` ago the last rank got on from one phase
    of its start to the next: an import from a slow disk is late, and no reason to end anything."""
    if since_step_s is None:
        if since_launch_s < FIRST_STEP_S:
            return None
        text = f"no step after {since_launch_s:.0f} s: {suspect(rows, stands)}"
        stuck_s = since_launch_s if since_phase_s is None else min(since_launch_s, since_phase_s)
        return Finding(text, stuck_s / FIRST_STEP_S, FIRST_STEP_S)
    limit = max(STALL_S, STALL_STEPS * (median_step_s or 0.0))
    if since_step_s < limit:
        # Ranks that do without collectives go on without one that stands.
        working = [row for row in rows if row.state not in OVER]
        silent = [row for row in working if row.silent_s >= limit]
        return Finding(suspect(rows, stands), 1.0, limit) if 0 < len(silent) < len(working) else None
    return Finding(f"no step for {since_step_s:.0f} s: {suspect(rows, stands)}", since_step_s / limit, limit)


def suspect(rows: Sequence[RankRow], stands: Mapping[int, Stands] | None = None) -> str:
    """Return the rank that holds up the others, as far as their signs of life tell."""
    working = [row for row in rows if row.state not in OVER]
    if not working:
        return "no rank is left"
    absent = [row for row in working if not row.pid]
    if absent:
        return f"{_ranks(absent)} never reported"
    silent = [row for row in working if row.silent_s >= LONG_S]
    if silent:
        longest = max(row.silent_s for row in silent)
        verb = "has" if len(silent) == 1 else "have"
        seen = "" if silent[0].state == "other" else f", last seen in {silent[0].state}"
        return f"{_ranks(silent)} {verb} been silent for {longest:.0f} s{seen}"
    if stands and (found := _waited_for(rows, stands)):
        return found
    most = max(row.seq or 0 for row in working)
    behind = [row for row in working if (row.seq or 0) < most]
    # Of transfers the ranks have different numbers by right.
    if behind and not any(row.last.startswith(("send", "receive")) for row in working):
        last = min(behind, key=lambda row: row.seq or 0)
        missing = most - (last.seq or 0)
        count = "one collective" if missing == 1 else f"{missing} collectives"
        where = _entered(last, [row for row in working if row.seq == most])
        return f"rank {last.rank} is in {last.state}, {count} behind{where}"
    phases = sorted({row.state for row in working})
    if len(phases) == 1:
        return f"all ranks are in {phases[0]}"
    return "; ".join(f"{_ranks([r for r in working if r.state == phase])} in {phase}" for phase in phases[:3])


def _waited_for(rows: Sequence[RankRow], stands: Mapping[int, Stands]) -> str:
    """Say which rank the others wait for, or that they wait for each other; "" if neither is so."""
    waiters: dict[int, list[int]] = {}
    for rank, stand in stands.items():
        for other in stand.ranks:
            if other not in stands and other != rank:
                waiters.setdefault(other, []).append(rank)
    if waiters:
        most = max(map(len, waiters.values()))
        held_up = [row for row in rows if len(waiters.get(row.rank, ())) == most]
        if not held_up:
            return ""
        one = held_up[0]
        doing = "has ended" if one.state in OVER else f"is in {one.state}"
        if len(held_up) > 1:
            doing = doing.replace("has", "have").replace("is", "are")
        it = "it" if len(held_up) == 1 else "them"
        return f"{_ranks(held_up)} {doing}, {_waiting(waiters[one.rank], stands, rows, f' for {it}')}"
    if len(stands) < sum(row.state not in OVER for row in rows):
        return ""
    said = _waiting(sorted(stands), stands, rows, "")
    by_group: dict[str, set[str]] = {}
    for stand in stands.values():
        by_group.setdefault(stand.group, set()).add(stand.what)
    if any(stand.ranks for stand in stands.values()):
        return f"the ranks wait for each other: {said}"
    if any(len(called) > 1 for called in by_group.values()):
        return f"the ranks have called collectives that do not fit together: {said}"
    return ""


def _waiting(ranks: Sequence[int], stands: Mapping[int, Stands], rows: Sequence[RankRow], whom: str) -> str:
    """`ranks 0, 3 wait for it in all-reduce #41, rank 2 in receive #12`; of many the first three."""
    where: dict[str, list[RankRow]] = {}
    for row in rows:
        if row.rank in ranks:
            where.setdefault(stands[row.rank].what, []).append(row)
    said: list[str] = []
    for what, these in list(where.items())[:3]:
        verb = "" if said else f" wait{'s' * (len(these) == 1)}{whom}"
        said.append(f"{_ranks(these)}{verb} in {what}")
    return ", ".join(said)


def _entered(behind: RankRow, others: Sequence[RankRow]) -> str:
    """Which collectives, where the others agree on theirs: `: all-reduce #40, the others entered #41`."""
    theirs = {row.last for row in others}
    if len(theirs) != 1 or "" in theirs:
        return f" (#{behind.seq or 0} of {others[0].seq})"
    [other] = theirs
    kind = behind.last.partition(" ")[0]
    other = other.removeprefix(f"{kind} ") if kind else other
    return f": {behind.last or 'none yet'}, the others entered {other}"


def _ranks(rows: Sequence[RankRow]) -> str:
    names = ", ".join(str(row.rank) for row in rows[:4])
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    return f"rank{'s' if len(rows) > 1 else ''} {names}{more}"
