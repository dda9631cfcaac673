"""The links between the nodes of a run, held to a speed: what each rank has to be told for it.

A rank paces its own connections (`runtime.ranks.socket_pacing`) but does not know where they lead. The ends
that all ranks report are joined in `runtime.metrics.collectives.kernel_byte_counts`; those that cross nodes
are named to the rank that has them, again whenever it has others: every new group makes new ones.

Where no kernel paces connections, a link is simulated, and the badge says so: each collective of ranks on
several nodes is held back for as long as its bytes would take (`runtime.ranks.hooks.collective_waits`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from runtime.catalog.params import Refusal
from runtime.metrics.store import RunStore
from runtime.protocol.events import Event, Hello, Links
from runtime.protocol.link_speeds import SPEEDS, UNLIMITED, Speed, bytes_s, in_words

MOST_ENDS = 250  # of an order: it has to fit into `runtime.ranks.rank_orders.MAX_ORDER`
Orders = list[tuple[int, dict[str, Any]]]
Ends = tuple[tuple[int, int], ...]  # ports of connections, here and there


class NodeLinks:
    """The speed of the links between `nodes` nodes, and what the ranks were told of it."""

    def __init__(
        self,
        nodes: int,
        speed: Speed = UNLIMITED,
        system: str = sys.platform,
        *,
        shaped: bool = False,
        latency_s: float = 0.0,
    ) -> None:
        """`shaped`: a link of that speed is there from the start (a card of `simulated_nodes`); `latency_s`
        is of a simulated one."""
        self._latency_s = latency_s
        self.nodes, self.speed, self._shaped = nodes, speed, shaped
        self._can = system == "linux"
        self.told: dict[int, tuple[Speed, Ends]] = {}
        self._held: dict[int, dict[str, Any]] = {}  # how each rank is held back, where a link is simulated

    @property
    def bent(self) -> tuple[str, ...]:
        """What a badge says about it."""
        if self.simulated:
            late = (f"{self._latency_s * 1000:g} ms",) if self._latency_s else ()
            by = " and ".join((*([] if self.speed == UNLIMITED else [in_words(self.speed)]), *late))
            return (f"collectives between nodes held back as by {by}",)
        if self.nodes == 1 or self.speed == UNLIMITED or self._shaped:
            return ()
        return (f"links between nodes paced to {in_words(self.speed)} a connection",)

    def refusal(self, speed: str) -> Refusal | None:
        """Why the links cannot be made so fast; None: they can."""
        if speed not in SPEEDS:
            return Refusal("no such link speed", f"choose one of: {', '.join(SPEEDS)}")
        if self.nodes == 1:
            return Refusal("this run has no link between nodes", "start it with nodes=2")
        if self._shaped:
            return Refusal("a netns link cannot change during a run", "start it with another link=")
        return None

    @property
    def simulated(self) -> bool:
        """Whether ranks sleep in place of a slow link."""
        slow = self.speed != UNLIMITED or self._latency_s > 0
        return self.nodes > 1 and slow and not (self._shaped or self._can)

    def concerned(self, events: Iterable[Event]) -> bool:
        """Whether these events may change which connections cross nodes."""
        return self.nodes > 1 and not {Links, Hello}.isdisjoint(map(type, events))

    def orders(self, store: RunStore) -> Orders:
        """Return what is news to ranks, each with its orders; it counts as told from now on."""
        if self.nodes == 1 or self._shaped:
            return []
        if not self._can:
            return self._held_back(store)
        found: Orders = []
        nodes = [rank.node for rank in store.ranks]
        for rank in range(store.world):
            ends = store.volume.on_wire.crossing(rank, nodes)
            before = self.told.get(rank)
            # What was never paced is left alone.
            if (self.speed, ends) == before or not ends or (before is None and self.speed == UNLIMITED):
                continue
            self.told[rank] = self.speed, ends
            found += [(rank, order) for order in _orders(self.speed, ends)]
        return found

    def _held_back(self, store: RunStore) -> Orders:
        order = {"do": "hold back", "bytes_s": bytes_s(self.speed), "each": store.world // self.nodes}
        order["latency_s"] = self._latency_s
        present = (rank.rank for rank in store.ranks if rank.pid)
        # What was never held back is left alone.
        news = [r for r in present if self._held.get(r, None if self.simulated else order) != order]
        self._held.update(dict.fromkeys(news, order))
        return [(rank, order) for rank in news]

    def standing(self, rank: int) -> list[dict[str, Any]]:
        """Return the orders for a rank that connects again."""
        told, held = self.told.get(rank), self._held.get(rank)
        return [held] if held is not None else list(_orders(*told)) if told is not None else []

    def begin_again(self) -> None:
        """Start over for a new generation, whose connections are others."""
        self.told.clear()
        self._held.clear()


def _orders(speed: Speed, ends: Ends) -> Iterator[dict[str, Any]]:
    for at in range(0, len(ends), MOST_ENDS):
        yield {"do": "link", "bytes_s": bytes_s(speed), "ends": ends[at : at + MOST_ENDS]}
