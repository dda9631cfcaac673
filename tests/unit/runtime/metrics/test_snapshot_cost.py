"""What a step and its snapshot cost the host: more with more ranks, not with the steps it remembers."""

from __future__ import annotations

from counted_steps import steps as counted

from runtime.metrics.collectives import bandwidth, byte_counts, kernel_byte_counts
from runtime.metrics.rank_state import WINDOW
from runtime.metrics.store import RunStore
from runtime.protocol.events import Collective, Event, Group, Links, Step, Wire

COUNTED = {module.__file__ for module in (bandwidth, kernel_byte_counts, byte_counts)}
NODE = 8  # ranks of each of the smaller groups


class Ring:
    """Ranks that call an all-reduce of all and one of their own eight a step, connected in a ring."""

    def __init__(self, world: int) -> None:
        self.store, self.world, self.done = RunStore(world, 0.0), world, 0
        nodes = {f"g{first}": list(range(first, first + NODE)) for first in range(0, world, NODE)}
        for rank in range(world):
            ends = [self._ends(rank, (rank + 1) % world), self._ends(rank, (rank - 1) % world)]
            listed: list[Event] = [Links("r", 0, rank, 0.0, ends), Group("r", 0, rank, 0.0, "0", "", [])]
            listed += [Group("r", 0, rank, 0.0, key, "mesh_tp", ranks) for key, ranks in nodes.items()]
            self.store.ingest_all(listed if rank == 0 else listed[:1], 0.0)

    @staticmethod
    def _ends(own: int, other: int) -> tuple[str, str]:
        return f"h{own}:{other}", f"h{other}:{own}"

    def step(self) -> None:
        """One more of every rank, and what a panel wants of it."""
        number, end = self.done, 1.0 + self.done
        for rank in range(self.world):
            about = ("r", 0, rank)
            events: list[Event] = [
                Collective(*about, end, 2 * number + n, "all-reduce", group, -1, 1000, number,
                           end - 0.5, end - 0.4, 0.1)
                for n, group in enumerate(("0", f"g{rank - rank % NODE}"))
            ]  # fmt: skip
            events.append(Wire(*about, end, number, [1500 * number, 10 * number]))
            events.append(Step(*about, end, number, end - 0.9, 2.0, 64, 0.0, 0.2, 0.5, 0.1, 0.1))
            self.store.ingest_all(events, end)
        self.done += 1
        self.snapshot()

    def snapshot(self) -> None:
        rows = self.store.rows(float(self.done))
        kinds = self.store.traffic.rows(self.store.entries.groups, self.world)
        assert [kind.calls for kind in kinds] == [1.0, 1.0]
        assert {kind.members for kind in kinds} == {0, NODE}
        if self.done > 1:
            assert {(row.payload, row.wire) for row in rows} == {(2000, 1510)}


def after(world: int, steps: int) -> int:
    ring = Ring(world)
    for _ in range(steps):
        ring.step()
    return counted(ring.step, files=COUNTED)


def test_a_step_costs_no_more_when_the_window_is_full() -> None:
    few, full = after(64, 3), after(64, WINDOW + 3)
    assert full < 1.3 * few


def test_a_step_of_many_ranks_costs_each_of_them_as_much() -> None:
    few, many = after(64, WINDOW + 2), after(1024, WINDOW + 2)
    assert many / 1024 < 1.1 * few / 64
