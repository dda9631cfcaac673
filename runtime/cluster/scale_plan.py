"""The plan from 1,024 to 16,384 ranks on paper: `python -m runtime.cluster.scale_plan` prints its table.

Sizes are those of real events, encoded as an agent encodes them. What an event costs the host is measured by
`tests/bench/cluster.py` (with everything a host does; a virtual machine of 2 cores, 2026-11-26): 9 us, scaled
by 1.5 to the slowest that the machine was seen at. Nothing in here runs at such a size: it says what has to
change before something can.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from runtime.protocol.events import Beat, Collective, Event, Memory, Step

EVENT_S = 13e-6  # processor time of the host for an event: read, decrypted, compared, recorded, drawn
RANK_BYTES = 110e3  # what the host keeps of a rank, whose newest steps are compared with those of others
ROW_S = 20e-6  # a row of a panel
CORE = 1 / 3  # of a core is what a host may take beside a class
RANKS_A_NODE = 8
EVERY = "every event"  # what is so today
RELAY = 64  # agents whose words one of them joins
BEATS_DRAWN = 2  # of the ten signs of life of a second, where each agent of 128 gathers for half of one
LEVEL = 3  # of compression, as `runtime.recordings.recorder` has it
_encode = msgspec.msgpack.Encoder().encode
_lines = msgspec.json.Encoder().encode_lines


class Plan(NamedTuple):
    """What comes to the host, each second where it is a rate: connections, events, bytes, part of a core,
    bytes of memory, rows of a panel that are drawn."""

    name: str
    connections: int
    events: float
    bytes: float
    core: float
    memory: float
    rows: int

    @property
    def fits(self) -> bool:
        """Whether a host can take it beside a class."""
        return self.core <= CORE


def second(ranks: Sequence[int]) -> list[Event]:
    """What ranks say in a second: ten signs of life, two steps of three collectives each, what they hold."""
    mib = 1 << 20
    found: list[Event] = []
    for rank in ranks:
        same = ("20261126-120000-abcd", 1, rank, 12345.678901)
        found += [
            Beat(*same, "backward", 41, 123, 123, 0, "all-reduce #123", entered={"0": 123}) for _ in range(10)
        ]
        for step in (40, 41):
            found += [
                Collective(*same, 3 * step + n, "all_reduce", "0", -1, mib, step, 12345.6, 12345.67, 0.01)
                for n in range(3)
            ]
            found.append(Memory(*same, step, mib, mib, 2 * mib, 9 * mib, None, None, None, None, None))
            found.append(Step(*same, step, 12345.2, 2.125, 512, 0.01, 0.1, 0.2, 0.05, 0.05))
    return found


def digest(ranks: Sequence[int]) -> list[Event]:
    """What of that a panel shows: of each rank the newest step and sign of life, and of its collectives the
    one that it entered last, of all ranks of a node (the others are in the node's own recording)."""
    newest: dict[tuple[type[Event], int], Event] = {}
    for event in second(ranks):
        if isinstance(event, Step | Beat):
            newest[type(event), event.rank] = event
        elif isinstance(event, Collective):
            newest[Collective, -1] = event
    return list(newest.values())


def line(ranks: Sequence[int]) -> list[Event]:
    """What is left where a panel has no row for each rank: a step, a sign of life and a collective of a node,
    those of the rank that is furthest behind."""
    return digest(ranks[:1])


def _sent(events: Sequence[Event]) -> int:
    """Count the bytes of what agents send today: what is drawn, and all of it as it is recorded."""
    beats = [event for event in events if isinstance(event, Beat)]
    drawn = [event for event in events if not isinstance(event, Beat)]
    drawn += beats[: len(beats) * BEATS_DRAWN // 10]
    return len(_encode(drawn)) + len(gzip.compress(_lines(events), LEVEL))


def plans(ranks: int) -> list[Plan]:
    """Return three ways for so many ranks: every event as today, digests of each agent, a line a node by a
    tree of agents."""
    nodes = -(-ranks // RANKS_A_NODE)
    node = range(RANKS_A_NODE)
    found = []
    for name, events, connections, rows in (
        (EVERY, second(node), nodes, ranks),
        ("a digest a second", digest(node), nodes, min(ranks, 1024)),
        ("a line a node, by a tree", line(node), -(-nodes // RELAY), min(nodes, 1024)),
    ):
        count = len(events) * nodes
        size = len(_encode(events)) * nodes if name != EVERY else _sent(events) * nodes
        core = count * EVENT_S + 2 * rows * ROW_S  # a panel is drawn twice a second
        memory = (nodes if "tree" in name else ranks) * RANK_BYTES
        found.append(Plan(name, connections, count, size, core, memory, rows))
    return found


def table(sizes: Sequence[int] = (1024, 4096, 16384)) -> str:
    """Return the table of `SCALE.md`, as Markdown."""
    heads = ("ranks", "what comes", "connections", "events/s", "MB/s", "of a core", "memory", "fits")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for ranks in sizes:
        for plan in plans(ranks):
            cells = (
                f"{ranks:,}",
                plan.name,
                f"{plan.connections:,}",
                f"{plan.events:,.0f}",
                f"{plan.bytes / 1e6:.1f}",
                f"{100 * plan.core:.0f} %",
                f"{plan.memory / 1e9:.2f} GB",
                "yes" if plan.fits else "no",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
