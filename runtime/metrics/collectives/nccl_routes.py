"""How NCCL goes from one rank to another, out of what it prints where it was asked to: `NCCL_DEBUG=INFO`.

A rank says of each channel whom it sends to and by what: `0[0] -> 1[1] via P2P/CUMEM`, in older versions
`Ring 00 : 0 -> 1 [send] via NET/Socket/0`. The numbers are those in a communicator, which are ranks of the
run where it has all of them; it says how many it has when it begins. Newer versions connect when a
communicator is first used, which may be after another one has begun: then the GPU in brackets tells that a
number means another rank. Lines can be missing: of much output the newest part is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from runtime.protocol.events import Log

MOST_WORDS = 40  # characters of a way that are kept: `NET/IBext_v8/3(12)/GDRDMA(PCI)/Shared`
_BEGINS = re.compile(r"NCCL INFO .*\bnranks (\d+)", re.IGNORECASE)
_SENDS = re.compile(
    r"NCCL INFO (?:Channel|Ring) \d+(?:/\d+)? : (\d+)(?:\[(\w+)\])? -> (\d+)(?:\[(\w+)\])?"
    r"(?: \[send\]|( \[receive\]))? via (\S.*)"
)


class _End(NamedTuple):
    """A rank, and its GPU where it is said."""

    rank: int
    gpu: str | None


class NcclRoutes:
    """The ways between the ranks of a run, as NCCL has said them; the newest of each pair counts."""

    def __init__(self, world: int) -> None:
        self._world = world
        self._members: dict[int, int] = {}  # of the communicator that a rank makes now
        self._gpu: dict[int, str] = {}  # of each rank, as it says itself
        self._way: dict[tuple[int, int], tuple[_End, str]] = {}  # with who is at the other end

    def add(self, log: Log) -> None:
        """Take in a line of a rank's output; untrusted."""
        if "NCCL INFO" not in log.line:
            return
        if begins := _BEGINS.search(log.line):
            self._members[log.rank] = int(begins[1])
        said = _SENDS.search(log.line)
        if said is None or self._members.get(log.rank, self._world) != self._world:
            return
        sender, receiver = int(said[1]), int(said[3])
        at_sender, at_receiver = _End(sender, said[2]), _End(receiver, said[4])
        own, other = (at_receiver, at_sender) if said[5] else (at_sender, at_receiver)
        if own.rank == log.rank and receiver != sender and max(sender, receiver) < self._world:
            self._gpu[own.rank] = own.gpu or ""
            self._way[sender, receiver] = other, said[6].strip()[:MOST_WORDS]

    def told(self) -> tuple[tuple[int, int, str], ...]:
        """Return sender, receiver and the way, in the order of the ranks."""
        believed = [
            (*pair, way)
            for pair, (other, way) in self._way.items()
            if not other.gpu or self._gpu.get(other.rank, other.gpu) in ("", other.gpu)
        ]
        return tuple(sorted(believed))
