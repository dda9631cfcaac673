"""Faults injected into a rank: how it is done, what the panel says of it, and what it is blamed for.

A harm is a signal to the rank's process, or an order that the rank itself obeys before its next step
(`runtime.ranks.faults_on_order`). It belongs to the process: a generation that follows is whole again.
"""

from __future__ import annotations

import signal
import sys
from typing import Any, NamedTuple

from runtime.catalog.params import Refusal
from runtime.protocol.messages import Harm

SIGNALS: dict[Harm, signal.Signals] = {
    "stop": signal.SIGSTOP,
    "go on": signal.SIGCONT,
    "kill": signal.SIGKILL,
}
LONGEST_MS = 60_000.0
OOM_BYTES, DISK_BYTES = 64 << 20, 64 << 10  # where no amount is given
MOST_BYTES = 1 << 40


class Done(NamedTuple):
    """`verb` and `detail` of the sentence `rank 2 was VERB on purpose DETAIL`; `brief` for the rank's row."""

    verb: str
    detail: str
    brief: str
    kills: bool = False

    def sentence(self, rank: int) -> str:
        """Return the sentence for a rank: `rank 2 was stopped on purpose (SIGSTOP)`."""
        return " ".join(filter(None, (f"rank {rank} was {self.verb} on purpose", self.detail)))


def refusal(harm: Harm, amount: float) -> Refusal | None:
    """Return why it cannot be done with this amount, or here; None if it can."""
    if harm == "slow" and not 0 <= amount <= LONGEST_MS:
        return Refusal(f"{amount:g} ms is not a time to slow a step by", f"write 0 to {LONGEST_MS:g} ms")
    if harm in ("oom", "disk") and not 0 <= amount <= MOST_BYTES:
        return Refusal(f"{amount:g} bytes is not a limit", "write a size in bytes, or 0 for the usual one")
    if harm == "oom" and sys.platform != "linux":
        return Refusal("memory limits need Linux", "choose another fault")
    return None


def order(harm: Harm, amount: float) -> dict[str, Any]:
    """Return the order to a rank, for every harm that is not a signal."""
    match harm:
        case "slow":
            return {"do": "slow", "seconds": amount / 1000}
        case "oom":
            return {"do": "oom", "amount": int(amount or OOM_BYTES)}
        case "disk":
            return {"do": "disk", "amount": int(amount or DISK_BYTES)}
        case _:
            return {"do": harm, "amount": 0}


def _words(harm: Harm, amount: float) -> Done | None:
    """None: it mends something."""
    match harm:
        case "slow":
            return Done("slowed", f"by {amount:g} ms a step", f"slowed {amount:g} ms") if amount > 0 else None
        case "stop":
            return Done("stopped", "(SIGSTOP)", "stopped")
        case "kill":
            return Done("killed", "(SIGKILL)", "killed", kills=True)
        case "desync":
            return Done("made to skip a collective", "", "skipped a collective")
        case "seed":
            return Done("given another seed", "", "another seed")
        case "oom":
            return Done("refused memory", "", "out of memory")
        case "disk":
            size = f"{int(amount or DISK_BYTES) / 1024:g} KiB"
            return Done(f"kept from writing files over {size}", "", f"files up to {size}")
        case "go on":
            return None


class Harms:
    """The faults injected into the ranks of one generation that are still in force."""

    def __init__(self) -> None:
        self._of: dict[int, dict[str, Done]] = {}
        self._slow: dict[int, float] = {}
        self._at: dict[int, float] = {}

    def note(self, rank: int, harm: Harm, amount: float, at: float) -> str:
        """Record a harm done `at` a moment; returns all in force for this rank now, "" if none."""
        self._at[rank] = at
        mine = self._of.setdefault(rank, {})
        kind = "stop" if harm == "go on" else harm
        mine.pop(kind, None)  # said again, it is the newest
        done = _words(harm, amount)
        if done is not None:
            mine[kind] = done
        if harm == "slow":
            self._slow[rank] = amount
        return ", ".join(done.brief for done in mine.values())

    @property
    def bent(self) -> tuple[str, ...]:
        """What a badge says about it: time spent on nothing."""
        return tuple(f"rank {rank} slowed {ms:g} ms" for rank, ms in sorted(self._slow.items()) if ms > 0)

    def orders(self, rank: int) -> list[dict[str, Any]]:
        """Return the orders to send again to a rank that comes back."""
        return [order("slow", self._slow[rank])] if rank in self._slow else []

    def of(self, rank: int) -> Done | None:
        """Return the newest harm of a rank, None if it has none."""
        return next(reversed(self._of.get(rank, {}).values()), None)

    def killed(self) -> int | None:
        """Return a rank that was killed on purpose, None if none was."""
        return next((rank for rank in self._of if (done := self.of(rank)) is not None and done.kills), None)

    def out_of_step(self) -> int | None:
        """Return a rank that was made to skip a collective, None if none was or a rank was killed."""
        return next((r for r, mine in self._of.items() if "desync" in mine and self.killed() is None), None)

    def newest_at(self, rank: int) -> float | None:
        """Return when a rank was last harmed (seconds of the monotonic clock), None if it never was."""
        return self._at.get(rank)

    def sentence(self) -> str:
        """`rank 2 was stopped on purpose (SIGSTOP)`, of all that holds; "" for nothing."""
        told = (done.sentence(rank) for rank, mine in sorted(self._of.items()) for done in mine.values())
        return ", ".join(told)
