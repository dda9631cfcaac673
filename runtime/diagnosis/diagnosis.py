"""Says in words why ranks have failed: which calls do not fit, what is wrong, what an error means.

Everything here is made of what the ranks told (`Evidence`); nothing is run, and no clock is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from runtime.diagnosis import plain_errors
from runtime.diagnosis.deadlock import stalled
from runtime.diagnosis.evidence import Evidence, named, size, waits_for
from runtime.diagnosis.rank_rows import of_calls, rows
from runtime.metrics.rank_output import is_complaint
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.practice_messages import NOBODY, Call, Trouble

# A collective's size must be the same on all ranks of these; others may differ by right.
_EQUAL = ("all-reduce", "broadcast", "reduce", "all-gather", "reduce-scatter")


def mismatch(evidence: Evidence, calls: Mapping[int, Call]) -> Diagnosis | None:
    """Return what does not fit among the calls that are one and the same to the ranks; None if all do."""
    if len(calls) < 2:
        return None
    by_op: dict[str, list[int]] = {}
    for rank, call in sorted(calls.items()):
        by_op.setdefault(call.op, []).append(rank)
    if next(iter(calls.values())).peer >= 0:
        return _transfer(evidence, calls)
    if len(by_op) > 1:
        odd, common = sorted(by_op, key=lambda op: (len(by_op[op]), -min(by_op[op])))[:: len(by_op) - 1]
        one = calls[by_op[odd][0]]
        others = calls[by_op[common][0]]
        all_others = len(calls) == evidence.world and len(by_op[common]) > 1
        whom = "the others" if all_others else named(by_op[common])
        verb = "is" if len(by_op[odd]) == 1 else "are"
        headline = f"{named(by_op[odd])} {verb} in {odd} number {one.number}, {whom} in {common}"
        firsts = [(calls[ranks[0]].line, ranks, op) for op, ranks in by_op.items()]
        details = [
            f"line {line}: {named(ranks)} call{'s' * (len(ranks) == 1)} {op}" for line, ranks, op in firsts
        ]
        meaning = "a collective is one only if every rank of the group makes the same call, in the same order"
        return Diagnosis(
            "mismatch",
            headline,
            tuple(details),
            meaning,
            one.line or others.line,
            of_calls(calls, by_op[odd]),
        )
    op = next(iter(by_op))
    sizes: dict[int, list[int]] = {}
    for rank, call in sorted(calls.items()):
        sizes.setdefault(call.bytes, []).append(rank)
    if op in _EQUAL and len(sizes) > 1:
        said = ", ".join(f"{named(ranks)} {size(n)}" for n, ranks in sizes.items())
        one = calls[min(sizes.values(), key=len)[0]]
        headline = f"{op} number {one.number} is of different sizes: {said}"
        lines = [(calls[ranks[0]].line, ranks, n) for n, ranks in sizes.items()]
        meaning = "every rank has to bring a tensor of the same size"
        places: tuple[str, ...] = ()
        if len({line for line, _, _ in lines if line}) > 1:
            places = tuple(f"line {line}: {named(ranks)}, {size(n)}" for line, ranks, n in lines if line)
            meaning += ": one call more or less on one of them, and the next ones meet"
        few = min(sizes.values(), key=len)
        return Diagnosis("mismatch", headline, places, meaning, one.line, of_calls(calls, few))
    return _of_another(evidence, calls)


def _of_another(evidence: Evidence, calls: Mapping[int, Call]) -> Diagnosis | None:
    """Return that ranks call the same with another root, or make another group; None if they agree."""
    said: dict[str, list[int]] = {}
    for rank, call in sorted(calls.items()):
        said.setdefault(call.about, []).append(rank)
    if len(said) < 2:
        return None
    one = calls[min(said.values(), key=len)[0]]
    each = "; ".join(f"{named(ranks)} {about}" for about, ranks in said.items())
    if one.op == "new_group":
        made = (f"{named(r)} call{'s' * (len(r) == 1)} {about}" for about, r in said.items())
        headline = f"ranks make different groups: {', '.join(made)}"
        meaning = "every rank calls new_group for every group, in the same order, its own or not"
    else:
        headline = f"{one.op} number {one.number} is not the same on all ranks: {each}"
        meaning = "one rank gives or gets it, and all ranks have to name the same one"
    few = min(said.values(), key=len)
    return Diagnosis("mismatch", headline, (), meaning, one.line, of_calls(calls, few))


def _transfer(evidence: Evidence, calls: Mapping[int, Call]) -> Diagnosis | None:
    sender = next((call for call in calls.values() if call.op == "send"), None)
    receiver = next((call for call in calls.values() if call.op == "receive"), None)
    if sender is None or receiver is None or sender.bytes == receiver.bytes:
        return None
    headline = (
        f"rank {sender.rank} sends {size(sender.bytes)} to rank {receiver.rank}, "
        f"which receives {size(receiver.bytes)}"
    )
    details = (f"line {sender.line}: the send", f"line {receiver.line}: the receive")
    meaning = "both ends need tensors of the same shape and type"
    return Diagnosis("mismatch", headline, details, meaning, receiver.line, of_calls(calls, (receiver.rank,)))


def nowhere(evidence: Evidence) -> Diagnosis | None:
    """Return what is sent to a rank that there is not: torch does not look, and crashes or hangs."""
    for rank, call in evidence.newest.items():
        if call.op == "send" and call.peer == NOBODY:
            headline = f"rank {rank} sends to a rank that does not exist (line {call.line})"
            meaning = "ranks go from 0 to world - 1: take a neighbour modulo the world"
            return Diagnosis("crash", headline, (), meaning, call.line, rows(evidence))
    return None


def failed(evidence: Evidence) -> Diagnosis | None:
    """Say why a check has failed or a rank is gone; None if neither is so."""
    own = {rank: it for rank, it in evidence.troubles.items() if not is_complaint(it.text)}
    order = ("changed", "unfinished", "shortcut", "crash", "wrong", "bytes")
    known = own or ({} if evidence.ends else evidence.troubles)
    if known and not (evidence.ends and all(it.kind == "wrong" for it in known.values())):
        rank = min(known, key=lambda r: (order.index(known[r].kind), r))
        told = _of_trouble(evidence, rank, known)
        left = {other for others in waits_for(evidence).values() for other in others} & known.keys()
        if told.kind == "wrong" and left:  # what it left out is the cause, its numbers the consequence
            waiting = stalled(evidence, 0.0)
            return replace(waiting, details=(*waiting.details, told.headline))
        return told
    if evidence.ends:
        rank, how = next(iter(evidence.ends.items()))
        stand, call = evidence.stands.get(rank), evidence.newest.get(rank)
        line = stand.line if stand and stand.line else call.line if call else 0
        where = f", last seen at line {line}" if line else ""
        if evidence.misfit:
            for pair in evidence.calls.values():
                if (found := mismatch(evidence, pair)) is not None:
                    return found
            if (found := _elsewhere(evidence)) is not None:
                return found
            headline = f"rank {rank} was sent more than its call takes{where}"
            return Diagnosis("mismatch", headline, (), "both ends need the same size", line, rows(evidence))
        return Diagnosis(
            "crash", f"rank {rank} {how}{where}", (), plain_errors.of_end(how), line, rows(evidence)
        )
    return None


def _elsewhere(evidence: Evidence) -> Diagnosis | None:
    """Return that ranks lost the others in calls of different lines; None where all were at one."""
    at: dict[int, list[int]] = {}
    for rank, trouble in sorted(evidence.troubles.items()):
        if trouble.line:
            at.setdefault(trouble.line, []).append(rank)
    if len(at) < 2:
        return None
    odd = min(at, key=lambda line: (len(at[line]), line))
    others = ", ".join(f"{named(ranks)} in that of line {line}" for line, ranks in at.items() if line != odd)
    verb = "was" if len(at[odd]) == 1 else "were"
    headline = f"{named(at[odd])} {verb} in the call of line {odd}, {others}, and the two do not fit"
    meaning = "one call more or less on one rank, and the next ones meet"
    return Diagnosis("mismatch", headline, (), meaning, odd, rows(evidence))


def _of_trouble(evidence: Evidence, rank: int, known: Mapping[int, Trouble]) -> Diagnosis:
    trouble = known[rank]
    alike = sorted(r for r, it in known.items() if (it.kind, it.text) == (trouble.kind, trouble.text))
    who = "every rank" if len(alike) == evidence.world else named(alike)
    meaning = trouble.meaning
    details: list[str] = []
    if trouble.kind == "crash":
        text, meaning = plain_errors.plain(trouble.text)
        headline = f"{who}: {text}" + (f" (line {trouble.line})" if trouble.line else "")
        if text != trouble.text:
            details.append(trouble.text)
    elif trouble.kind in ("unfinished", "shortcut", "changed"):
        headline = trouble.text
    else:
        headline = f"{who}: {trouble.text}"
    if trouble.expected or trouble.got:
        where = f", {trouble.where}" if trouble.where else ""
        details.append(f"rank {rank}{where}: expected {trouble.expected}, got {trouble.got}")
    if trouble.bound:
        details.append(f"rank {rank}: measured {size(trouble.measured)}, at most {size(trouble.bound)}")
    if trouble.kind == "wrong" and not meaning:
        others = (f"on rank {r}: {it.meaning}" for r, it in known.items() if it.meaning)
        meaning = next(others, "") or _unmet(evidence)
    return Diagnosis(trouble.kind, headline, tuple(details), meaning, trouble.line, rows(evidence))


def _unmet(evidence: Evidence) -> str:
    """A transfer that has one end only, in words; "" if all have two."""
    for calls in evidence.calls.values():
        call = next(iter(calls.values()))
        if len(calls) == 1 and call.peer >= 0:
            if call.op == "send":
                return f"rank {call.peer} never receives what rank {call.rank} sends (line {call.line})"
            return f"rank {call.peer} never sends what rank {call.rank} waits for (line {call.line})"
    return ""
