"""What is known of the ranks of a run at one moment, and which of them wait for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.protocol.practice_messages import NOBODY, Call, Stands, Trouble

MOST_EDGES = 2048  # a thousand ranks that wait for a thousand others are a million
LISTED = 16  # ranks that are named each by its number


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
        self.calls.setdefault(key(call), {})[call.rank] = call


def key(call: Call) -> tuple[str, int, str, int]:
    """What the calls of all ranks that are one collective, or one transfer, have in common."""
    if call.peer < 0:
        return (call.group, call.number, "", -1)
    sender, receiver = (call.rank, call.peer) if call.op == "send" else (call.peer, call.rank)
    return (call.group, call.number, f"{sender}-", receiver)


def waits_for(evidence: Evidence) -> dict[int, tuple[int, ...]]:
    """Return, by rank that stands in a call, the ranks it waits for."""
    found: dict[int, tuple[int, ...]] = {}
    missing: dict[tuple[str, int, str, int], tuple[int, ...]] = {}  # the same for all that stand in it
    for rank, stand in evidence.stands.items():
        call = stand.call
        if call is None or rank in evidence.ends or stand.idle:
            continue
        if call.peer != -1:
            there = call.peer == NOBODY or call.peer in evidence.calls.get(key(call), {})
            found[rank] = () if there else (call.peer,)
            continue
        if (its := key(call)) not in missing:
            entered = evidence.calls.get(its, {})
            missing[its] = tuple(m for m in call.members or range(evidence.world) if m not in entered)
        found[rank] = missing[its]
    return found


def edges_of(waits: Mapping[int, Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return who waits for whom, pair by pair; where these are too many, of each rank the first."""
    many = sum(map(len, waits.values())) > MOST_EDGES
    return tuple(
        (rank, other) for rank, others in sorted(waits.items()) for other in others[: 1 if many else None]
    )


def nth(number: int) -> str:
    """Return `1st`, `2nd`, `11th`."""
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{last}"


def named(ranks: Sequence[int]) -> str:
    """Return `rank 2`, or `ranks 0, 1 and 3`; of many `ranks 0, 1, 2, 3 and 1020 more`."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if len(ranks) > LISTED:
        return f"ranks {', '.join(map(str, ranks[:4]))} and {len(ranks) - 4} more"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}" if ranks else "no rank"


def size(n: float) -> str:
    """Return bytes in words, powers of 1000: `1.0 MB`."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n:.0f} B"
