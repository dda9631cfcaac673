"""Why the ranks of a demo or of somebody's script stand still or have failed, from what a `RunStore` knows.

A rank tells of a collective once it is done, and with each sign of life in which one it stands, at which line
of its script. What it has entered and not left yet is known only while its training thread stands there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from runtime.diagnosis.deadlock import stalled
from runtime.diagnosis.diagnosis import failed, mismatch
from runtime.diagnosis.evidence import LISTED, Evidence, edges_of, named
from runtime.metrics.collectives.who_waits import LONG_S
from runtime.metrics.rank_output import is_complaint
from runtime.metrics.rank_state import RankState
from runtime.metrics.store import RunStore
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.practice_messages import NOBODY, Call, Stands, Trouble

STALL_S = 3.0  # every rank stands in a call, and none has moved for so long: they wait for each other
BEFORE = ("start", "import", "rendezvous")  # phases of a launch in which ranks wait for each other by right
_PLACE = re.compile(r"([^/\\:]+):(\d+)$")


def stand_still(store: RunStore, now: float) -> Diagnosis | None:
    """Return why all ranks wait, as soon as that is certain; None: somebody may still go on.

    `now` is seconds of the monotonic clock. Certain is what stays so: every rank that has not ended stands in
    a collective for `STALL_S`, and waits for one that will not come.
    """
    living = [rank for rank in store.ranks if not rank.ended]
    beats = [rank.beat for rank in living if rank.beat is not None]
    if not beats or len(beats) < len(living) or not all(beat.waits for beat in beats):
        return None
    since = max(beat.since for beat in beats)
    if since <= 0 or now - since < STALL_S or any(now - rank.heard > LONG_S for rank in living):
        return None
    found = why(store, now, now - since)
    return found if found is not None and (found.edges or found.kind == "mismatch") else None


def why(store: RunStore, now: float, for_s: float) -> Diagnosis | None:
    """Return why nothing has gone on for so many seconds, as far as the ranks' signs of life tell.

    None where they tell nothing: no rank is left, or one has not come as far as its first collective.
    """
    living = [rank for rank in store.ranks if not rank.ended]
    if not living or any(rank.beat is None or rank.state in BEFORE for rank in living):
        return None
    evidence = _evidence(store, now)
    found = _misfit(evidence)
    if found is None:
        found = stalled(evidence, for_s)
    return _placed(store, found) if found.edges or found.line or found.kind == "mismatch" else None


def after_failure(store: RunStore, ends: Mapping[int, str], now: float) -> Diagnosis | None:
    """Return why the ranks have failed; None where nothing is known that words would make plainer.

    `ends` are ranks that ended other than by an error of their own or because somebody ended them, in their
    order, with how: `was killed by SIGABRT`.
    """
    evidence = _evidence(store, now)
    finished = [rank.rank for rank in store.ranks if rank.state == "done"]
    for rank, fault in store.faults.items():
        if 0 <= rank < store.world:
            evidence.troubles[rank] = Trouble("crash", fault.what, _line(fault.root))
    evidence.ends = {rank: how for rank, how in ends.items() if rank not in evidence.troubles}
    for rank in evidence.ends:  # where it stood before its last call is not where it was killed
        if (stand := evidence.stands.get(rank)) is not None and stand.call is None:
            del evidence.stands[rank]
    if any("op.preamble.length <= op.nbytes" in line for rank in store.ranks for line in rank.tail):
        evidence.misfit = True
        for stand in evidence.stands.values():  # what a rank had entered it has called, though it is gone
            if stand.call is not None:
                evidence.add(stand.call)
    own = any(not is_complaint(trouble.text) for trouble in evidence.troubles.values())
    if not own and (found := _misfit(evidence)) is not None:
        return _placed(store, found)
    if evidence.troubles and not own and finished and not evidence.ends:
        return _placed(store, _left(evidence, finished))
    found = failed(evidence)
    if found is not None and evidence.misfit and not found.line:  # of those that called it too
        found = replace(found, line=min((t.line for t in evidence.troubles.values() if t.line), default=0))
    return None if found is None else _placed(store, found)


def _left(evidence: Evidence, finished: list[int]) -> Diagnosis:
    """Ranks are through with their script while others still stand in a call with them."""
    who = "rank " + str(finished[0]) if len(finished) == 1 else f"ranks {', '.join(map(str, finished))}"
    if len(finished) > LISTED:
        who = named(finished)
    have, leaves = ("has", "leaves") if len(finished) == 1 else ("have", "leave")
    lines = {trouble.line for trouble in evidence.troubles.values() if trouble.line}
    waiting = sorted(evidence.troubles)
    details = tuple(
        f"rank {rank}, line {trouble.line}: still in a call"
        for rank, trouble in sorted(evidence.troubles.items())[:LISTED]
        if trouble.line
    )
    edges = edges_of(dict.fromkeys(waiting, finished))
    return Diagnosis(
        "deadlock", f"{who} {have} ended, and the others still wait for it", details,
        f"every rank of a group makes every call of it: who {leaves} early leaves the others alone"
        if len(finished) == 1 else "every rank of a group makes every call of it",
        min(lines, default=0), (), edges,
    )  # fmt: skip


def _evidence(store: RunStore, now: float) -> Evidence:
    evidence = Evidence(store.world, now)
    for rank in store.ranks:
        for done in rank.recent:
            evidence.add(_call(store, rank.rank, done.op, done.seq, done.group, done.peer, done.bytes, 0))
    for rank in store.ranks:
        _stand(store, rank, evidence)
    _fill_in(store, evidence)
    for rank in store.ranks:
        if rank.ended:
            evidence.ends[rank.rank] = "has ended"
        elif now - rank.heard > LONG_S and rank.pid:
            evidence.silent[rank.rank] = now - rank.heard
    return evidence


def _stand(store: RunStore, rank: RankState, evidence: Evidence) -> None:
    """Note where a rank stands, by its newest sign of life."""
    beat = rank.beat
    if beat is None:
        return
    call = None
    if beat.waits:
        op, _, number = beat.waits.rpartition(" #")
        seq = int(number) if number.isdecimal() else 0
        call = _call(store, rank.rank, op, seq, beat.group, beat.peer, beat.bytes, beat.line)
        if not rank.ended:
            evidence.add(call)
    moved = max(0, beat.seq_issued) + max(0, beat.seq_done)
    evidence.stands[rank.rank] = Stands(rank.rank, call, beat.line, beat.since or evidence.now, moved)


@lru_cache(maxsize=8)
def _everybody(world: int) -> tuple[int, ...]:
    # One tuple for all calls: with a thousand ranks there are a hundred times as many.
    return tuple(range(world))


def _call(store: RunStore, rank: int, op: str, seq: int, group: str, peer: int, size: int, line: int) -> Call:
    known = store.entries.groups.get(group)
    members = known.ranks if known is not None else _everybody(store.world)
    other = -1
    if op in ("send", "receive"):
        other = members[peer] if 0 <= peer < len(members) else NOBODY
    return Call(rank, op, seq + 1, group, members, other, size, line)


def _fill_in(store: RunStore, evidence: Evidence) -> None:
    """Note that ranks have entered what others stand in, where only their count of calls tells so."""
    asked: set[tuple[str, int]] = set()  # once for all that stand in it
    for stand in list(evidence.stands.values()):
        call = stand.call
        if call is None or call.peer != -1 or (call.group, call.number) in asked:
            continue
        asked.add((call.group, call.number))
        calls = evidence.calls.get((call.group, call.number, "", -1), {})
        for member in call.members:
            beat = store.ranks[member].beat if 0 <= member < store.world else None
            if member not in calls and beat is not None and beat.entered.get(call.group, 0) >= call.number:
                calls[member] = Call(
                    member, call.op, call.number, call.group, call.members, -1, call.bytes, 0
                )


def _misfit(evidence: Evidence) -> Diagnosis | None:
    """The first calls that are one and the same to the ranks, and do not fit."""
    for _, calls in sorted(evidence.calls.items(), key=lambda pair: pair[0][1]):
        if (found := mismatch(evidence, calls)) is not None:
            return found
    return None


def _line(place: str) -> int:
    """The line of `train.py:12`."""
    found = _PLACE.search(place)
    return int(found[2]) if found else 0


def _placed(store: RunStore, found: Diagnosis) -> Diagnosis:
    """Name the file of the line where an error was raised; else it is the script, which the caller knows."""
    for fault in store.faults.values():
        place = _PLACE.search(fault.root)
        if place and int(place[2]) == found.line:
            return replace(found, file=place[1])
    return found
