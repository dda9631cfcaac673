"""Says in words why ranks have failed or stand still: who waits for whom, who calls what, what is wrong.

Everything here is made of what the ranks told (`Evidence`); nothing is run, and no clock is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from runtime.diagnosis import plain_errors
from runtime.protocol.diagnosis import Diagnosis, RankRow
from runtime.protocol.practice_messages import NOBODY, Call, Stands, Trouble

# A collective's size must be the same on all ranks of these; others may differ by right.
_EQUAL = ("all-reduce", "broadcast", "reduce", "all-gather", "reduce-scatter")


@dataclass
class Evidence:
    """What is known of the ranks of one run at one moment (`now`, seconds of the monotonic clock)."""

    world: int
    now: float = 0.0
    calls: dict[tuple[str, int, str, int], dict[int, Call]] = field(default_factory=dict)
    newest: dict[int, Call] = field(default_factory=dict)
    stands: dict[int, Stands] = field(default_factory=dict)
    passed: dict[int, int] = field(default_factory=dict)  # how many checks each rank has passed
    troubles: dict[int, Trouble] = field(default_factory=dict)
    ends: dict[int, str] = field(default_factory=dict)  # ranks that are gone, and how
    silent: dict[int, float] = field(default_factory=dict)  # seconds without a sign of life, where it is long
    misfit: bool = False  # gloo ended a rank that was sent more than its call takes

    def add(self, call: Call) -> None:
        """Keep a call beside those of other ranks that it has to fit."""
        self.newest[call.rank] = call
        if call.peer == NOBODY:
            return
        self.calls.setdefault(_key(call), {})[call.rank] = call


def _key(call: Call) -> tuple[str, int, str, int]:
    """What the calls of all ranks that are one collective, or one transfer, have in common."""
    if call.peer < 0:
        return (call.group, call.number, "", -1)
    sender, receiver = (call.rank, call.peer) if call.op == "send" else (call.peer, call.rank)
    return (call.group, call.number, f"{sender}-", receiver)


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
        whom = "the others" if all_others else _ranks(by_op[common])
        verb = "is" if len(by_op[odd]) == 1 else "are"
        headline = f"{_ranks(by_op[odd])} {verb} in {odd} number {one.number}, {whom} in {common}"
        firsts = [(calls[ranks[0]].line, ranks, op) for op, ranks in by_op.items()]
        details = [
            f"line {line}: {_ranks(ranks)} call{'s' * (len(ranks) == 1)} {op}" for line, ranks, op in firsts
        ]
        meaning = "a collective is one only if every rank of the group makes the same call, in the same order"
        return Diagnosis(
            "mismatch", headline, tuple(details), meaning, one.line or others.line, rows(evidence)
        )
    op = next(iter(by_op))
    sizes: dict[int, list[int]] = {}
    for rank, call in sorted(calls.items()):
        sizes.setdefault(call.bytes, []).append(rank)
    if op in _EQUAL and len(sizes) > 1:
        said = ", ".join(f"{_ranks(ranks)} {size(n)}" for n, ranks in sizes.items())
        one = calls[min(sizes.values(), key=len)[0]]
        headline = f"{op} number {one.number} is of different sizes: {said}"
        lines = [(calls[ranks[0]].line, ranks, n) for n, ranks in sizes.items()]
        meaning = "every rank has to bring a tensor of the same size"
        places: tuple[str, ...] = ()
        if len({line for line, _, _ in lines if line}) > 1:
            places = tuple(f"line {line}: {_ranks(ranks)}, {size(n)}" for line, ranks, n in lines if line)
            meaning += ": one call more or less on one of them, and the next ones meet"
        return Diagnosis("mismatch", headline, places, meaning, one.line, rows(evidence))
    return _of_another(evidence, calls)


def _of_another(evidence: Evidence, calls: Mapping[int, Call]) -> Diagnosis | None:
    """Return that ranks call the same with another root, or make another group; None if they agree."""
    said: dict[str, list[int]] = {}
    for rank, call in sorted(calls.items()):
        said.setdefault(call.about, []).append(rank)
    if len(said) < 2:
        return None
    one = calls[min(said.values(), key=len)[0]]
    each = "; ".join(f"{_ranks(ranks)} {about}" for about, ranks in said.items())
    if one.op == "new_group":
        made = (f"{_ranks(r)} call{'s' * (len(r) == 1)} {about}" for about, r in said.items())
        headline = f"ranks make different groups: {', '.join(made)}"
        meaning = "every rank calls new_group for every group, in the same order, its own or not"
    else:
        headline = f"{one.op} number {one.number} is not the same on all ranks: {each}"
        meaning = "one rank gives or gets it, and all ranks have to name the same one"
    return Diagnosis("mismatch", headline, (), meaning, one.line, rows(evidence))


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
    return Diagnosis("mismatch", headline, details, meaning, receiver.line, rows(evidence))


def nowhere(evidence: Evidence) -> Diagnosis | None:
    """Return what is sent to a rank that there is not: torch does not look, and crashes or hangs."""
    for rank, call in evidence.newest.items():
        if call.op == "send" and call.peer == NOBODY:
            headline = f"rank {rank} sends to a rank that does not exist (line {call.line})"
            meaning = "ranks go from 0 to world - 1: take a neighbour modulo the world"
            return Diagnosis("crash", headline, (), meaning, call.line, rows(evidence))
    return None


def waits_for(evidence: Evidence) -> dict[int, tuple[int, ...]]:
    """Return, by rank that stands in a call, the ranks it waits for."""
    found: dict[int, tuple[int, ...]] = {}
    for rank, stand in evidence.stands.items():
        call = stand.call
        if call is None or rank in evidence.ends or stand.idle:
            continue
        if call.peer != -1:
            there = call.peer == NOBODY or call.peer in evidence.calls.get(_key(call), {})
            found[rank] = () if there else (call.peer,)
            continue
        entered = evidence.calls.get((call.group, call.number, "", -1), {})
        members = call.members or tuple(range(evidence.world))
        found[rank] = tuple(m for m in members if m not in entered)
    return found


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
    edges = tuple((rank, other) for rank, others in sorted(waits.items()) for other in others)
    table = rows(evidence)
    round_ = circle(waits)
    if evidence.silent:
        rank = min(evidence.silent)
        line = evidence.stands[rank].line if rank in evidence.stands else 0
        headline = f"rank {rank} has not reported for {evidence.silent[rank]:.0f} s"
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
            "deadlock", f"A circle: {said}.{end}", _standing(evidence, round_),
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
        others = f", {_ranks(sorted(waits))} wait{'s' * (len(waits) == 1)} for it" if waits else ""
        headline = f"{_ranks(busy)} {'is' if len(busy) == 1 else 'are'} {where} for {for_s:.0f} s{others}"
        return Diagnosis(
            "slow", headline, (), "a sleep, an endless loop, or far too much work", line, table, edges
        )
    whom = sorted({other for others in waits.values() for other in others if other not in waits})
    if whom and first is not None:
        waiting = sorted(rank for rank, others in waits.items() if set(others) & set(whom))
        call = evidence.stands[waiting[0]].call
        assert call is not None
        alone = len(whom) == 1
        again = f" for the {_nth(call.number)} time" if call.number > 1 else ""
        does = {"send": "receive it", "receive": "send it"}.get(call.op, f"call {call.op}{again}")
        if alone:
            verb, _, rest = does.partition(" ")
            does = f"{verb}s {rest}"
        have = "has" if alone else "have"
        gone = all(other in evidence.ends for other in whom)
        headline = (
            f"{_ranks(waiting)} wait{'s' * (len(waiting) == 1)} in {call.op} for {_ranks(whom)}, "
            f"which {have} {'ended' if gone else 'finished'} and never {does}"
        )
        return Diagnosis(
            "deadlock", headline, _standing(evidence, waiting),
            "one call more on some ranks than on others: who has to make it, and how often?",
            evidence.stands[waiting[0]].line, table, edges,
        )  # fmt: skip
    line = first.line if first else 0
    return Diagnosis("deadlock", f"nobody has gone on for {for_s:.0f} s", (), "", line, table, edges)


def failed(evidence: Evidence) -> Diagnosis | None:
    """Say why a check has failed or a rank is gone; None if neither is so."""
    own = {rank: it for rank, it in evidence.troubles.items() if not plain_errors.bereft(it.text)}
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
    others = ", ".join(f"{_ranks(ranks)} in that of line {line}" for line, ranks in at.items() if line != odd)
    verb = "was" if len(at[odd]) == 1 else "were"
    headline = f"{_ranks(at[odd])} {verb} in the call of line {odd}, {others}, and the two do not fit"
    meaning = "one call more or less on one rank, and the next ones meet"
    return Diagnosis("mismatch", headline, (), meaning, odd, rows(evidence))


def _of_trouble(evidence: Evidence, rank: int, known: Mapping[int, Trouble]) -> Diagnosis:
    trouble = known[rank]
    alike = sorted(r for r, it in known.items() if (it.kind, it.text) == (trouble.kind, trouble.text))
    who = "every rank" if len(alike) == evidence.world else _ranks(alike)
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


def rows(evidence: Evidence) -> tuple[RankRow, ...]:
    """Return what each rank does, as far as it was told."""
    return tuple(_row(evidence, rank) for rank in range(evidence.world))


def _row(evidence: Evidence, rank: int) -> RankRow:
    stand = evidence.stands.get(rank)
    since = max(0.0, evidence.now - stand.since) if stand else None
    if rank in evidence.ends:
        return RankRow(rank, stand.line if stand else 0, evidence.ends[rank], "", None, True)
    if rank in evidence.troubles:
        return RankRow(rank, evidence.troubles[rank].line, _short(evidence.troubles[rank]), "", None, True)
    if rank in evidence.silent:
        line = stand.line if stand else 0
        return RankRow(rank, line, "does not report", "", evidence.silent[rank], True)
    if stand is None:
        return RankRow(rank, 0, "starts", "", None, False)
    if stand.idle:
        return RankRow(rank, 0, "done with this check", "", None, False)
    if stand.call is None:
        return RankRow(rank, stand.line, "computes", "", since, False)
    call = stand.call
    whom = waits_for(evidence).get(rank, ())
    partner = _ranks(whom) if whom else "all are there"
    doing = f"{call.op} {size(call.bytes)}"
    return RankRow(rank, call.line, doing, partner, since, bool(whom), _waits_at(stand))


def _waits_at(stand: Stands) -> int:
    """The line of the wait for a call that was begun in another line, 0 where it is the same."""
    call = stand.call
    return stand.line if call is not None and call.line and stand.line != call.line else 0


def _short(trouble: Trouble) -> str:
    if plain_errors.bereft(trouble.text):
        return "lost the others"
    return trouble.text.partition("\n")[0][:40]


def _idle(evidence: Evidence, rank: int) -> bool:
    stand = evidence.stands.get(rank)
    return stand is not None and stand.idle


def _standing(evidence: Evidence, ranks: Sequence[int]) -> tuple[str, ...]:
    lines = []
    for rank in ranks:
        call = evidence.stands[rank].call
        if call is not None:
            whom = (
                f"to rank {call.peer}"
                if call.op == "send"
                else f"from rank {call.peer}"
                if call.peer >= 0
                else ""
            )
            later = _waits_at(evidence.stands[rank])
            wait = f", which line {later} waits for" if later else ""
            lines.append(f"rank {rank}, line {call.line}{wait}: {call.op} {size(call.bytes)} {whom}".rstrip())
    return tuple(lines)


def _nth(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{last}"


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}" if ranks else "no rank"


def size(n: float) -> str:
    """Return bytes in words, powers of 1000: `1.0 MB`."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n:.0f} B"
