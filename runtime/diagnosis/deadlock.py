"""Why nobody goes on: the circle in which ranks wait for each other, or the one they all wait for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.diagnosis.evidence import Evidence, edges_of, named, nth, waits_for
from runtime.diagnosis.rank_rows import rows, standing
from runtime.protocol.diagnosis_message import Diagnosis


def hopeless(evidence: Evidence) -> bool:
    """Whether every rank is done or stands in a call for which somebody is missing: then nobody can go on."""
    waits = waits_for(evidence)
    standing = [rank for rank, stand in evidence.stands.items() if not stand.idle]
    whole = len(evidence.stands) == evidence.world and not evidence.ends
    return whole and bool(standing) and all(waits.get(rank) for rank in standing)


def circle(waits: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """Return ranks of which each waits for the next and the last for the first, `()` if there are none."""
    for start in sorted(waits):
        path, rank = [start], start
        while waits.get(rank):
            rank = waits[rank][0]
            if rank in path:
                return tuple(path[path.index(rank) :])
            path.append(rank)
    return ()


def stalled(evidence: Evidence, for_s: float) -> Diagnosis:
    """Say why nobody has gone on for so many seconds."""
    waits = waits_for(evidence)
    edges = edges_of(waits)
    table = rows(evidence, waits)
    round_ = circle(waits)
    if evidence.silent:
        who = sorted(evidence.silent)
        line = next((evidence.stands[r].line for r in who if r in evidence.stands), 0)
        have = "has" if len(who) == 1 else "have"
        headline = f"{named(who)} {have} not reported for {min(evidence.silent.values()):.0f} s"
        meaning = "it was stopped, or is in a call that holds Python's global lock (GIL)"
        return Diagnosis("slow", headline, (), meaning, line, table, edges)
    first = evidence.stands[min(waits)] if waits else None
    if round_:
        ops = {evidence.stands[rank].call.op for rank in round_ if evidence.stands[rank].call}  # type: ignore[union-attr]
        said = ", ".join(
            f"{a} waits for {b}" if n == 0 else f"{a} for {b}"
            for n, (a, b) in enumerate(zip(round_, (*round_[1:], round_[0]), strict=True))
        )
        end = {"send": " Nobody receives.", "receive": " Nobody sends."}.get(
            next(iter(ops)) if len(ops) == 1 else "", ""
        )
        meaning = (
            "a send is done when its receiver has asked for it: somebody in the circle has to receive first"
        )
        line = evidence.stands[round_[0]].line
        return Diagnosis(
            "deadlock", f"A circle: {said}.{end}", standing(evidence, round_),
            meaning if ops <= {"send", "receive"} else "", line, table, edges,
        )  # fmt: skip
    busy = [
        r
        for r in range(evidence.world)
        if r not in waits and r not in evidence.ends and not _idle(evidence, r)
    ]
    if busy:
        one = evidence.stands.get(busy[0])
        line = one.line if one else 0
        where = f"at line {line}" if line else "outside your file"
        others = f", {named(sorted(waits))} wait{'s' * (len(waits) == 1)} for it" if waits else ""
        # Since when a rank is there is not known: where it was first seen says nothing of the time before.
        are = "is" if len(busy) == 1 else "are"
        headline = f"{named(busy)} {are} {where}{others}: no step for {for_s:.0f} s"
        meaning = "a sleep, an endless loop, far too much work, or a machine that is too busy"
        return Diagnosis("slow", headline, (), meaning, line, table, edges)
    lacking = {other for others in set(waits.values()) for other in others} - waits.keys()
    whom = sorted(lacking)
    if whom and first is not None:
        waiting = sorted(rank for rank, others in waits.items() if not lacking.isdisjoint(others))
        call = evidence.stands[waiting[0]].call
        assert call is not None
        alone = len(whom) == 1
        again = f" for the {nth(call.number)} time" if call.number > 1 else ""
        does = {"send": "receive it", "receive": "send it"}.get(call.op, f"call {call.op}{again}")
        if alone:
            verb, _, rest = does.partition(" ")
            does = f"{verb}s {rest}"
        have = "has" if alone else "have"
        gone = all(other in evidence.ends for other in whom)
        headline = (
            f"{named(waiting)} wait{'s' * (len(waiting) == 1)} in {call.op} for {named(whom)}, "
            f"which {have} {'ended' if gone else 'finished'} and never {does}"
        )
        return Diagnosis(
            "deadlock", headline, standing(evidence, waiting),
            "one call more on some ranks than on others: who has to make it, and how often?",
            evidence.stands[waiting[0]].line, table, edges,
        )  # fmt: skip
    line = first.line if first else 0
    return Diagnosis("deadlock", f"nobody has gone on for {for_s:.0f} s", (), "", line, table, edges)


def _idle(evidence: Evidence, rank: int) -> bool:
    stand = evidence.stands.get(rank)
    return stand is not None and stand.idle
