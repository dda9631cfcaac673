"""Figures of a finished run, looked up by specs to see whether it shows what its demo is for."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from runtime.protocol import ranks_on_cores
from runtime.protocol.messages import Snapshot


def result(ran: Snapshot, name: str, rank: int = 0) -> float | None:
    """Return a number of the results a rank sent at its end, None if it sent none of that name."""
    told = (ran.rows[rank].result or {}).get(name) if rank < len(ran.rows) else None
    return told if isinstance(told, int | float) else None


def results(ran: Snapshot, name: str) -> list[float]:
    """Return that result of every rank that sent it."""
    found = (result(ran, name, rank) for rank in range(len(ran.rows)))
    return [number for number in found if number is not None]


def crowded(ran: Snapshot) -> str:
    """`4 ranks on 2 cores` where they shared them, as its badge says; else ""."""
    return ranks_on_cores.found(ran.bent)


def step_s(ran: Snapshot) -> float | None:
    """Return the seconds of a typical step: the median of the ranks' means; None: not known."""
    known = [row.step_s for row in ran.rows if row.step_s is not None]
    return median(known) if known else None


def computed_s(ran: Snapshot) -> list[float] | None:
    """Return the seconds each rank computed in a step, hidden transfers included; None: one is unknown."""
    each = [
        row.compute + row.hidden for row in ran.rows if row.compute is not None and row.hidden is not None
    ]
    return each if len(each) == len(ran.rows) else None


def slept_s(ran: Snapshot, rank: int, asked_ms: float) -> float:
    """Return the seconds by which a rank was slowed in a step: as it measured, else as asked for."""
    told = ran.value("slowed")
    own = told.ranks[rank] if told is not None and 0 <= rank < len(told.ranks) else ()
    return (own[-1] if own else asked_ms) / 1000


def ms(seconds: float) -> str:
    """Format seconds as milliseconds: `0.123 ms`, `51 ms`."""
    return f"{1000 * seconds:.3g} ms" if seconds < 0.1 else f"{1000 * seconds:.0f} ms"


def listed(seconds: Sequence[float]) -> str:
    """`51, 73, 95 and 98 ms`."""
    *before, last = (ms(each).removesuffix(" ms") for each in seconds)
    return f"{', '.join(before)} and {last} ms" if before else f"{last} ms"
