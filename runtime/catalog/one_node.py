"""One node of a training whose other nodes are started elsewhere, by hand: which one, and where all meet.

As torchrun's own `--nnodes`, `--node-rank` and `--master-addr`: numbers are given, so a node knows its ranks.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass

from runtime.catalog.params import Refusal, printable

_ADDRESS = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class OneNode:
    """Node `number` of `nodes`, each with `ranks`; the first keeps the store, at `host` and `port`."""

    number: int
    nodes: int
    ranks: int
    host: str
    port: int

    @property
    def here(self) -> range:
        """The ranks of this node."""
        return range(self.number * self.ranks, (self.number + 1) * self.ranks)

    @property
    def elsewhere(self) -> tuple[int, ...]:
        """The ranks of all other nodes."""
        return tuple(rank for rank in range(self.nodes * self.ranks) if rank not in self.here)

    @property
    def note(self) -> str:
        """What a badge says of it: `node 1 of 2: ranks 2 to 3 of 4`."""
        first, last = self.here[0], self.here[-1]
        ranks = f"rank {first}" if first == last else f"ranks {first} to {last}"
        return f"node {self.number} of {self.nodes}: {ranks} of {self.nodes * self.ranks}"

    @property
    def waits(self) -> str:
        """What is to be said until a rank speaks."""
        others = "the other node" if self.nodes == 2 else f"all {self.nodes} nodes"
        return f"waiting for {others} at {self.host}:{self.port}"


def read(number: str, meet: str, nodes: int, ranks: int) -> OneNode | Refusal:
    """Read `--node-rank` and `--rdzv HOST:PORT` for one of `nodes`; looks the host up."""
    if not (number.isascii() and number.isdigit() and int(number) < nodes):
        return Refusal(
            f"--node-rank {printable(number)} is none of the {nodes} nodes", f"write 0 to {nodes - 1}"
        )
    at = read_address(meet, "--rdzv")
    return at if isinstance(at, Refusal) else OneNode(int(number), nodes, ranks, *at)


def read_address(text: str, option: str) -> tuple[str, int] | Refusal:
    """Read the HOST:PORT of an option; looks the host up."""
    match = _ADDRESS.fullmatch(text)
    if match is None or not 0 < int(match[3]) < 1 << 16:
        return Refusal(
            f"{option} {printable(text)} is not an address", "write HOST:PORT, such as node0:29500"
        )
    host = match[1] or match[2]
    try:
        socket.getaddrinfo(host, int(match[3]))
    except (OSError, UnicodeError):
        return Refusal(
            f"{printable(host)} does not resolve",
            f"spell it as `getent hosts` knows it, or give {option} its address",
        )
    return host, int(match[3])
